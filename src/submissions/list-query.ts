/** Pure: the query parameters of the submissions list, and the choice of submissions in general, read strictly. */

import { invalidField } from '../errors.ts';
import { integer, oneOf, single } from '../http/query-parameters.ts';
import { firstIdAfter } from '../ids.ts';
import { searchTerms } from '../storage/search-text.ts';
import { FILTERS, type Filter } from '../storage/submission-log.ts';
import type { Narrowing } from '../storage/submission-reader.ts';
import { LIMIT_DEFAULT, LIMIT_MAX, SEARCH_MAX } from './bounds.ts';

export interface ListQuery extends Narrowing {
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
const DATE_ALONE = /^\d{4}-\d{2}-\d{2}$/;
const ONE_DAY_MS = 86_400_000;
/** RFC 3339, also without zone (then UTC), without seconds, or the date alone. */
const TIMESTAMP =
	/^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(\.\d{1,9})?)?(?:([Zz])|([+ -])(\d{2}):(\d{2}))?)?$/;

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
export function parseNarrowing({ filter, search, since, until }: NarrowingInput): Narrowing {
	const terms = search === undefined ? undefined : parseSearch(search);
	return {
		filter,
		...(since !== undefined && { fromId: firstIdAfter(parseTimestamp('since', since)) }),
		...(until !== undefined && { beforeId: firstIdAfter(parseUntil(until)) }),
		...(terms && { terms }),
	};
}

function parseUntil(text: string): number {
	return parseTimestamp('until', text) + (DATE_ALONE.test(text) ? ONE_DAY_MS - 1 : 0);
}

/** `undefined` if there is nothing to search for. */
function parseSearch(text: string): Narrowing['terms'] {
	if (text.length > SEARCH_MAX) {
		throw invalidField('search', 'TOO_LONG', `search must have at most ${SEARCH_MAX} characters.`);
	}
	const terms = searchTerms(text);
	return terms.parts.length + terms.shortWords.length > 0 ? terms : undefined;
}

/**
 * A moment in milliseconds since 1970, with the fraction that was given.
 * A blank where the zone's plus sign belongs is read as one: an unescaped plus arrives so in a query.
 */
export function parseTimestamp(name: string, text: string): number {
	const unreadable = () =>
		invalidField(name, 'INVALID_DATE', `${name} must be a date such as 2026-01-31 or 2026-01-31T09:30:00Z.`);
	const match = TIMESTAMP.exec(text);
	if (!match) throw unreadable();
	const [, year, month, day, hour = '0', minute = '0', second = '0', fraction, , sign, zoneHour, zoneMinute] = match;
	if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) throw unreadable();
	if (Number(zoneHour ?? 0) > 23 || Number(zoneMinute ?? 0) > 59) throw unreadable();
	const date = new Date(0);
	date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
	if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) throw unreadable();
	const seconds = Number(hour) * 3600 + Number(minute) * 60 + Number(second);
	const offset = (Number(zoneHour ?? 0) * 60 + Number(zoneMinute ?? 0)) * 60 * (sign === '-' ? -1 : 1);
	return date.getTime() + (seconds - offset) * 1000 + Number(fraction ?? 0) * 1000;
}
