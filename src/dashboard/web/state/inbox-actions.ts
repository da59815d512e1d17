/** Actions on submissions: flags apply at once and can be undone; deletion waits for its toast. */

import { type FlagName, OWN_WORDS } from '../../../storage/owned.ts';
import { pickNames } from '../../../text/map-names.ts';
import * as api from '../api.ts';
import type { Flags, Selection, Submission } from '../api-types.ts';
import { FLAG_LOOKS } from '../flags.ts';
import * as words from '../sentences/words.ts';
import { refreshFormsSoon } from './forms.ts';
import type { Inbox } from './inbox.ts';
import { session } from './session.ts';
import { showError, showToast } from './toasts.ts';

/** Returns whether a submission leaves the list by it. */
export const movesAway = (flags: Partial<Flags>): boolean =>
	(Object.keys(flags) as FlagName[]).some((flag) => FLAG_LOOKS[flag].movesAway);

function describe(count: number, flags: Partial<Flags>): string {
	const [flag, isOn] = Object.entries(flags)[0] as [FlagName, boolean];
	return words.inbox.changed(count, flag, isOn);
}

function send(formId: string, ids: string[], flags: Partial<Flags>): Promise<unknown> {
	const [only] = ids;
	if (ids.length === 1 && only !== undefined) return api.submissions.update(formId, only, flags);
	return api.submissions.updateMany(formId, { ids }, { set: flags });
}

/** Restores the flags that `rows` had before. */
async function restore(inbox: Inbox, rows: Submission[], flags: Partial<Flags>): Promise<void> {
	inbox.unhide(rows.map(({ id }) => id));
	for (const flag of Object.keys(flags) as FlagName[]) {
		for (const value of [true, false]) {
			const ids = rows.filter((row) => row[flag] === value).map(({ id }) => id);
			if (ids.length === 0) continue;
			inbox.apply(new Set(ids), { [flag]: value });
			await send(inbox.formId, ids, { [flag]: value });
		}
	}
	refreshFormsSoon();
	await inbox.reload();
}

function sendWithheld(formId: string, ids: string[]): void {
	api.submissions
		.updateMany(formId, { ids }, { set: { isSpam: false }, sendWithheld: true })
		.then(() => showToast(words.inbox.notificationsSent))
		.catch(showError);
}

function toastFor(inbox: Inbox, rows: Submission[], flags: Partial<Flags>): void {
	const isQuiet = rows.length === 1 && !movesAway(flags);
	if (isQuiet) return;
	const ids = rows.map(({ id }) => id);
	const undo = { label: words.inbox.undo, run: () => void restore(inbox, rows, flags).catch(showError) };
	const release = { label: words.inbox.sendNotifications, run: () => sendWithheld(inbox.formId, ids) };
	// A form-level key marks, and sends nothing.
	const isRescue = flags.isSpam === false && !session.value?.form;
	showToast(describe(rows.length, flags), {
		actions: isRescue ? [undo, release] : [undo],
		lifeMs: isRescue ? 10_000 : undefined,
	});
}

/** Sets flags at once on the screen, then on the server; reverted if that fails. */
export async function setFlags(inbox: Inbox, rows: Submission[], flags: Partial<Flags>): Promise<void> {
	const ids = rows.map(({ id }) => id);
	if (ids.length === 0) return;
	inbox.apply(new Set(ids), flags);
	if (movesAway(flags)) inbox.hide(ids);
	try {
		await send(inbox.formId, ids, flags);
		toastFor(inbox, rows, flags);
		if (movesAway(flags)) await inbox.reloadAndUnhide(ids);
	} catch (error) {
		// The flags alone: meanwhile other things of them may have been set.
		for (const row of rows) inbox.apply(new Set([row.id]), pickNames(row, Object.keys(flags) as FlagName[]));
		inbox.unhide(ids);
		showError(error);
	}
	refreshFormsSoon();
}

/** Reads the words that owners have set, as they are stored; the view shows them. */
export async function readWords(inbox: Inbox, { id }: Submission): Promise<Submission> {
	const stored = await api.submissions.read(inbox.formId, id);
	inbox.apply(new Set([id]), pickNames(stored, OWN_WORDS));
	return stored;
}

/** Stores texts, or changes lists of words beside what others change of them. */
export async function setWords(inbox: Inbox, row: Submission, change: api.BulkChange): Promise<void> {
	await api.submissions.updateMany(inbox.formId, { ids: [row.id] }, change);
	await readWords(inbox, row);
}

/** Marks these as genuine, which the server learns from; they stay where they are. */
export async function markGenuine(inbox: Inbox, rows: Submission[]): Promise<void> {
	const ids = rows.map(({ id }) => id);
	try {
		await send(inbox.formId, ids, { isSpam: false });
		showToast(words.inbox.markedGenuine(rows.length));
	} catch (error) {
		showError(error);
	}
}

/** Counts the files of those submissions that are on the screen. */
function countFiles({ rows, current }: Inbox, ids: ReadonlySet<string>): number {
	const known = new Map(
		[...rows.value, ...(current.value ? [current.value] : [])].map((row) => [row.id, row.files.length]),
	);
	return [...known].reduce((sum, [id, count]) => (ids.has(id) ? sum + count : sum), 0);
}

/** Hides submissions now, and deletes them on the server when the toast expires. */
export function removeLater(inbox: Inbox, ids: string[]): void {
	if (ids.length === 0) return;
	const files = countFiles(inbox, new Set(ids));
	inbox.hide(ids);
	const commit = () =>
		api.submissions
			.removeMany(inbox.formId, { ids })
			.then(() => {
				refreshFormsSoon();
				return inbox.reloadAndUnhide(ids);
			})
			.catch((error: unknown) => {
				inbox.unhide(ids);
				showError(error);
			});
	showToast(words.inbox.removed(ids.length, files), {
		actions: [{ label: words.inbox.undo, run: () => inbox.unhide(ids) }],
		onExpire: commit,
	});
}

/** Sets flags of all submissions that match; cannot be undone. */
export async function setFlagsOfAll(inbox: Inbox, target: Selection, flags: Partial<Flags>): Promise<void> {
	const { updated } = await api.submissions.updateMany(inbox.formId, target, { set: flags });
	showToast(describe(updated, flags));
	refreshFormsSoon();
	await inbox.reload();
}

/** Deletes all submissions that match, at once: the caller has confirmed. */
export async function removeAll(inbox: Inbox, target: Selection): Promise<void> {
	const { deleted } = await api.submissions.removeMany(inbox.formId, target);
	inbox.selectPage(false);
	showToast(words.inbox.removed(deleted));
	refreshFormsSoon();
	await inbox.reload();
}
