/** Pure: parses timestamps strictly. */

/** RFC 3339, also without zone (then UTC), without seconds, or the date alone. */
const TIMESTAMP =
	/^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(\.\d{1,9})?)?(?:[Zz]|([+-])(\d{2}):(\d{2}))?)?$/;
const DATE_ALONE = /^\d{4}-\d{2}-\d{2}$/;
const ZONED = /:.*(?:[Zz]|[+-]\d{2}:\d{2})$/;
const FIRST_MS = Date.parse('0000-01-01T00:00:00Z');
/** Later ones have a year of more than four digits. */
export const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

export interface Timestamp {
	/** Milliseconds since 1970, with the written fraction. */
	millis: number;
	isDateAlone: boolean;
	/** True if it names a zone; otherwise it is read as UTC. */
	isZoned: boolean;
}

/**
 * Returns `undefined` if it is no timestamp, or by its zone lies in a year that has no four digits in UTC and could not be written as one.
 * `Date` would read February 30th as March 2nd.
 */
export function parseTimestamp(text: string): Timestamp | undefined {
	const match = TIMESTAMP.exec(text);
	if (!match) return undefined;
	const [, year, month, day, hour, minute, second, fraction, sign, zoneHour, zoneMinute] = match;
	const [hours, minutes, seconds] = [Number(hour ?? 0), Number(minute ?? 0), Number(second ?? 0)];
	const [zoneHours, zoneMinutes] = [Number(zoneHour ?? 0), Number(zoneMinute ?? 0)];
	if (hours > 23 || minutes > 59 || seconds > 60 || zoneHours > 23 || zoneMinutes > 59) return undefined;
	const date = new Date(0);
	date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
	if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return undefined;
	const offset = (zoneHours * 60 + zoneMinutes) * 60 * (sign === '-' ? -1 : 1);
	const ofDay = hours * 3600 + minutes * 60 + seconds - offset;
	const millis = date.getTime() + ofDay * 1000 + Number(fraction ?? 0) * 1000;
	if (millis < FIRST_MS || millis > LAST_MS) return undefined;
	return {
		millis,
		isDateAlone: DATE_ALONE.test(text),
		isZoned: ZONED.test(text),
	};
}
