/** Pure: names of time zones, and moments as their clocks show them. */

/** Zones differ from UTC by whole quarters of an hour, and change at these. */
const QUARTER_MS = 15 * 60_000;

/** Returns whether it is a name that the runtime knows, such as `Europe/Berlin`. */
export function isTimeZone(name: string): boolean {
	try {
		return name.length <= 64 && new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
	} catch {
		return false;
	}
}

/** Returns what writes a moment as ISO 8601 with the zone's offset; where that is none with a `Z`. */
export function createLocalIso(timeZone: string): (millis: number) => string {
	const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
	let known = { quarter: Number.NaN, offsetMs: 0, text: '' };

	function offsetAt(millis: number): typeof known {
		const quarter = Math.floor(millis / QUARTER_MS);
		if (quarter === known.quarter) return known;
		const name = format.formatToParts(millis).find(({ type }) => type === 'timeZoneName')?.value ?? '';
		const [, sign, hours = '0', minutes = '0', seconds = '0'] = /([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(name) ?? [];
		const size = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
		known = { quarter, offsetMs: sign === '-' ? -size : size, text: size === 0 ? 'Z' : `${sign}${hours}:${minutes}` };
		return known;
	}

	return (millis) => {
		const { offsetMs, text } = offsetAt(millis);
		return new Date(millis + offsetMs).toISOString().replace('Z', text);
	};
}
