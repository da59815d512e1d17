/** Pure: when something that is given a lifetime ends. */

import { parseTimestamp } from '../timestamp.ts';

const UNIT_MS: Record<string, number> = {
	m: 60_000,
	h: 3_600_000,
	d: 86_400_000,
	w: 7 * 86_400_000,
	y: 365 * 86_400_000,
};

/** The moment that `90d`, `12h` from now, or a date such as `2027-01-31` (UTC) names; `undefined` if it names none. */
export function parseExpiry(text: string, now: number): Date | undefined {
	const [, count, unit] = /^(\d{1,6})([mhdwy])$/.exec(text) ?? [];
	if (count !== undefined && unit !== undefined) return validDate(now + Number(count) * (UNIT_MS[unit] ?? 0));
	const timestamp = parseTimestamp(text);
	return timestamp?.isDateAlone || timestamp?.isZoned ? new Date(timestamp.millis) : undefined;
}

function validDate(millis: number): Date | undefined {
	return Number.isNaN(new Date(millis).getTime()) ? undefined : new Date(millis);
}
