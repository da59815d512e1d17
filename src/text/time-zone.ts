/** Pure: names of time zones. */

/** Returns whether it is a name that the runtime knows, such as `Europe/Berlin`. */
export function isTimeZone(name: string): boolean {
	try {
		return name.length <= 64 && new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
	} catch {
		return false;
	}
}
