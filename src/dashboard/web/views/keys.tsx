/** The list of API keys, which can be created and revoked. */

import { useState } from 'preact/hooks';
import * as api from '../api.ts';
import type { ApiKey } from '../api-types.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { Icon } from '../components/icon.tsx';
import { LoadFailure } from '../components/load-failure.tsx';
import { Page } from '../components/page.tsx';
import { SecretDialog } from '../components/secret-dialog.tsx';
import { Time } from '../components/time.tsx';
import { shortDate } from '../format.ts';
import { formOf } from '../state/forms.ts';
import { session } from '../state/session.ts';
import { showToast } from '../state/toasts.ts';
import { useQuery } from '../use-query.ts';
import { NewKeyDialog } from './keys/new-key-dialog.tsx';

function stateOf(key: ApiKey): { label: string; tone: string } {
	if (key.revokedAt) return { label: 'Revoked', tone: 'chip bad' };
	if (key.expiresAt && new Date(key.expiresAt).getTime() < Date.now()) return { label: 'Expired', tone: 'chip warn' };
	return { label: 'Active', tone: 'chip good' };
}

function scopeOf(key: ApiKey): string {
	if (key.form) return `Reads “${formOf(key.form)?.name ?? key.form}”`;
	return key.permissions.includes('admin') ? 'Everything' : key.permissions.join(', ');
}

function KeyRow({ apiKey, onRevoke }: { apiKey: ApiKey; onRevoke: () => void }) {
	const state = stateOf(apiKey);
	const isLive = apiKey.revokedAt === null;
	return (
		<tr class={isLive ? '' : 'paused'}>
			<td>
				<bdi class="strong">{apiKey.name || 'Unnamed'}</bdi>
				<span class="muted mono small nowrap">{apiKey.display}</span>
			</td>
			<td class="col-wide">
				<bdi>{scopeOf(apiKey)}</bdi>
			</td>
			<td>
				<span class={state.tone}>{state.label}</span>
				{isLive && apiKey.expiresAt && <span class="muted small nowrap"> until {shortDate(apiKey.expiresAt)}</span>}
			</td>
			<td class="col-wide muted">{apiKey.lastUsedAt ? <Time iso={apiKey.lastUsedAt} /> : 'Never used'}</td>
			<td class="col-wide muted">
				<Time iso={apiKey.createdAt} />
			</td>
			<td class="col-action">
				{isLive && (
					<button
						type="button"
						class="button small"
						onClick={onRevoke}
						aria-label={`Revoke ${apiKey.name || apiKey.display}`}
					>
						Revoke
					</button>
				)}
			</td>
		</tr>
	);
}

function KeyTable({ list, onRevoke }: { list: ApiKey[]; onRevoke: (key: ApiKey) => void }) {
	return (
		<div class="table-card">
			<table class="table">
				<caption class="visually-hidden">API keys</caption>
				<thead>
					<tr>
						<th scope="col">Key</th>
						<th scope="col" class="col-wide">
							May
						</th>
						<th scope="col">State</th>
						<th scope="col" class="col-wide">
							Last used
						</th>
						<th scope="col" class="col-wide">
							Created
						</th>
						<th scope="col" class="col-action">
							<span class="visually-hidden">Actions</span>
						</th>
					</tr>
				</thead>
				<tbody>
					{list.map((key) => (
						<KeyRow key={key.id} apiKey={key} onRevoke={() => onRevoke(key)} />
					))}
				</tbody>
			</table>
		</div>
	);
}

export function Keys() {
	const { data, error, reload } = useQuery('keys', api.keys.list);
	const [isMaking, setMaking] = useState(false);
	const [secret, setSecret] = useState('');
	const [doomed, setDoomed] = useState<ApiKey | undefined>(undefined);
	const mode = session.value?.mode;
	const revoke = async (key: ApiKey) => {
		await api.keys.revoke(key.id);
		showToast('The key no longer works.');
		reload();
	};
	return (
		<Page
			title="API keys"
			intro={`Programs use the API with a key. A ${mode} key sees the ${mode} forms only.`}
			actions={
				<button type="button" class="button primary" onClick={() => setMaking(true)}>
					<Icon name="plus" />
					New key
				</button>
			}
		>
			{error !== undefined && data === undefined && <LoadFailure error={error} onRetry={reload} />}
			{data?.keys.length === 0 && (
				<EmptyState icon="key" title="No keys yet">
					<p>Create one for each program that uses the API, with only the permissions that it needs.</p>
				</EmptyState>
			)}
			{data && data.keys.length > 0 && <KeyTable list={data.keys} onRevoke={setDoomed} />}
			{isMaking && (
				<NewKeyDialog
					onClose={() => setMaking(false)}
					onMade={(key) => {
						setMaking(false);
						setSecret(key);
						reload();
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
