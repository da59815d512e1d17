/** Keyboard shortcuts of the inbox: for the open submission, else the selected ones, else the one at the cursor. */

import type { FlagName } from '../../../../storage/owned.ts';
import type { Submission } from '../../api-types.ts';
import { FLAG_BUTTONS, FLAG_LOOKS } from '../../flags.ts';
import { navigate } from '../../location.ts';
import { type InboxQuery, to } from '../../router.ts';
import type { Bindings } from '../../shortcuts.ts';
import type { Inbox } from '../../state/inbox.ts';
import { markGenuine, movesAway, removeLater, setFlags } from '../../state/inbox-actions.ts';
import { may } from '../../state/session.ts';

/** The state of the inbox in the address. */
export interface Place {
	form: string;
	submission: string | null;
	query: InboxQuery;
}

/** The submission before or after the cursor, within the page. */
function neighbour(inbox: Inbox, step: 1 | -1): Submission | undefined {
	const last = inbox.rows.value.length - 1;
	const at = Math.min(last, Math.max(0, inbox.cursor.value + step));
	return inbox.rows.value[at];
}

/** Focuses a row of the table or list. */
export function focusRow(id: string): void {
	const links = document.querySelectorAll<HTMLElement>(`.row-link[data-id="${CSS.escape(id)}"]`);
	[...links].find((link) => link.checkVisibility())?.focus();
}

/** Moves the cursor; with a submission open, opens the neighbour instead. */
function step(inbox: Inbox, place: Place, by: 1 | -1): void {
	const row = neighbour(inbox, by);
	if (row === undefined) return;
	inbox.cursor.value = inbox.rows.value.indexOf(row);
	if (place.submission !== null) navigate(to.submission(place.form, row.id, place.query));
	else focusRow(row.id);
}

/** Where to go when the open submission leaves the list: the next one, else the one before, else the list. */
function leave(inbox: Inbox, place: Place): void {
	const at = inbox.rows.value.findIndex(({ id }) => id === place.submission);
	const next = inbox.rows.value[at + 1] ?? inbox.rows.value[at - 1];
	const isGone = at < 0 || next === undefined;
	navigate(isGone ? to.inbox(place.form, place.query) : to.submission(place.form, next.id, place.query));
}

export function inboxKeys(inbox: Inbox, place: Place): Bindings {
	const targets = (): Submission[] => {
		const open = inbox.current.value;
		if (place.submission !== null) return open ? [open] : [];
		// More than the rows of the page is selected, and no change of all can be undone: it takes a button.
		if (inbox.all.value) return [];
		const chosen = inbox.rows.value.filter(({ id }) => inbox.selected.value.has(id));
		const atCursor = inbox.rows.value[inbox.cursor.value];
		if (chosen.length > 0) return chosen;
		return atCursor ? [atCursor] : [];
	};
	/** Nothing that is pending, as by buttons: what is marked as spam loses its link, and an undo does not give that back. */
	const markable = (): Submission[] => {
		const rows = targets();
		return may('write') && !rows.some(({ isPending }) => isPending) ? rows : [];
	};
	/** Moves the focus to the next row when the focused row leaves the list. */
	const refocus = () => {
		const row = inbox.rows.value[Math.min(inbox.cursor.value, inbox.rows.value.length - 1)];
		if (place.submission === null && row) requestAnimationFrame(() => focusRow(row.id));
	};
	const toggle = (flag: FlagName) => {
		const rows = markable();
		if (rows.length === 0) return;
		if (FLAG_LOOKS[flag].isNotOfSpam && rows.some(({ isSpam }) => isSpam)) return;
		const isLeaving = movesAway({ [flag]: true });
		if (isLeaving && place.submission !== null) leave(inbox, place);
		void setFlags(inbox, rows, { [flag]: !rows.every((row) => row[flag]) });
		if (isLeaving) refocus();
	};
	const genuine = () => {
		const rows = markable();
		if (rows.some(({ isSpam }) => isSpam)) toggle('isSpam');
		else if (rows.length > 0) void markGenuine(inbox, rows);
	};
	const remove = () => {
		const rows = targets();
		if (!may('delete') || rows.length === 0) return;
		if (place.submission !== null) leave(inbox, place);
		const ids = rows.map(({ id }) => id);
		removeLater(inbox, ids);
		refocus();
	};
	const select = () => {
		const row = inbox.rows.value[inbox.cursor.value];
		if (row && place.submission === null) inbox.toggleSelected(row.id);
	};
	const back = () => {
		if (place.submission !== null) navigate(to.inbox(place.form, place.query));
		else inbox.selectPage(false);
	};
	return {
		j: () => step(inbox, place, 1),
		k: () => step(inbox, place, -1),
		...Object.fromEntries(FLAG_BUTTONS.map((flag) => [FLAG_LOOKS[flag].hotkey, () => toggle(flag)])),
		'+': genuine,
		'#': remove,
		x: select,
		'/': () => document.querySelector<HTMLElement>('#inbox-search')?.focus(),
		'g i': () => navigate(to.inbox(place.form)),
		Escape: back,
	};
}
