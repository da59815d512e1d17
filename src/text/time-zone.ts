/** Pure: names of time zones, and moments as people read them there. */

/** Returns whether it is a name that the runtime knows, such as `Europe/Berlin`. */
export function isTimeZone(name: string): boolean {
	try {
		return name.length <= 64 && new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
	} catch {
		return false;
	}
}

/** Such as `2 Jan 2026, 03:04 UTC`. */
export function momentIn(timeZone: string, time: Date): string {
	return time.toLocaleString('en-GB', {
		day: 'numeric',
		month: 'short',
		year: 'numeric',
		hour: '2-digit',
		minute: '2-digit',
		timeZone,
		timeZoneName: 'short',
	});
}
