/** Pure: the query parameters of the submissions list, read strictly. */

import { invalidField } from '../errors.ts';
import { integer, oneOf, single } from '../http/query-parameters.ts';
import { firstIdAfter } from '../ids.ts';
import { FILTERS, type Filter } from '../storage/submission-log.ts';
import { LIMIT_DEFAULT, LIMIT_MAX } from './schema.ts';

export interface ListQuery {
	limit: number;
	offset: number;
	order: 'asc' | 'desc';
	filter: Filter;
	/** The lowest id that is strictly later than `since`. */
	fromId?: number;
}

const ORDERS = ['asc', 'desc'] as const;
/** RFC 3339, also without zone (then UTC), without seconds, or the date alone. */
const TIMESTAMP =
	/^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(\.\d{1,9})?)?(?:([Zz])|([+ -])(\d{2}):(\d{2}))?)?$/;

/** @throws AppError VALIDATION_ERROR naming the parameter */
export function parseListQuery(params: URLSearchParams): ListQuery {
	const since = single(params, 'since');
	return {
		limit: integer(params, 'limit', { fallback: LIMIT_DEFAULT, min: 1, max: LIMIT_MAX }),
		offset: integer(params, 'offset', { fallback: 0, min: 0, max: Number.MAX_SAFE_INTEGER }),
		order: oneOf(params, 'order', { values: ORDERS, fallback: 'desc' }),
		filter: oneOf(params, 'filter', { values: FILTERS, fallback: 'all' }),
		...(since !== undefined && { fromId: firstIdAfter(parseTimestamp('since', since)) }),
	};
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
