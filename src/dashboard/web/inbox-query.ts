/** From what the inbox shows to what the API is asked. */

import type { InboxQuery } from './router.ts';
import type { ListQuery, Selection } from './wire.ts';

const PAGE_SIZE = 50;

function localMidnight(day: string, offsetDays = 0): number {
	const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
	return new Date(year, month - 1, date + offsetDays).getTime();
}

/** Both days belong to the range, in the reader's zone; `since` is exclusive, so it ends just before the day. */
export function selectionOf(query: InboxQuery): Selection {
	return {
		filter: query.filter,
		search: query.search.trim() || undefined,
		since: query.from ? new Date(localMidnight(query.from) - 1).toISOString() : undefined,
		until: query.to ? new Date(localMidnight(query.to, 1) - 1).toISOString() : undefined,
	};
}

export function listQueryOf(query: InboxQuery): ListQuery {
	return { ...selectionOf(query), order: query.order, limit: PAGE_SIZE, offset: (query.page - 1) * PAGE_SIZE };
}

export function isNarrowed(query: InboxQuery): boolean {
	return query.search.trim() !== '' || query.from !== '' || query.to !== '';
}
