/** Counts the records of an export while its bytes stream by. */

import type { ExportFormat } from './api.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NEW_LINE = 0x0a;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** Feeds on chunks; answers how many whole records have passed. */
export type RecordCounter = (chunk: Uint8Array) => number;

/** Lines outside quotes; the header is not a record. */
function countCsv(): RecordCounter {
	let quoted = false;
	let lines = 0;
	return (chunk) => {
		for (const byte of chunk) {
			if (byte === QUOTE) quoted = !quoted;
			else if (byte === NEW_LINE && !quoted) lines += 1;
		}
		return Math.max(0, lines - 1);
	};
}

function countLines(): RecordCounter {
	let lines = 0;
	return (chunk) => {
		for (const byte of chunk) if (byte === NEW_LINE) lines += 1;
		return lines;
	};
}

/** Objects closed at the depth of the first one opened inside the list. */
function countJson(): RecordCounter {
	let inText = false;
	let escaped = false;
	let depth = 0;
	let listDepth = -1;
	let records = 0;
	const step = (byte: number) => {
		if (escaped) escaped = false;
		else if (inText) {
			if (byte === BACKSLASH) escaped = true;
			else if (byte === QUOTE) inText = false;
		} else if (byte === QUOTE) inText = true;
		else if (byte === 0x5b && listDepth < 0) listDepth = depth;
		else if (byte === OPEN) depth += 1;
		else if (byte === CLOSE) {
			depth -= 1;
			if (depth === listDepth) records += 1;
		}
	};
	return (chunk) => {
		for (const byte of chunk) step(byte);
		return records;
	};
}

export function createRecordCounter(format: ExportFormat): RecordCounter {
	if (format === 'csv') return countCsv();
	return format === 'ndjson' ? countLines() : countJson();
}
