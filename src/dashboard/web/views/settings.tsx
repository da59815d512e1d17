/** Health of the server, sessions, and settings in force. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { roughSize } from '../../../text/byte-sizes.ts';
import { formatCount } from '../../../text/plural.ts';
import * as api from '../api.ts';
import type { Status } from '../api-types.ts';
import { Button } from '../components/buttons.tsx';
import { Field } from '../components/inputs.tsx';
import { ActionFailure, Loaded, Notice } from '../components/messages.tsx';
import { Page } from '../components/page.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { formatDuration } from '../format.ts';
import { to } from '../router.ts';
import { readStatus } from '../state/health.ts';
import { session } from '../state/session.ts';
import { useAction } from '../use-action.ts';
import { useQuery } from '../use-query.ts';
import { SpamLists } from './form-settings/spam-lists.tsx';
import { FilesUse } from './settings/files-use.tsx';
import { Sessions } from './settings/sessions.tsx';

function Tile({ name, children, note }: { name: string; children: ComponentChildren; note?: ComponentChildren }) {
	return (
		<div class="tile card">
			<dt class="muted small">{name}</dt>
			<dd class="stack tight">
				<strong>{children}</strong>
				{note && <span class="muted small">{note}</span>}
			</dd>
		</div>
	);
}

function Tiles({ status }: { status: Status }) {
	const { backup, clock, database, queue, health } = status;
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
			<Tile
				name="Database"
				note={database.freeBytes === null ? undefined : `${roughSize(database.freeBytes)} free on the disk`}
			>
				{roughSize(database.sizeBytes + database.walBytes)}
			</Tile>
			{backup && (
				<Tile
					name="Last backup"
					note={backup.everySeconds === null ? undefined : `one every ${formatDuration(backup.everySeconds)}`}
				>
					{backup.lastAt === null ? 'None yet' : <Time iso={backup.lastAt} />}
				</Tile>
			)}
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
	const [reply, setReply] = useState('');
	const { run, isBusy, error } = useAction(async () => {
		setReply('');
		setReply((await api.server.testMail(address.trim())).reply);
	});
	if (!mail.configured) {
		return (
			<Notice tone="warning">
				No mail server is set, so no notifications are sent. Set <code>FORMSRV_SMTP_URL</code> and{' '}
				<code>FORMSRV_MAIL_FROM</code>, then restart.
			</Notice>
		);
	}
	if (session.value?.mode === 'test') {
		return <p class="muted">Test mode sends nothing. Switch to live to send a test mail.</p>;
	}
	return (
		<form class="stack" onSubmit={run} noValidate>
			<p class="muted">
				Mails come from <bdi>{mail.from ?? 'the server'}</bdi>.
			</p>
			<div class="inline-form row wrap">
				<Field
					label="Send a test mail to"
					type="email"
					value={address}
					onInput={setAddress}
					placeholder="you@example.com"
				/>
				<Button label={isBusy ? 'Sending…' : 'Send'} type="submit" disabled={isBusy || address.trim() === ''} />
			</div>
			<ActionFailure error={error} />
			{reply && (
				<Notice tone="good" role="status">
					The mail server accepted it ({reply}). Look into the mailbox.
				</Notice>
			)}
		</form>
	);
}

const SETTING_COLUMNS: Column<Status['settings'][number]>[] = [
	{ head: 'Setting', cell: ({ name }) => <span class="mono small">{name}</span> },
	{
		head: 'Value',
		cell: ({ value, source }) => (
			<span class={source === 'default' ? 'mono small break muted' : 'mono small break'}>{value}</span>
		),
	},
	{ head: 'From', class: 'col-wide muted small', cell: ({ source }) => source },
];

export function Settings() {
	const query = useQuery('status', readStatus);
	return (
		<Page
			title="Server"
			intro="Health, sessions and settings. Settings are changed where the server is started, never here."
		>
			<Loaded query={query}>
				{(status) => (
					<>
						<Tiles status={status} />
						<section class="card stack">
							<h2>Mail</h2>
							<MailTest mail={status.mail} />
						</section>
						<FilesUse files={status.files} />
						<SpamLists />
						<Sessions />
						<section class="stack">
							<h2>Settings in force</h2>
							<Table
								name="Settings in force"
								columns={SETTING_COLUMNS}
								rows={status.settings.map((setting) => ({ id: setting.name, ...setting }))}
							/>
						</section>
					</>
				)}
			</Loaded>
		</Page>
	);
}
