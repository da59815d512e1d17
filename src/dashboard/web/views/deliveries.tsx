/** The list of deliveries: sent, waiting and failed, with their errors and a retry. */

import * as api from '../api.ts';
import type { Delivery, DeliveryList, DeliveryQuery, DeliveryState } from '../api-types.ts';
import { Button } from '../components/buttons.tsx';
import { ChannelIcon, DeliveryStateChip } from '../components/delivery-state.tsx';
import { EmptyState, Loaded, Notice } from '../components/messages.tsx';
import { Page } from '../components/page.tsx';
import { Pager } from '../components/pager.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { navigate } from '../location.ts';
import { type DeliveriesPlace, type Route, to } from '../router.ts';
import * as words from '../sentences/words.ts';
import { formOf, forms } from '../state/forms.ts';
import { useDeliveryEvents } from '../state/live.ts';
import { showError, showToast } from '../state/toasts.ts';
import { useQuery } from '../use-query.ts';
import { DeliveryDialog } from './deliveries/delivery-dialog.tsx';

const PAGE_SIZE = 50;

function queryOf({ state, form, page }: DeliveriesPlace): DeliveryQuery {
	const known = Object.hasOwn(words.deliveries.states, state) ? (state as DeliveryState) : undefined;
	return { state: known, form: form || undefined, limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE };
}

function Filters({ place: { state: chosen, form } }: { place: DeliveriesPlace }) {
	return (
		<div class="delivery-filters spread wrap">
			<nav class="filters" aria-label={words.controls.state}>
				{Object.entries({ '': words.deliveries.all, ...words.deliveries.states }).map(([state, name]) => (
					<a key={state} href={to.deliveries({ state, form })} aria-current={state === chosen ? 'true' : undefined}>
						{name}
					</a>
				))}
			</nav>
			<select
				class="input"
				aria-label={words.controls.form}
				value={form}
				onChange={(event) => navigate(to.deliveries({ state: chosen, form: event.currentTarget.value }))}
			>
				<option value="">{words.frame.allForms}</option>
				{(forms.value ?? []).map(({ id, name }) => (
					<option key={id} value={id}>
						{name}
					</option>
				))}
			</select>
		</div>
	);
}

function DeliveryTable({ list, place }: { list: Delivery[]; place: DeliveriesPlace }) {
	if (list.length === 0) {
		return (
			<EmptyState icon="send" title={place.state ? words.deliveries.noneInState : words.deliveries.none}>
				<p>{words.deliveries.noneHint}</p>
			</EmptyState>
		);
	}
	const columns: Column<Delivery>[] = [
		{
			head: words.deliveries.channel,
			isHeadHidden: true,
			class: 'col-control',
			cell: ({ channel }) => <ChannelIcon channel={channel} />,
		},
		{
			head: words.controls.mailTo,
			cell: ({ id, destination, lastError }) => (
				<>
					<a class="row-link" href={to.delivery(id, place)}>
						<bdi>{destination}</bdi>
					</a>
					{lastError && <span class="error-text small">{lastError}</span>}
				</>
			),
		},
		{ head: words.controls.form, class: 'col-wide', cell: ({ form }) => <bdi>{formOf(form)?.name ?? ''}</bdi> },
		{ head: words.controls.state, cell: ({ state }) => <DeliveryStateChip state={state} /> },
		{ head: words.deliveries.attempts, class: 'number col-wide', cell: ({ attempts }) => attempts },
		{
			head: words.deliveries.nextTry,
			class: 'col-wide muted nowrap',
			cell: ({ state, nextAttemptAt }) => (nextAttemptAt && state === 'waiting' ? <Time iso={nextAttemptAt} /> : '—'),
		},
		{ head: words.controls.created, class: 'col-time muted', cell: ({ createdAt }) => <Time iso={createdAt} /> },
	];
	return <Table name={words.frame.deliveries} class="deliveries-table" columns={columns} rows={list} />;
}

/** A notice if mail as a whole is not being sent. */
function MailState({ mail }: { mail: DeliveryList['mail'] }) {
	if (!mail.isSet) {
		return (
			<Notice tone="warning" icon="warning">
				{words.deliveries.noMailServer((label) => (
					<a href={to.settings()}>{label}</a>
				))}
			</Notice>
		);
	}
	if (mail.heldSince === null) return null;
	return (
		<Notice tone="warning" icon="warning" role="status">
			{words.deliveries.mailHeld(mail.heldReason)}
			<br />
			{words.deliveries.mailHeldSince(
				<Time iso={mail.heldSince} />,
				mail.nextProbeAt && <Time iso={mail.nextProbeAt} />,
			)}
		</Notice>
	);
}

/** Deliveries that a restore found waiting. */
function Held({ count, onSend }: { count: number; onSend: () => void }) {
	return (
		<Notice tone="warning" icon="warning" role="status">
			{words.deliveries.restored(count)} <Button label={words.deliveries.sendHeld} look="small" onClick={onSend} />
		</Notice>
	);
}

/** The forms above their hourly mail cap, since when, and when their digest is sent. */
function Digests({ digests }: { digests: DeliveryList['digests'] }) {
	return digests.map(({ delivery, form, since, goesAt }) => (
		<Notice key={delivery} icon="mail" role="status">
			{words.deliveries.digest({
				formName: <bdi>{formOf(form)?.name ?? ''}</bdi>,
				since: <Time iso={since} />,
				goesAt: <Time iso={goesAt} />,
				mail: (label) => <a href={to.delivery(delivery)}>{label}</a>,
			})}
		</Notice>
	));
}

export function Deliveries({ at }: { at: Extract<Route, { view: 'deliveries' }> }) {
	const { view: _, delivery, ...place } = at;
	const query = queryOf(place);
	const loaded = useQuery(JSON.stringify(query), () => api.deliveries.list(query));
	const { data, reload } = loaded;
	useDeliveryEvents(reload);
	const retryAll = (state: 'failed' | 'held') =>
		api.deliveries
			.retryAll({ state, form: query.form })
			.then(({ retried }) => {
				const none = state === 'failed' ? words.deliveries.noneFailed : words.deliveries.noneHeld;
				showToast(retried === 0 ? none : words.deliveries.retrying(retried));
				reload();
			})
			.catch(showError);
	return (
		<Page
			title={words.frame.deliveries}
			intro={words.deliveries.intro}
			actions={<Button label={words.deliveries.retryFailed} icon="refresh" onClick={() => retryAll('failed')} />}
		>
			{data && <MailState mail={data.mail} />}
			{data && data.held > 0 && <Held count={data.held} onSend={() => retryAll('held')} />}
			{data && <Digests digests={data.digests} />}
			<Filters place={place} />
			<Loaded query={loaded}>
				{({ deliveries, pagination }) => (
					<>
						<DeliveryTable list={deliveries} place={place} />
						<Pager
							pagination={pagination}
							// One that is open stays open.
							addressOf={(page) =>
								delivery ? to.delivery(delivery, { ...place, page }) : to.deliveries({ ...place, page })
							}
						/>
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
