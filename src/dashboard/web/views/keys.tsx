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
import * as words from '../sentences/more-words.ts';
import { useKeptText } from '../state/draft.ts';
import { formOf } from '../state/forms.ts';
import { session } from '../state/session.ts';
import { showToast } from '../state/toasts.ts';
import { unsaved } from '../state/unsaved.ts';
import { useQuery } from '../use-query.ts';
import { NEW_KEY, NewKeyDialog } from './keys/new-key-dialog.tsx';

const isLive = ({ revokedAt }: ApiKey) => revokedAt === null;

function State({ apiKey: key }: { apiKey: ApiKey }) {
	if (!isLive(key)) return <span class="chip bad">{words.keys.revoked}</span>;
	if (!key.expiresAt) return <span class="chip good">{words.controls.active}</span>;
	const isExpired = new Date(key.expiresAt).getTime() < Date.now();
	return (
		<>
			<span class={isExpired ? 'chip warn' : 'chip good'}>
				{isExpired ? words.keys.expired : words.controls.active}
			</span>
			<span class="muted small nowrap">{words.keys.until(shortDate(key.expiresAt))}</span>
		</>
	);
}

function scopeOf(key: ApiKey): string {
	const names = key.forms?.map((id) => formOf(id)?.name ?? id);
	if (names) return words.keys.onlyForms(key.permissions.join(', '), names);
	return key.permissions.includes('admin') ? words.keys.everything : key.permissions.join(', ');
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
			<EmptyState icon="key" title={words.keys.noKeys}>
				<p>{words.keys.noKeysHint}</p>
			</EmptyState>
		);
	}
	const columns: Column<ApiKey>[] = [
		{
			head: words.keys.key,
			cell: ({ name, display }) => <KeyName name={name || words.keys.unnamed} display={display} />,
		},
		{ head: words.keys.may, class: 'col-wide', cell: (key) => <bdi>{scopeOf(key)}</bdi> },
		{ head: words.controls.state, cell: (key) => <State apiKey={key} /> },
		{
			head: words.keys.lastUsed,
			class: 'col-wide muted',
			cell: ({ lastUsedAt }) => (lastUsedAt ? <Time iso={lastUsedAt} /> : words.keys.neverUsed),
		},
		{ head: words.controls.created, class: 'col-wide muted', cell: ({ createdAt }) => <Time iso={createdAt} /> },
		{
			head: words.keys.actions,
			isHeadHidden: true,
			class: 'col-action',
			cell: (key) =>
				isLive(key) && (
					<Button
						label={words.keys.revoke}
						look="small"
						onClick={() => onRevoke(key)}
						aria-label={words.keys.revokeOf(key.name || key.display)}
					/>
				),
		},
	];
	return (
		<Table name={words.frame.apiKeys} columns={columns} rows={list} rowClass={(key) => (isLive(key) ? '' : 'paused')} />
	);
}

export function Keys() {
	const query = useQuery('keys', api.keys.list);
	const [isMaking, setMaking] = useState(unsaved().has(NEW_KEY));
	const [secret, setSecret] = useKeptText('keySecret');
	const [doomed, setDoomed] = useState<ApiKey | undefined>(undefined);
	const mode = session.value?.mode;
	const revoke = async (key: ApiKey) => {
		await api.keys.revoke(key.id);
		showToast(words.keys.isRevoked);
		query.reload();
	};
	return (
		<Page
			title={words.frame.apiKeys}
			intro={words.keys.intro(mode)}
			actions={<Button label={words.keys.newKey} icon="plus" look="primary" onClick={() => setMaking(true)} />}
		>
			<Loaded query={query}>{({ keys }) => <KeyTable list={keys} onRevoke={setDoomed} />}</Loaded>
			{isMaking && (
				<NewKeyDialog
					onClose={() => setMaking(false)}
					onMade={({ key, email }) => {
						setMaking(false);
						if (key !== null) setSecret(key);
						else if (email !== null) showToast(words.keys.memberMade(email));
						query.reload();
					}}
				/>
			)}
			{secret && (
				<SecretDialog title={words.keys.yourKey} secret={secret} what={words.keys.theKey} onClose={() => setSecret('')}>
					<p>{words.keys.shownOnce}</p>
				</SecretDialog>
			)}
			{doomed && (
				<ConfirmDialog
					title={words.keys.revokeQuestion}
					verb={words.keys.revoke}
					onConfirm={() => revoke(doomed)}
					onClose={() => setDoomed(undefined)}
				>
					<p>
						{words.keys.revokeWarning(
							<strong>{doomed.name || words.keys.unnamed}</strong>,
							<code>{doomed.display}</code>,
						)}
					</p>
				</ConfirmDialog>
			)}
		</Page>
	);
}
