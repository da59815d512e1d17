/** Actions on the selected submissions, or on all that match the query. */

import { useState } from 'preact/hooks';
import * as api from '../../api.ts';
import type { Flags } from '../../api-types.ts';
import { Button, IconButton } from '../../components/buttons.tsx';
import { ConfirmDialog } from '../../components/dialogs.tsx';
import { FLAG_BUTTONS, FLAG_LOOKS } from '../../flags.ts';
import * as words from '../../sentences/words.ts';
import type { Inbox, InboxProps } from '../../state/inbox.ts';
import { markGenuine, removeAll, removeLater, setFlags, setFlagsOfAll } from '../../state/inbox-actions.ts';
import { may } from '../../state/session.ts';
import { showError } from '../../state/toasts.ts';
import { FlagButton } from './flag-button.tsx';

/** The others: selected ones may be read in part, which takes two buttons, and the button of spam has its name. */
const TOGGLES = FLAG_BUTTONS.filter((name) => name !== 'isRead' && name !== 'isSpam');

function Count({ inbox }: { inbox: Inbox }) {
	const isWholePage = inbox.selected.value.size === inbox.rows.value.length;
	const total = inbox.total.value;
	const all = inbox.all.value;
	if (all) return <span class="strong">{words.inbox.allSelected(all.total)}</span>;
	return (
		<>
			<span class="strong">{words.inbox.selected(inbox.selected.value.size)}</span>
			{isWholePage && total > inbox.rows.value.length && (
				<button type="button" class="link" onClick={() => inbox.selectAll().catch(showError)}>
					{words.inbox.selectAll(total)}
				</button>
			)}
		</>
	);
}

export function BulkBar({ inbox, query }: InboxProps) {
	const [doomed, setDoomed] = useState<number | undefined>(undefined);
	const ids = [...inbox.selected.value];
	if (ids.length === 0) return null;
	const all = inbox.all.value;
	const rows = inbox.rows.value.filter(({ id }) => inbox.selected.value.has(id));
	const set = (flags: Partial<Flags>) => {
		if (all) setFlagsOfAll(inbox, all.target, flags).catch(showError);
		else void setFlags(inbox, rows, flags);
		inbox.selectPage(false);
	};
	const remove = () => {
		if (!all) return removeLater(inbox, ids);
		// The server's number is of this moment; some may be gone since they were selected.
		const counted = api.submissions.countMany(inbox.formId, all.target);
		counted.then(({ matched }) => setDoomed(matched)).catch(showError);
	};
	const isSpam = query.filter === 'spam';
	return (
		<div class="bulk-bar row wrap" role="toolbar" aria-label={words.inbox.selectedSubmissions}>
			<Count inbox={inbox} />
			<div class="row tight end">
				{may('write') && query.filter !== 'pending' && (
					<>
						<IconButton icon="read" label={words.inbox.flags.isRead[0]} onClick={() => set({ isRead: true })} />
						<IconButton icon="mail" label={words.inbox.flags.isRead[1]} onClick={() => set({ isRead: false })} />
						{TOGGLES.filter((name) => !(isSpam && FLAG_LOOKS[name].isNotOfSpam)).map((name) => {
							const isOn = rows.every((row) => row[name]);
							return <FlagButton key={name} name={name} isOn={isOn} onClick={() => set({ [name]: !isOn })} />;
						})}
						<Button
							look="small"
							icon={isSpam ? 'inbox' : 'ban'}
							label={isSpam ? words.inbox.flags.isSpam[1] : words.inbox.flags.isSpam[0]}
							onClick={() => set({ isSpam: !isSpam })}
						/>
						{!isSpam && !all && (
							<IconButton
								icon="check"
								label={words.inbox.genuine}
								hotkey="+"
								onClick={() => void markGenuine(inbox, rows)}
							/>
						)}
					</>
				)}
				{may('delete') && (
					<IconButton icon="trash" label={words.inbox.remove} hotkey="#" tone="danger" onClick={remove} />
				)}
				<IconButton icon="x" label={words.inbox.clearSelection} onClick={() => inbox.selectPage(false)} />
			</div>
			{doomed !== undefined && all && (
				<ConfirmDialog
					title={words.inbox.removeQuestion(doomed)}
					verb={words.inbox.removeAll}
					typed={words.inbox.removeWord}
					onConfirm={() => removeAll(inbox, all.target)}
					onClose={() => setDoomed(undefined)}
				>
					<p>{words.inbox.removeWarning}</p>
				</ConfirmDialog>
			)}
		</div>
	);
}
