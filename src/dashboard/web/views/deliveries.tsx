/** The list of deliveries: sent, waiting and failed, with their errors and a retry. */

import { formatCount } from '../../../text/plural.ts';
import * as api from '../api.ts';
import type { Delivery, DeliveryList, DeliveryQuery, DeliveryState } from '../api-types.ts';
import { Button } from '../components/buttons.tsx';
import { ChannelIcon, DeliveryStateChip, STATES } from '../components/delivery-state.tsx';
import { EmptyState, Loaded, Notice } from '../components/messages.tsx';
import { Page } from '../components/page.tsx';
import { Pager } from '../components/pager.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { navigate } from '../location.ts';
import { type Route, to } from '../router.ts';
import { formOf, forms } from '../state/forms.ts';
import { useDeliveryEvents } from '../state/live.ts';
import { showError, showToast } from '../state/toasts.ts';
import { useQuery } from '../use-query.ts';
import { DeliveryDialog } from './deliveries/delivery-dialog.tsx';

const PAGE_SIZE = 50;

type DeliveriesRoute = Extract<Route, { view: 'deliveries' }>;
/** The listed deliveries, as in the address. */
type Place = Omit<DeliveriesRoute, 'view' | 'delivery'>;

function queryOf({ state, form, page }: Place): DeliveryQuery {
	const known = Object.hasOwn(STATES, state) ? (state as DeliveryState) : undefined;
	return { state: known, form: form || undefined, limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE };
}

function Filters({ place: { state: chosen, form } }: { place: Place }) {
	return (
		<div class="delivery-filters spread wrap">
			<nav class="filters" aria-label="State">
				{Object.entries({ '': { name: 'All' }, ...STATES }).map(([state, { name }]) => (
					<a key={state} href={to.deliveries({ state, form })} aria-current={state === chosen ? 'true' : undefined}>
						{name}
					</a>
				))}
			</nav>
			<select
				class="input"
				aria-label="Form"
				value={form}
				onChange={(event) => navigate(to.deliveries({ state: chosen, form: event.currentTarget.value }))}
			>
				<option value="">All forms</option>
				{(forms.value ?? []).map(({ id, name }) => (
					<option key={id} value={id}>
						{name}
					</option>
				))}
			</select>
		</div>
	);
}

function DeliveryTable({ list, place }: { list: Delivery[]; place: Place }) {
	if (list.length === 0) {
		return (
			<EmptyState icon="send" title={place.state ? 'None in this state' : 'No deliveries yet'}>
				<p>
					Give a form a notification address or a webhook; every mail and webhook request is listed here, with its
					state.
				</p>
			</EmptyState>
		);
	}
	const columns: Column<Delivery>[] = [
		{
			head: 'Channel',
			isHeadHidden: true,
			class: 'col-control',
			cell: ({ channel }) => <ChannelIcon channel={channel} />,
		},
		{
			head: 'To',
			cell: ({ id, destination, lastError }) => (
				<>
					<a class="row-link" href={to.delivery(id, place)}>
						<bdi>{destination}</bdi>
					</a>
					{lastError && <span class="error-text small">{lastError}</span>}
				</>
			),
		},
		{ head: 'Form', class: 'col-wide', cell: ({ form }) => <bdi>{formOf(form)?.name ?? ''}</bdi> },
		{ head: 'State', cell: ({ state }) => <DeliveryStateChip state={state} /> },
		{ head: 'Attempts', class: 'number col-wide', cell: ({ attempts }) => attempts },
		{
			head: 'Next try',
			class: 'col-wide muted nowrap',
			cell: ({ state, nextAttemptAt }) => (nextAttemptAt && state === 'waiting' ? <Time iso={nextAttemptAt} /> : '—'),
		},
		{ head: 'Created', class: 'col-time muted', cell: ({ createdAt }) => <Time iso={createdAt} /> },
	];
	return <Table name="Deliveries" class="deliveries-table" columns={columns} rows={list} />;
}

/** A notice if mail as a whole is not being sent. */
function MailState({ mail }: { mail: DeliveryList['mail'] }) {
	if (!mail.isSet) {
		return (
			<Notice tone="warning" icon="warning">
				No mail server is configured, so mails are withheld. <a href={to.settings()}>How to set one</a>
			</Notice>
		);
	}
	if (mail.heldSince === null) return null;
	return (
		<Notice tone="warning" icon="warning" role="status">
			Mail is held back: {mail.heldReason}
			<br />
			Began <Time iso={mail.heldSince} />
			{mail.nextProbeAt && (
				<>
					{', next try '}
					<Time iso={mail.nextProbeAt} />
				</>
			)}
		</Notice>
	);
}

/** Deliveries that a restore found waiting. */
function Held({ count, onSend }: { count: number; onSend: () => void }) {
	return (
		<Notice tone="warning" icon="warning" role="status">
			A backup was restored. Mails and webhook requests that were waiting when it was made may have been sent since, so
			they are held ({formatCount(count)}). <Button label="Send held deliveries" look="small" onClick={onSend} />
		</Notice>
	);
}

/** The forms above their hourly mail cap, since when, and when their digest is sent. */
function Digests({ digests }: { digests: DeliveryList['digests'] }) {
	return digests.map(({ delivery, form, since, goesAt }) => (
		<Notice key={delivery} icon="mail" role="status">
			<bdi>{formOf(form)?.name ?? ''}</bdi> reached its hourly mail limit <Time iso={since} />. Later submissions are
			collected: <a href={to.delivery(delivery)}>one mail about all of them</a> goes <Time iso={goesAt} />. Each
			submission is in the inbox as usual.
		</Notice>
	));
}

export function Deliveries({ at }: { at: DeliveriesRoute }) {
	const { view: _, delivery, ...place } = at;
	const query = queryOf(place);
	const loaded = useQuery(JSON.stringify(query), () => api.deliveries.list(query));
	const { data, reload } = loaded;
	useDeliveryEvents(reload);
	const retryAll = (state: 'failed' | 'held') =>
		api.deliveries
			.retryAll({ state, form: query.form })
			.then(({ retried }) => {
				const none = state === 'failed' ? 'Nothing has failed.' : 'None of the held deliveries can be sent.';
				showToast(retried === 0 ? none : `Trying again: ${formatCount(retried)}.`);
				reload();
			})
			.catch(showError);
	return (
		<Page
			title="Deliveries"
			intro="Mails and webhook requests. Failed ones are retried for days before they are given up."
			actions={<Button label="Retry all failed" icon="refresh" onClick={() => retryAll('failed')} />}
		>
			{data && <MailState mail={data.mail} />}
			{data && data.held > 0 && <Held count={data.held} onSend={() => retryAll('held')} />}
			{data && <Digests digests={data.digests} />}
			<Filters place={place} />
			<Loaded query={loaded}>
				{({ deliveries, pagination }) => (
					<>
						<DeliveryTable list={deliveries} place={place} />
						<Pager pagination={pagination} addressOf={(page) => to.deliveries({ ...place, page })} />
					</>
				)}
			</Loaded>
			{delivery && (
				<DeliveryDialog
					key={delivery}
					id={delivery}
					onRetried={reload}
					onClose={() => navigate(to.deliveries(place))}
				/>
			)}
		</Page>
	);
}
