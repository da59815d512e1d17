/** Translates the inbox's query into parameters of the API. */

import type { ListQuery, Selection } from './api-types.ts';
import type { InboxQuery } from './router.ts';

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

export function selectionOf(query: InboxQuery): Selection {
	return { filter: query.filter, search: query.search.trim() || undefined, ...timesOf(query) };
}

/** Requests `spare` rows more than a page holds, to replace hidden ones. */
export function listQueryOf(query: InboxQuery, spare = 0): ListQuery {
	const limit = Math.min(LIMIT_MAX, PAGE_SIZE + spare);
	return { ...selectionOf(query), order: query.order, limit, offset: (query.page - 1) * PAGE_SIZE };
}

export function isNarrowed(query: InboxQuery): boolean {
	return query.search.trim() !== '' || query.from !== '' || query.to !== '';
}
