/** One form's inbox: the current page, the open and the selected submissions, and updates by events. */

import { batch, computed, signal } from '@preact/signals';
import { INBOX_FILTERS } from '../../../storage/filters.ts';
import type { WordListName } from '../../../storage/owned.ts';
import * as api from '../api.ts';
import type { Owned, Selection, Submission, SubmissionPage } from '../api-types.ts';
import { listQueryOf, PAGE_SIZE, selectionOf } from '../inbox-query.ts';
import type { InboxQuery } from '../router.ts';
import { createThrottle } from '../throttle.ts';
import type { LiveEvent } from './live.ts';
import { createOpenSubmission } from './open-submission.ts';

const RELOAD_DELAY_MS = 250;
/** A `change` event so soon after an action of this page is taken for its echo. */
const ECHO_MS = 2000;

/** The ids of new submissions: newer than all before. Rows that moved up from the next page are not new. */
function freshIdsIn(now: Submission[], before: Submission[]): string[] {
	const newest =
		before
			.map(({ createdAt }) => createdAt)
			.sort()
			.at(-1) ?? '';
	const known = new Set(before.map(({ id }) => id));
	return now.filter(({ id, createdAt }) => createdAt >= newest && !known.has(id)).map(({ id }) => id);
}

/** All submissions that match, and how many they are. */
interface Everything {
	target: Selection;
	total: number;
}

export type Inbox = ReturnType<typeof createInbox>;

/** For each part of the inbox's view. */
export interface InboxProps {
	inbox: Inbox;
	query: InboxQuery;
}

/** For each part of a submission, in the list or by itself. */
export interface RowProps {
	inbox: Inbox;
	row: Submission;
}

export function createInbox(formId: string) {
	const signals = {
		page: signal<SubmissionPage | undefined>(undefined),
		error: signal<unknown>(undefined),
		isLoading: signal(false),
		selected: signal<ReadonlySet<string>>(new Set()),
		/** Selected is all of this, on other pages too. */
		all: signal<Everything | undefined>(undefined),
		/** The index of the row that the keyboard acts on; -1 = none. */
		cursor: signal(-1),
		/** How many submissions have arrived that the page does not show. */
		arrivals: signal(0),
		/** The rows that the last reload brought, which are highlighted. */
		fresh: signal<ReadonlySet<string>>(new Set()),
		/** Removed from the list here, not yet on the server. */
		hidden: signal<ReadonlySet<string>>(new Set()),
	};
	const { page, error, isLoading, selected, all, cursor, arrivals, fresh, hidden } = signals;

	let query: InboxQuery | undefined;
	let request: AbortController | undefined;
	let actedAt = 0;
	const { current, failure, open, follow } = createOpenSubmission(formId, (time) => actedAt >= time);

	const seen = computed(() => (page.value?.submissions ?? []).filter(({ id }) => !hidden.value.has(id)));
	const rows = computed(() => seen.value.slice(0, PAGE_SIZE));
	/** Those of the page, each once. */
	const wordsIn = (name: WordListName) => [...new Set(rows.value.flatMap((row) => row[name]))].sort();
	/** Without hidden rows of the page: others may not match the query. */
	const total = computed(
		() => (page.value?.pagination.total ?? 0) - (page.value?.submissions.length ?? 0) + seen.value.length,
	);

	function applyPage(next: SubmissionPage, { isQuiet }: { isQuiet: boolean }): void {
		const atCursor = rows.value[cursor.value]?.id;
		batch(() => {
			fresh.value = new Set(isQuiet ? freshIdsIn(next.submissions, page.value?.submissions ?? []) : []);
			page.value = next;
			error.value = undefined;
			arrivals.value = 0;
			const at = rows.value.findIndex(({ id }) => id === atCursor);
			if (at >= 0) cursor.value = at;
			// Rows that have moved to another page are not selected any more: no action is to reach what is not seen.
			selected.value = new Set(rows.value.map(({ id }) => id).filter((id) => selected.value.has(id)));
			if (selected.value.size === 0) all.value = undefined;
		});
	}

	async function load({ isQuiet }: { isQuiet: boolean }): Promise<void> {
		if (query === undefined) return;
		request?.abort();
		const mine = new AbortController();
		request = mine;
		if (!isQuiet) isLoading.value = true;
		try {
			applyPage(await api.submissions.list(formId, listQueryOf(query, hidden.value.size), mine.signal), { isQuiet });
		} catch (cause) {
			if (mine.signal.aborted) return;
			error.value = cause;
			if (!isQuiet) page.value = undefined;
		} finally {
			if (request === mine) isLoading.value = false;
		}
	}

	async function refresh(): Promise<void> {
		const askedAt = Date.now();
		await load({ isQuiet: true });
		await follow(page.value?.submissions ?? [], askedAt);
	}

	const reloadSoon = createThrottle(refresh, RELOAD_DELAY_MS);

	function unhide(ids: Iterable<string>): void {
		hidden.value = hidden.value.difference(new Set(ids));
	}

	function updateRows(update: (row: Submission) => Submission): void {
		batch(() => {
			if (page.value) page.value = { ...page.value, submissions: page.value.submissions.map(update) };
			if (current.value) current.value = update(current.value);
		});
	}

	/** No reload then: a submission just marked read or unstarred stays visible, although the filter no longer matches it. */
	const isEcho = () =>
		Date.now() - actedAt < ECHO_MS && INBOX_FILTERS.some((filter) => filter !== 'all' && filter === query?.filter);

	/** Rows stay where they are while some are selected: what others have changed is shown after that. */
	function select(ids: Iterable<string>): void {
		all.value = undefined;
		selected.value = new Set(ids);
		if (selected.value.size === 0 && !isEcho()) reloadSoon();
	}

	const showsNewest = () => query?.page === 1 && query.order === 'desc' && selected.value.size === 0;

	return {
		...signals,
		current,
		failure,
		formId,
		rows,
		wordsIn,
		total,
		reload: () => load({ isQuiet: false }),

		/** Loads the page of a new query. */
		show(next: InboxQuery): void {
			query = next;
			batch(() => {
				selected.value = new Set();
				all.value = undefined;
				cursor.value = -1;
			});
			void load({ isQuiet: false });
		},

		/** Opens one submission, from the page if it is there. */
		async open(id: string | null): Promise<void> {
			const at = rows.value.findIndex((row) => row.id === id);
			if (at >= 0) cursor.value = at;
			await open(id, rows.value[at]);
		},

		/** Applies what is set at once to the list and the open submission. */
		apply(ids: ReadonlySet<string>, change: Partial<Owned>): void {
			actedAt = Date.now();
			updateRows((row) => (ids.has(row.id) ? { ...row, ...change } : row));
		},

		/** Reads again what the virus scanner has found in the files of a submission. */
		async refreshFiles(id: string): Promise<void> {
			const { files } = await api.submissions.read(formId, id);
			updateRows((row) => (row.id === id ? { ...row, files } : row));
		},

		/** Hides rows and fills the page up; they stay hidden until {@link unhide} or {@link reloadAndUnhide}. */
		hide(ids: Iterable<string>): void {
			actedAt = Date.now();
			batch(() => {
				hidden.value = new Set([...hidden.value, ...ids]);
				selected.value = new Set();
			});
			reloadSoon();
		},

		/** Reloads the page once the server has removed or kept the hidden rows. */
		async reloadAndUnhide(ids: Iterable<string>): Promise<void> {
			await load({ isQuiet: true });
			unhide(ids);
		},

		unhide,

		toggleSelected: (id: string): void => select(selected.value.symmetricDifference(new Set([id]))),

		selectPage: (isSelected: boolean): void => select(isSelected ? rows.value.map(({ id }) => id) : []),

		/** Selects all that match now: what comes later, unseen, is not meant. */
		async selectAll(): Promise<void> {
			if (query === undefined) return;
			const mine = query;
			const target = selectionOf(mine);
			const { submissions, pagination } = await api.submissions.list(formId, { ...target, order: 'desc', limit: 1 });
			const [newest] = submissions;
			if (query !== mine || !newest) return;
			all.value = { target: { ...target, until: newest.createdAt }, total: pagination.total };
		},

		/** @returns whether the event is a new submission of this form */
		handleEvent(event: LiveEvent): boolean {
			if (event.type === 'resumed') reloadSoon();
			if (event.type === 'change' && event.formId === formId && !isEcho() && selected.value.size === 0) reloadSoon();
			if (event.type !== 'submission' || event.formId !== formId) return false;
			if (showsNewest()) reloadSoon();
			else arrivals.value += 1;
			return true;
		},

		close(): void {
			reloadSoon.cancel();
			request?.abort();
		},
	};
}
