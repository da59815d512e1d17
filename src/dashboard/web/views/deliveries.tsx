/** The list of deliveries: sent, waiting and failed, with their errors and a retry. */

import { useEffect } from 'preact/hooks';
import * as api from '../api.ts';
import type { Delivery, DeliveryList, DeliveryQuery, DeliveryState } from '../api-types.ts';
import { DeliveryStateChip, STATE_NAMES } from '../components/delivery-state.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { Icon } from '../components/icon.tsx';
import { LoadFailure } from '../components/load-failure.tsx';
import { Page } from '../components/page.tsx';
import { Pager } from '../components/pager.tsx';
import { Time } from '../components/time.tsx';
import { formatCount } from '../format.ts';
import { navigate } from '../location.ts';
import { type Route, to } from '../router.ts';
import { formOf, forms } from '../state/forms.ts';
import { onLiveEvent } from '../state/live.ts';
import { showError, showToast } from '../state/toasts.ts';
import { useQuery } from '../use-query.ts';
import { DeliveryDialog } from './deliveries/delivery-dialog.tsx';

const PAGE_SIZE = 50;
const STATES = Object.keys(STATE_NAMES) as DeliveryState[];

type Place = Extract<Route, { view: 'deliveries' }>;

function queryOf(at: Place): DeliveryQuery {
	const state = STATES.find((known) => known === at.state);
	return { state, form: at.form || undefined, limit: PAGE_SIZE, offset: (at.page - 1) * PAGE_SIZE };
}

function Filters({ at }: { at: Place }) {
	const choices = [{ state: '', label: 'All' }, ...STATES.map((state) => ({ state, label: STATE_NAMES[state] }))];
	return (
		<div class="delivery-filters">
			<nav class="filters" aria-label="State">
				{choices.map(({ state, label }) => (
					<a
						key={state}
						href={to.deliveries({ state, form: at.form })}
						aria-current={state === at.state ? 'true' : undefined}
					>
						{label}
					</a>
				))}
			</nav>
			<select
				class="input"
				aria-label="Form"
				value={at.form}
				onChange={(event) => navigate(to.deliveries({ state: at.state, form: event.currentTarget.value }))}
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

function DeliveryRow({ delivery, at }: { delivery: Delivery; at: Place }) {
	return (
		<tr>
			<td class="col-control">
				<Icon name={delivery.channel === 'mail' ? 'mail' : 'plug'} />
				<span class="visually-hidden">{delivery.channel}</span>
			</td>
			<td>
				<a class="row-link" href={to.delivery(delivery.id, { state: at.state, form: at.form, page: at.page })}>
					<bdi>{delivery.destination}</bdi>
				</a>
				{delivery.lastError && <span class="error-text small">{delivery.lastError}</span>}
			</td>
			<td class="col-wide">
				<bdi>{formOf(delivery.form)?.name ?? ''}</bdi>
			</td>
			<td>
				<DeliveryStateChip state={delivery.state} />
			</td>
			<td class="number col-wide">{delivery.attempts}</td>
			<td class="col-wide muted nowrap">
				{delivery.nextAttemptAt && delivery.state === 'waiting' ? <Time iso={delivery.nextAttemptAt} /> : '—'}
			</td>
			<td class="col-time muted">
				<Time iso={delivery.createdAt} />
			</td>
		</tr>
	);
}

function DeliveryTable({ list, at }: { list: Delivery[]; at: Place }) {
	return (
		<div class="table-card">
			<table class="table deliveries-table">
				<caption class="visually-hidden">Deliveries</caption>
				<thead>
					<tr>
						<th scope="col" class="col-control">
							<span class="visually-hidden">Channel</span>
						</th>
						<th scope="col">To</th>
						<th scope="col" class="col-wide">
							Form
						</th>
						<th scope="col">State</th>
						<th scope="col" class="number col-wide">
							Attempts
						</th>
						<th scope="col" class="col-wide">
							Next try
						</th>
						<th scope="col" class="col-time">
							Created
						</th>
					</tr>
				</thead>
				<tbody>
					{list.map((delivery) => (
						<DeliveryRow key={delivery.id} delivery={delivery} at={at} />
					))}
				</tbody>
			</table>
		</div>
	);
}

/** A notice if mail as a whole is not being sent. */
function MailState({ mail }: { mail: DeliveryList['mail'] }) {
	if (!mail.isSet) {
		return (
			<p class="notice warning">
				<Icon name="warning" />
				<span>
					No mail server is configured, so mails are withheld. <a href={to.settings()}>How to set one</a>
				</span>
			</p>
		);
	}
	if (mail.heldSince === null) return null;
	return (
		<p class="notice warning" role="status">
			<Icon name="warning" />
			<span>
				Mail is held back: {mail.heldReason}
				<br />
				Began <Time iso={mail.heldSince} />
				{mail.nextProbeAt && (
					<>
						{', next try '}
						<Time iso={mail.nextProbeAt} />
					</>
				)}
			</span>
		</p>
	);
}

/** The forms above their hourly mail cap, since when, and when their digest is sent. */
function Digests({ digests }: { digests: DeliveryList['digests'] }) {
	return digests.map(({ delivery, form, since, goesAt }) => (
		<p key={delivery} class="notice" role="status">
			<Icon name="mail" />
			<span>
				<bdi>{formOf(form)?.name ?? ''}</bdi> reached its hourly mail limit <Time iso={since} />. Later submissions are
				collected: <a href={to.delivery(delivery)}>one mail about all of them</a> goes <Time iso={goesAt} />. Each
				submission is in the inbox as ever.
			</span>
		</p>
	));
}

export function Deliveries({ at }: { at: Place }) {
	const query = queryOf(at);
	const { data, error, reload } = useQuery(JSON.stringify(query), () => api.deliveries.list(query));
	const list = data?.deliveries ?? [];
	useEffect(
		() =>
			onLiveEvent((event) => {
				if (event.type === 'delivery' || event.type === 'resumed') reload();
			}),
		[reload],
	);
	const retryFailed = async () => {
		try {
			const { retried } = await api.deliveries.retryAll({ state: 'failed', form: query.form });
			showToast(retried === 0 ? 'Nothing has failed.' : `Trying again: ${formatCount(retried)}.`);
			reload();
		} catch (cause) {
			showError(cause);
		}
	};
	return (
		<Page
			title="Deliveries"
			intro="Mails and webhook requests. Failed ones are retried for days before they are given up."
			actions={
				<button type="button" class="button" onClick={retryFailed}>
					<Icon name="refresh" />
					Retry all failed
				</button>
			}
		>
			{data && <MailState mail={data.mail} />}
			{data && <Digests digests={data.digests} />}
			<Filters at={at} />
			{error !== undefined && data === undefined && <LoadFailure error={error} onRetry={reload} />}
			{data && list.length === 0 && (
				<EmptyState icon="send" title={at.state ? 'None in this state' : 'No deliveries yet'}>
					<p>
						Give a form a notification address or a webhook; every mail and webhook request is listed here, with its
						state.
					</p>
				</EmptyState>
			)}
			{list.length > 0 && <DeliveryTable list={list} at={at} />}
			{data && (
				<Pager
					pagination={data.pagination}
					addressOf={(page) => to.deliveries({ state: at.state, form: at.form, page })}
				/>
			)}
			{at.delivery && (
				<DeliveryDialog
					key={at.delivery}
					id={at.delivery}
					onRetried={reload}
					onClose={() => navigate(to.deliveries({ state: at.state, form: at.form, page: at.page }))}
				/>
			)}
		</Page>
	);
}
