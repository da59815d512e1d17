/** Counts the records of an export while its bytes stream by: in every format but the workbook a record is a line. */

import type { ExportFormat } from './api.ts';

const QUOTE = 0x22;
const NEW_LINE = 0x0a;
const CLOSE_LIST = 0x5d;

/** Returns a function that takes chunks and returns the number of complete records so far. */
export function createRecordCounter(format: Exclude<ExportFormat, 'xlsx'>): (chunk: Uint8Array) => number {
	let isQuoted = false;
	// The header of a CSV, and the opening bracket of JSON, are no records.
	let lines = format === 'ndjson' ? 0 : -1;
	let previous = 0;
	return (chunk) => {
		for (const byte of chunk) {
			if (byte === QUOTE && format === 'csv') isQuoted = !isQuoted;
			else if (byte === NEW_LINE && !isQuoted && previous !== CLOSE_LIST) lines += 1;
			previous = byte;
		}
		return Math.max(0, lines);
	};
}
