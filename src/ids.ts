/** Identifiers: integers that sort by time and carry their moment of creation, and their public spelling. */

/**
 * Identifiers per millisecond. Milliseconds × 2048 stay below 2^53, the largest integer JavaScript holds
 * exactly, until the year 2109.
 */
const PER_MILLISECOND = 2048;
const PUBLIC_ID = /^[0-9a-z]{1,11}$/;

/**
 * Makes a source of strictly increasing identifiers. `last` is the highest identifier already in use: a
 * clock that was set back can therefore neither repeat nor reorder anything.
 */
export function createIdSource(last: number, now: () => number = Date.now): () => number {
	return () => {
		last = Math.max(last + 1, now() * PER_MILLISECOND);
		return last;
	};
}

/** The moment an identifier was made, in milliseconds since 1970. */
export function idToMillis(id: number): number {
	return Math.floor(id / PER_MILLISECOND);
}

/** The moment an identifier was made, as ISO 8601 in UTC. */
export function idToIso(id: number): string {
	return new Date(idToMillis(id)).toISOString();
}

/** The lowest identifier that is strictly later than a moment given in milliseconds since 1970. */
export function firstIdAfter(millis: number): number {
	return (Math.floor(millis) + 1) * PER_MILLISECOND;
}

/** The lowest identifier of a moment given in whole milliseconds since 1970, or later. */
export function firstIdAt(millis: number): number {
	return millis * PER_MILLISECOND;
}

/** The public spelling of an identifier: base 36, lower case. */
export function encodeId(id: number): string {
	return id.toString(36);
}

/** Reads a public identifier; `undefined` for anything that {@link encodeId} does not write. */
export function decodeId(text: string): number | undefined {
	if (!PUBLIC_ID.test(text)) return undefined;
	const id = Number.parseInt(text, 36);
	return Number.isSafeInteger(id) && encodeId(id) === text ? id : undefined;
}
