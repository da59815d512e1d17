/** Actions on the selected submissions, or on all that match the query. */

import { useState } from 'preact/hooks';
import { formatCount, plural } from '../../../../text/plural.ts';
import * as api from '../../api.ts';
import type { Flags } from '../../api-types.ts';
import { Button, IconButton } from '../../components/buttons.tsx';
import { ConfirmDialog } from '../../components/dialogs.tsx';
import { selectionOf } from '../../inbox-query.ts';
import type { Inbox, InboxProps } from '../../state/inbox.ts';
import { markGenuine, removeAll, removeLater, setFlags, setFlagsOfAll } from '../../state/inbox-actions.ts';
import { may } from '../../state/session.ts';
import { showError } from '../../state/toasts.ts';

function Count({ inbox }: { inbox: Inbox }) {
	const isWholePage = inbox.selected.value.size === inbox.rows.value.length;
	const total = inbox.total.value;
	if (inbox.isAllSelected.value) return <span class="strong">All {formatCount(total)} selected</span>;
	return (
		<>
			<span class="strong">{formatCount(inbox.selected.value.size)} selected</span>
			{isWholePage && total > inbox.rows.value.length && (
				<button
					type="button"
					class="link"
					onClick={() => {
						inbox.isAllSelected.value = true;
					}}
				>
					Select all {formatCount(total)}
				</button>
			)}
		</>
	);
}

export function BulkBar({ inbox, query }: InboxProps) {
	const [doomed, setDoomed] = useState<number | undefined>(undefined);
	const ids = [...inbox.selected.value];
	if (ids.length === 0) return null;
	const rows = inbox.rows.value.filter(({ id }) => inbox.selected.value.has(id));
	const set = (flags: Partial<Flags>) => {
		if (inbox.isAllSelected.value) setFlagsOfAll(inbox, selectionOf(query), flags).catch(showError);
		else void setFlags(inbox, rows, flags);
		inbox.selectPage(false);
	};
	const remove = () => {
		if (!inbox.isAllSelected.value) return removeLater(inbox, ids);
		// The server's number is of this moment; that of the list may be older.
		const counted = api.submissions.countMany(inbox.formId, selectionOf(query));
		counted.then(({ matched }) => setDoomed(matched)).catch(showError);
	};
	const isSpam = query.filter === 'spam';
	const allStarred = rows.every((row) => row.isStarred);
	return (
		<div class="bulk-bar row wrap" role="toolbar" aria-label="Selected submissions">
			<Count inbox={inbox} />
			<div class="row tight end">
				{may('write') && (
					<>
						<IconButton icon="read" label="Mark read" onClick={() => set({ isRead: true })} />
						<IconButton icon="mail" label="Mark unread" onClick={() => set({ isRead: false })} />
						<IconButton
							icon="star"
							label={allStarred ? 'Unstar' : 'Star'}
							hotkey="s"
							onClick={() => set({ isStarred: !allStarred })}
						/>
						<Button
							look="small"
							icon={isSpam ? 'inbox' : 'ban'}
							label={isSpam ? 'Not spam' : 'Spam'}
							onClick={() => set({ isSpam: !isSpam })}
						/>
						{!isSpam && !inbox.isAllSelected.value && (
							<IconButton icon="check" label="Genuine" hotkey="+" onClick={() => void markGenuine(inbox, rows)} />
						)}
					</>
				)}
				{may('delete') && <IconButton icon="trash" label="Delete" hotkey="#" tone="danger" onClick={remove} />}
				<IconButton icon="x" label="Clear selection" onClick={() => inbox.selectPage(false)} />
			</div>
			{doomed !== undefined && (
				<ConfirmDialog
					title={`Delete ${plural(doomed, 'submission')}?`}
					verb="Delete all"
					typed="delete"
					onConfirm={() => removeAll(inbox, selectionOf(query))}
					onClose={() => setDoomed(undefined)}
				>
					<p>
						Every submission that matches the current filter and search will be deleted, with its files. A search also
						finds parts of words. This cannot be undone.
					</p>
				</ConfirmDialog>
			)}
		</div>
	);
}
