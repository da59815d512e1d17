/** Pure: the query parameters of the submissions list, and the choice of submissions in general, read strictly. */

import { DAY_MS } from '../durations.ts';
import { invalidField } from '../errors.ts';
import { integer, oneOf, single } from '../http/query-parameters.ts';
import { searchWords } from '../storage/search-words.ts';
import type { Narrowing } from '../storage/submission.ts';
import { FILTERS, type Filter } from '../storage/submission.ts';
import type { Timeline } from '../storage/timeline.ts';
import { parseTimestamp, type Timestamp } from '../timestamp.ts';
import { LIMIT_DEFAULT, LIMIT_MAX, SEARCH_MAX } from './bounds.ts';

/** What is asked for: later than one moment, not later than another, in milliseconds since 1970. */
export interface NarrowingQuery {
	filter: Filter;
	sinceMs?: number;
	untilMs?: number;
	words?: readonly string[];
}

export interface ListQuery extends NarrowingQuery {
	limit: number;
	offset: number;
	order: 'asc' | 'desc';
}

/** Which submissions are meant, as it is asked for in a query or a body. */
export interface NarrowingInput {
	filter: Filter;
	search?: string;
	since?: string;
	until?: string;
}

const ORDERS = ['asc', 'desc'] as const;
/** A blank where the zone's plus sign belongs: an unescaped plus arrives so in a query. */
const BLANK_FOR_PLUS = /(?<=:\S*) (?=\d{2}:\d{2}$)/;

/** @throws AppError VALIDATION_ERROR naming the parameter */
export function parseListQuery(params: URLSearchParams): ListQuery {
	return {
		limit: integer(params, 'limit', { fallback: LIMIT_DEFAULT, min: 1, max: LIMIT_MAX }),
		offset: integer(params, 'offset', { fallback: 0, min: 0, max: Number.MAX_SAFE_INTEGER }),
		...parseExtent(params),
	};
}

/** Everything but the page: which submissions, in which order. */
export function parseExtent(params: URLSearchParams): Omit<ListQuery, 'limit' | 'offset'> {
	return {
		order: oneOf(params, 'order', { values: ORDERS, fallback: 'desc' }),
		...parseNarrowing({
			filter: oneOf(params, 'filter', { values: FILTERS, fallback: 'all' }),
			search: single(params, 'search'),
			since: single(params, 'since'),
			until: single(params, 'until'),
		}),
	};
}

/** `since` is exclusive, `until` inclusive; a date alone is its first moment for `since`, its last one for `until`. */
export function parseNarrowing({ filter, search, since, until }: NarrowingInput): NarrowingQuery {
	return {
		filter,
		...(since !== undefined && { sinceMs: readTimestamp('since', since).millis }),
		...(until !== undefined && { untilMs: parseUntil(until) }),
		...(search !== undefined && { words: parseSearch(search) }),
	};
}

/** The ids that are meant. */
export function toNarrowing({ filter, sinceMs, untilMs, words }: NarrowingQuery, timeline: Timeline): Narrowing {
	return {
		filter,
		...(sinceMs !== undefined && { fromId: timeline.firstIdAfter(sinceMs) }),
		...(untilMs !== undefined && { beforeId: timeline.firstIdAfter(untilMs) }),
		...(words && { words }),
	};
}

function parseUntil(text: string): number {
	const { millis, isDateAlone } = readTimestamp('until', text);
	return millis + (isDateAlone ? DAY_MS - 1 : 0);
}

/** What finds everything is refused: a change meant for some would be made to all. */
function parseSearch(text: string): string[] {
	if (text.length > SEARCH_MAX) {
		throw invalidField('search', 'TOO_LONG', `search must have at most ${SEARCH_MAX} characters.`);
	}
	const words = searchWords(text);
	if (words.length > 0) return words;
	throw invalidField('search', 'EMPTY', 'search must hold something to look for; leave it out for all.');
}

function readTimestamp(name: string, text: string): Timestamp {
	const timestamp = parseTimestamp(text.replace(BLANK_FOR_PLUS, '+'));
	if (timestamp) return timestamp;
	throw invalidField(name, 'INVALID_DATE', `${name} must be a date such as 2026-01-31 or 2026-01-31T09:30:00Z.`);
}
