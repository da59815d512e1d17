/** Counts the records of an export while its bytes stream by. */

import type { ExportFormat } from './api.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NEW_LINE = 0x0a;
const OPEN_LIST = 0x5b;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** Takes chunks; returns the number of complete records so far. */
export type RecordCounter = (chunk: Uint8Array) => number;

/** Lines, in CSV those outside quotes, where the first is no record. */
function countLines({ isCsv }: { isCsv: boolean }): RecordCounter {
	let isQuoted = false;
	let lines = isCsv ? -1 : 0;
	return (chunk) => {
		for (const byte of chunk) {
			if (byte === QUOTE && isCsv) isQuoted = !isQuoted;
			else if (byte === NEW_LINE && !isQuoted) lines += 1;
		}
		return Math.max(0, lines);
	};
}

/** Returns for each byte whether it lies inside a JSON string, quotes included. */
function createStringTracker(): (byte: number) => boolean {
	let isInside = false;
	let isEscaped = false;
	return (byte) => {
		if (!isInside) {
			isInside = byte === QUOTE;
			return isInside;
		}
		if (isEscaped) isEscaped = false;
		else if (byte === BACKSLASH) isEscaped = true;
		else if (byte === QUOTE) isInside = false;
		return true;
	};
}

/** Objects closed at the depth where the first list began. */
function countJson(): RecordCounter {
	const isInText = createStringTracker();
	let depth = 0;
	let listDepth = -1;
	let records = 0;
	return (chunk) => {
		for (const byte of chunk) {
			if (isInText(byte)) continue;
			if (byte === OPEN_LIST && listDepth < 0) listDepth = depth;
			else if (byte === OPEN) depth += 1;
			else if (byte === CLOSE) {
				depth -= 1;
				if (depth === listDepth) records += 1;
			}
		}
		return records;
	};
}

export function createRecordCounter(format: ExportFormat): RecordCounter {
	return format === 'json' ? countJson() : countLines({ isCsv: format === 'csv' });
}
