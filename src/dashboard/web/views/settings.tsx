/** Health of the server, sessions, and settings in force. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import * as api from '../api.ts';
import type { Status } from '../api-types.ts';
import { Field } from '../components/field.tsx';
import { LoadFailure } from '../components/load-failure.tsx';
import { Page } from '../components/page.tsx';
import { formatBytes, formatCount, formatDuration } from '../format.ts';
import { to } from '../router.ts';
import { session } from '../state/session.ts';
import { useQuery } from '../use-query.ts';
import { Sessions } from './settings/sessions.tsx';

function Tile({ name, children, note }: { name: string; children: ComponentChildren; note?: ComponentChildren }) {
	return (
		<div class="tile">
			<dt>{name}</dt>
			<dd>
				<strong>{children}</strong>
				{note && <span class="muted small">{note}</span>}
			</dd>
		</div>
	);
}

function Tiles({ status }: { status: Status }) {
	const { clock, database, queue, health } = status;
	return (
		<dl class="tiles">
			<Tile name="Health" note={health === 'ok' ? undefined : health}>
				<span class={health === 'ok' ? 'chip good' : 'chip bad'}>
					{health === 'ok' ? 'All well' : 'Needs attention'}
				</span>
			</Tile>
			{clock.latest !== null && (
				<Tile name="Clock" note={clock.latest}>
					{clock.problem === null ? 'Was set' : 'May be wrong'}
				</Tile>
			)}
			<Tile name="Version" note={`up for ${formatDuration(status.uptimeSeconds)}`}>
				{status.version}
			</Tile>
			<Tile name="Database" note={`${formatBytes(database.freeBytes)} free on the disk`}>
				{formatBytes(database.sizeBytes + database.walBytes)}
			</Tile>
			<Tile
				name="Deliveries waiting"
				note={<a href={to.deliveries({ state: 'failed' })}>{formatCount(queue.failed)} failed</a>}
			>
				{formatCount(queue.waiting)}
			</Tile>
		</dl>
	);
}

function MailTest({ mail }: { mail: Status['mail'] }) {
	const [address, setAddress] = useState('');
	const [outcome, setOutcome] = useState<{ text: string; isGood: boolean } | undefined>(undefined);
	const [isBusy, setBusy] = useState(false);
	const send = async (event: Event) => {
		event.preventDefault();
		setBusy(true);
		setOutcome(undefined);
		try {
			const { reply } = await api.server.testMail(address.trim());
			setOutcome({ text: `The mail server took it (${reply}). Look into the mailbox.`, isGood: true });
		} catch (error) {
			setOutcome({ text: error instanceof Error ? error.message : 'The test mail could not be sent.', isGood: false });
		}
		setBusy(false);
	};
	if (!mail.configured) {
		return (
			<p class="notice warning">
				<span>
					No mail server is set, so no notifications are sent. Set <code>FORMSRV_SMTP_URL</code> and{' '}
					<code>FORMSRV_MAIL_FROM</code>, then restart.
				</span>
			</p>
		);
	}
	if (session.value?.mode === 'test') {
		return <p class="muted">Test mode sends nothing. Switch to live to send a test mail.</p>;
	}
	return (
		<form class="stack" onSubmit={send} noValidate>
			<p class="muted">
				Mails come from <bdi>{mail.from ?? 'the server'}</bdi>.
			</p>
			<div class="inline-form">
				<Field
					label="Send a test mail to"
					type="email"
					value={address}
					onInput={setAddress}
					placeholder="you@example.com"
				/>
				<button type="submit" class="button" disabled={isBusy || address.trim() === ''}>
					{isBusy ? 'Sending…' : 'Send'}
				</button>
			</div>
			{outcome && (
				<p class={outcome.isGood ? 'notice good' : 'notice bad'} role="status">
					{outcome.text}
				</p>
			)}
		</form>
	);
}

function SettingsTable({ settings }: { settings: Status['settings'] }) {
	return (
		<div class="table-card">
			<table class="table settings-table">
				<caption class="visually-hidden">Settings in force</caption>
				<thead>
					<tr>
						<th scope="col">Setting</th>
						<th scope="col">Value</th>
						<th scope="col" class="col-wide">
							From
						</th>
					</tr>
				</thead>
				<tbody>
					{settings.map(({ name, value, source }) => (
						<tr key={name}>
							<td class="mono small">{name}</td>
							<td class={source === 'default' ? 'mono small break muted' : 'mono small break'}>{value}</td>
							<td class="col-wide muted small">{source}</td>
						</tr>
					))}
				</tbody>
			</table>
		</div>
	);
}

export function Settings() {
	const { data: status, error, reload } = useQuery('status', api.server.status);
	return (
		<Page
			title="Server"
			intro="Health, sessions and settings. Settings are changed where the server is started, never here."
		>
			{error !== undefined && status === undefined && <LoadFailure error={error} onRetry={reload} />}
			{status && (
				<>
					<Tiles status={status} />
					<section class="card stack">
						<h2>Mail</h2>
						<MailTest mail={status.mail} />
					</section>
					<Sessions />
					<section class="stack">
						<h2>Settings in force</h2>
						<SettingsTable settings={status.settings} />
					</section>
				</>
			)}
		</Page>
	);
}
