/** The list of API keys, which can be created and revoked. */

import { useState } from 'preact/hooks';
import * as api from '../api.ts';
import type { ApiKey } from '../api-types.ts';
import { Button } from '../components/buttons.tsx';
import { ConfirmDialog, SecretDialog } from '../components/dialogs.tsx';
import { EmptyState, Loaded } from '../components/messages.tsx';
import { Page } from '../components/page.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { shortDate } from '../format.ts';
import { formOf } from '../state/forms.ts';
import { session } from '../state/session.ts';
import { showToast } from '../state/toasts.ts';
import { useQuery } from '../use-query.ts';
import { NewKeyDialog } from './keys/new-key-dialog.tsx';

const isLive = ({ revokedAt }: ApiKey) => revokedAt === null;

function State({ apiKey: key }: { apiKey: ApiKey }) {
	if (!isLive(key)) return <span class="chip bad">Revoked</span>;
	if (!key.expiresAt) return <span class="chip good">Active</span>;
	const isExpired = new Date(key.expiresAt).getTime() < Date.now();
	return (
		<>
			<span class={isExpired ? 'chip warn' : 'chip good'}>{isExpired ? 'Expired' : 'Active'}</span>
			<span class="muted small nowrap"> until {shortDate(key.expiresAt)}</span>
		</>
	);
}

function scopeOf(key: ApiKey): string {
	const names = key.forms?.map((id) => `“${formOf(id)?.name ?? id}”`);
	if (names) return `${key.permissions.join(', ')}: ${names.join(', ')} only`;
	return key.permissions.includes('admin') ? 'Everything' : key.permissions.join(', ');
}

/** The name of a key, and below it how the key begins. */
export function KeyName({ name, display }: { name: string; display?: string }) {
	return (
		<>
			<bdi class="strong">{name}</bdi>
			{display && <span class="muted mono small nowrap">{display}</span>}
		</>
	);
}

function KeyTable({ list, onRevoke }: { list: ApiKey[]; onRevoke: (key: ApiKey) => void }) {
	if (list.length === 0) {
		return (
			<EmptyState icon="key" title="No keys yet">
				<p>Create one for each program that uses the API, with only the permissions that it needs.</p>
			</EmptyState>
		);
	}
	const columns: Column<ApiKey>[] = [
		{ head: 'Key', cell: ({ name, display }) => <KeyName name={name || 'Unnamed'} display={display} /> },
		{ head: 'May', class: 'col-wide', cell: (key) => <bdi>{scopeOf(key)}</bdi> },
		{ head: 'State', cell: (key) => <State apiKey={key} /> },
		{
			head: 'Last used',
			class: 'col-wide muted',
			cell: ({ lastUsedAt }) => (lastUsedAt ? <Time iso={lastUsedAt} /> : 'Never used'),
		},
		{ head: 'Created', class: 'col-wide muted', cell: ({ createdAt }) => <Time iso={createdAt} /> },
		{
			head: 'Actions',
			isHeadHidden: true,
			class: 'col-action',
			cell: (key) =>
				isLive(key) && (
					<Button
						label="Revoke"
						look="small"
						onClick={() => onRevoke(key)}
						aria-label={`Revoke ${key.name || key.display}`}
					/>
				),
		},
	];
	return <Table name="API keys" columns={columns} rows={list} rowClass={(key) => (isLive(key) ? '' : 'paused')} />;
}

export function Keys() {
	const query = useQuery('keys', api.keys.list);
	const [isMaking, setMaking] = useState(false);
	const [secret, setSecret] = useState('');
	const [doomed, setDoomed] = useState<ApiKey | undefined>(undefined);
	const mode = session.value?.mode;
	const revoke = async (key: ApiKey) => {
		await api.keys.revoke(key.id);
		showToast('The key no longer works.');
		query.reload();
	};
	return (
		<Page
			title="API keys"
			intro={`Programs use the API with a key. A ${mode} key sees the ${mode} forms only.`}
			actions={<Button label="New key" icon="plus" look="primary" onClick={() => setMaking(true)} />}
		>
			<Loaded query={query}>{({ keys }) => <KeyTable list={keys} onRevoke={setDoomed} />}</Loaded>
			{isMaking && (
				<NewKeyDialog
					onClose={() => setMaking(false)}
					onMade={(key) => {
						setMaking(false);
						setSecret(key);
						query.reload();
					}}
				/>
			)}
			{secret && (
				<SecretDialog title="Your new key" secret={secret} what="the key" onClose={() => setSecret('')}>
					<p>Copy it now: only its hash is stored, so it can never be shown again.</p>
				</SecretDialog>
			)}
			{doomed && (
				<ConfirmDialog
					title="Revoke this key?"
					verb="Revoke"
					onConfirm={() => revoke(doomed)}
					onClose={() => setDoomed(undefined)}
				>
					<p>
						<strong>{doomed.name || 'Unnamed'}</strong> <code>{doomed.display}</code> stops working at once, and so do
						dashboard sessions opened with it.
					</p>
				</ConfirmDialog>
			)}
		</Page>
	);
}
