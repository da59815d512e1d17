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
import * as words from '../sentences/more-words.ts';
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
			<Tile name={words.server.health} note={health === 'ok' ? undefined : health}>
				<span class={health === 'ok' ? 'chip good' : 'chip bad'}>
					{health === 'ok' ? words.server.allWell : words.server.needsAttention}
				</span>
			</Tile>
			{clock.latest !== null && (
				<Tile name={words.server.clock} note={clock.latest}>
					{clock.problem === null ? words.server.clockWasSet : words.server.clockMayBeWrong}
				</Tile>
			)}
			<Tile name={words.server.version} note={words.server.upFor(formatDuration(status.uptimeSeconds))}>
				{status.version}
			</Tile>
			<Tile
				name={words.server.database}
				note={database.freeBytes === null ? undefined : words.server.freeOnDisk(roughSize(database.freeBytes))}
			>
				{roughSize(database.sizeBytes + database.walBytes)}
			</Tile>
			{backup && (
				<Tile
					name={words.server.lastBackup}
					note={
						backup.everySeconds === null ? undefined : words.server.backupEvery(formatDuration(backup.everySeconds))
					}
				>
					{backup.lastAt === null ? words.server.noBackup : <Time iso={backup.lastAt} />}
				</Tile>
			)}
			<Tile
				name={words.server.deliveriesWaiting}
				note={<a href={to.deliveries({ state: 'failed' })}>{words.server.failed(queue.failed)}</a>}
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
				{words.server.noMailServer(<code>FORMSRV_SMTP_URL</code>, <code>FORMSRV_MAIL_FROM</code>)}
			</Notice>
		);
	}
	if (session.value?.mode === 'test') {
		return <p class="muted">{words.server.testModeMail}</p>;
	}
	return (
		<form class="stack" onSubmit={run} noValidate>
			<p class="muted">
				{words.server.mailsComeFrom((fallback) => (
					<bdi>{mail.from ?? fallback}</bdi>
				))}
			</p>
			<div class="inline-form row wrap">
				<Field
					label={words.server.sendTestTo}
					type="email"
					value={address}
					onInput={setAddress}
					placeholder={words.server.addressExample}
				/>
				<Button
					label={isBusy ? words.controls.sending : words.controls.send}
					type="submit"
					disabled={isBusy || address.trim() === ''}
				/>
			</div>
			<ActionFailure error={error} />
			{reply && (
				<Notice tone="good" role="status">
					{words.server.accepted(reply)}
				</Notice>
			)}
		</form>
	);
}

const SETTING_COLUMNS: Column<Status['settings'][number]>[] = [
	{ head: words.server.setting, cell: ({ name }) => <span class="mono small">{name}</span> },
	{
		head: words.server.value,
		cell: ({ value, source }) => (
			<span class={source === 'default' ? 'mono small break muted' : 'mono small break'}>{value}</span>
		),
	},
	{ head: words.server.from, class: 'col-wide muted small', cell: ({ source }) => source },
];

export function Settings() {
	const query = useQuery('status', readStatus);
	return (
		<Page title={words.frame.server} intro={words.server.intro}>
			<Loaded query={query}>
				{(status) => (
					<>
						<Tiles status={status} />
						<section class="card stack">
							<h2>{words.server.mail}</h2>
							<MailTest mail={status.mail} />
						</section>
						<FilesUse files={status.files} />
						<SpamLists />
						<Sessions />
						<section class="stack">
							<h2>{words.server.settings}</h2>
							<Table
								name={words.server.settings}
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
