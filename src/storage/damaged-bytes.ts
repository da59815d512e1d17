/** Checks whether stored texts are still what was stored, as far as their bytes show; see `damage.ts`. */

import { isUtf8 } from 'node:buffer';
import { asDamaged, isJson, REPLACED } from './damage.ts';
import type { StoredSubmission } from './submission.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });
/** A larger text, which takes a raised limit of bodies, would take several times its size to parse, and hold up all others. */
const PARSED_MAX_BYTES = 2 * 1024 * 1024;

/** A text above 2 MiB is not parsed: it counts as JSON if it is UTF-8 and has the braces of an object. */
export function isJsonInUtf8(bytes: Uint8Array): boolean {
	if (bytes.length > PARSED_MAX_BYTES) return isUtf8(bytes) && bytes[0] === 0x7b && bytes.at(-1) === 0x7d;
	try {
		return isJson(decoder.decode(bytes));
	} catch {
		return false;
	}
}

export interface DamagedRows {
	/** Told the first one of a pass. */
	report(id: number): void;
	/** The bytes of a text; not for an engine that keeps valid UTF-8 alone. */
	bytesOf?(id: number): Uint8Array;
}

/** Rows with their whole text as they are to be shown: those that cannot be read any more without it. */
export function* readableRows(
	rows: Iterable<StoredSubmission>,
	{ report, bytesOf }: DamagedRows,
): Generator<StoredSubmission> {
	let isReported = false;
	for (const row of rows) {
		// From a damaged page of the file, even what is never null may be.
		const isText = typeof row.data === 'string';
		const isRight = isText && bytesOf && row.data.includes(REPLACED) ? isJsonInUtf8(bytesOf(row.id)) : isJson(row.data);
		if (isText && isRight && isJson(row.spamReasons) && isJson(row.meta)) yield row;
		else {
			if (!isReported) report(row.id);
			isReported = true;
			yield asDamaged(row);
		}
	}
}
