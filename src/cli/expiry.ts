/** Pure: parses the expiry of a key. */

import { DAY_MS, HOUR_MS, MINUTE_MS } from '../tasks/durations.ts';
import { parseTimestamp } from '../text/timestamp.ts';

const UNIT_MS: Record<string, number> = {
	m: MINUTE_MS,
	h: HOUR_MS,
	d: DAY_MS,
	w: 7 * DAY_MS,
	y: 365 * DAY_MS,
};

/** Parses a lifetime from now, such as `90d` or `12h`, or a date such as `2027-01-31` (UTC); `undefined` if it is neither. */
export function parseExpiry(text: string, now: number): Date | undefined {
	const [, count, unit] = /^(\d{1,6})([mhdwy])$/.exec(text) ?? [];
	if (count !== undefined && unit !== undefined) return validDate(now + Number(count) * (UNIT_MS[unit] ?? 0));
	const timestamp = parseTimestamp(text);
	return timestamp?.isDateAlone || timestamp?.isZoned ? new Date(timestamp.millis) : undefined;
}

function validDate(millis: number): Date | undefined {
	return Number.isNaN(new Date(millis).getTime()) ? undefined : new Date(millis);
}
