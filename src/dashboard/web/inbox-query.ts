/** Translates the inbox's query into parameters of the API. */

import { countOf, countsShown, type View } from '../../storage/filters.ts';
import { mapWordLists, WORD_CRITERIA } from '../../storage/owned.ts';
import type { Form, ListQuery, Selection } from './api-types.ts';
import type { InboxQuery, Tab } from './router.ts';

export const PAGE_SIZE = 50;
/** The API's maximum. */
const LIMIT_MAX = 100;

function localMidnight(day: string, offsetDays = 0): number {
	const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
	return new Date(year, month - 1, date + offsetDays).getTime();
}

/** Both days belong to the range, in the reader's zone; `since` is exclusive, so it ends just before the day. */
export function timesOf({ from, to }: Pick<InboxQuery, 'from' | 'to'>): Pick<Selection, 'since' | 'until'> {
	return {
		since: from ? new Date(localMidnight(from) - 1).toISOString() : undefined,
		until: to ? new Date(localMidnight(to, 1) - 1).toISOString() : undefined,
	};
}

/** Spam, and what is pending, is shown whole, archived or not. */
function viewOf(tab: Tab): View {
	if (tab === 'spam' || tab === 'pending') return { filter: tab };
	return tab === 'archived' ? { filter: 'all', isArchived: true } : { filter: tab, isArchived: false };
}

/** How many submissions a tab shows. */
export const countIn = (tab: Tab, form: Form | undefined): number =>
	form ? countOf(viewOf(tab), countsShown(form)) : 0;

export function selectionOf(query: InboxQuery): Selection {
	const { filter, isArchived } = viewOf(query.filter);
	return {
		filter,
		archived: isArchived,
		...mapWordLists('one', ({ one }) => query[one] || undefined),
		search: query.search.trim() || undefined,
		...timesOf(query),
	};
}

/** Requests `spare` rows more than a page holds, to replace hidden ones. */
export function listQueryOf(query: InboxQuery, spare = 0): ListQuery {
	const limit = Math.min(LIMIT_MAX, PAGE_SIZE + spare);
	return { ...selectionOf(query), order: query.order, limit, offset: (query.page - 1) * PAGE_SIZE };
}

export function isNarrowed(query: InboxQuery): boolean {
	return [...WORD_CRITERIA.map((one) => query[one]), query.search.trim(), query.from, query.to].some(Boolean);
}
