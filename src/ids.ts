/** Identifiers: integers that sort by creation time, and their public spelling. `storage/timeline.ts` reads the time. */

/**
 * Identifiers per millisecond. Milliseconds × 2048 stay below 2^53, the largest integer JavaScript holds
 * exactly, until the year 2109.
 */
export const IDS_PER_MILLISECOND = 2048;
/** The lowest four bits identify the source, so that two processes never create the same identifier. */
export const ID_SOURCES = 16;
const PUBLIC_ID = /^[0-9a-z]{1,11}$/;

/** The first identifier of the millisecond that an identifier is of. */
export function millisecondStart(id: number): number {
	return Math.floor(id / IDS_PER_MILLISECOND) * IDS_PER_MILLISECOND;
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

/** The number of the row that a public identifier names; one that no row has for a text that is no identifier. */
export function rowId(text: string): number {
	return decodeId(text) ?? -1;
}
