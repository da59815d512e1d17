/** Reads NDJSON: a JSON object a line, one after the other in bounded memory. */

import { AppError } from '../../errors.ts';
import type { ReadOptions, ReadRow } from './rows.ts';

const NEWLINE = 0x0a;
const BLANK = /^\s*$/;
const OBJECT = /^\s*\{/;

export async function* readNdjson(
	chunks: AsyncIterable<Uint8Array>,
	{ readFields, maxBytes }: ReadOptions,
): AsyncGenerator<ReadRow> {
	const decoder = new TextDecoder('utf-8', { fatal: true });
	let line = 0;
	/** The beginning of a line of which the end has not come. */
	let begun: Uint8Array[] = [];
	let length = 0;

	function keep(bytes: Uint8Array): void {
		length += bytes.length;
		if (length <= maxBytes) begun.push(bytes);
		else begun = [];
	}

	function take(): ReadRow | undefined {
		const row = read(length > maxBytes ? undefined : Buffer.concat(begun));
		begun = [];
		length = 0;
		return row;
	}

	function read(bytes: Uint8Array | undefined): ReadRow | undefined {
		line++;
		if (bytes === undefined) return { line, problem: `It has more than ${maxBytes} bytes.` };
		let text: string;
		try {
			text = decoder.decode(bytes);
		} catch {
			return { line, problem: 'It is not valid UTF-8.' };
		}
		if (BLANK.test(text)) return undefined;
		if (!OBJECT.test(text)) return { line, problem: 'It is no JSON object.' };
		try {
			return { line, fields: readFields(text, true) };
		} catch (error) {
			if (error instanceof AppError) return { line, problem: error.message };
			throw error;
		}
	}

	for await (const chunk of chunks) {
		let start = 0;
		for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
			keep(chunk.subarray(start, end));
			start = end + 1;
			const row = take();
			if (row) yield row;
		}
		keep(chunk.slice(start));
	}
	const last = length > 0 ? take() : undefined;
	if (last) yield last;
}
