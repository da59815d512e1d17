/** The progress bar of an export counts records, however the bytes were cut. */

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { ExportFormat } from '../../../src/dashboard/web/api.ts';
import { createRecordCounter } from '../../../src/dashboard/web/export-progress.ts';

const record = fc.record({ id: fc.string(), data: fc.dictionary(fc.string(), fc.jsonValue()) });
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

type Lines = Exclude<ExportFormat, 'xlsx'>;

const WRITERS: Record<Lines, (records: object[]) => string> = {
	csv: (records) => ['id,data', ...records.map((each) => quoted(JSON.stringify(each)))].join('\r\n').concat('\r\n'),
	ndjson: (records) => records.map((each) => `${JSON.stringify(each)}\n`).join(''),
	json: (records) => `[${records.map((each) => `\n${JSON.stringify(each)}`).join(',')}\n]\n`,
};

function countInPieces(format: Lines, bytes: Uint8Array, size: number): number {
	const count = createRecordCounter(format);
	let records = 0;
	for (let at = 0; at < bytes.length; at += size) records = count(bytes.subarray(at, at + size));
	return records;
}

describe('counting records', () => {
	test.each(['csv', 'json', 'ndjson'] as const)('of %s is exact at the end, for any content and any cut', (format) => {
		fc.assert(
			fc.property(fc.array(record, { maxLength: 20 }), fc.integer({ min: 1, max: 64 }), (records, size) => {
				const bytes = new TextEncoder().encode(WRITERS[format](records));
				expect(countInPieces(format, bytes, size)).toBe(records.length);
			}),
		);
	});

	test('of CSV does not take a line break inside a field for a record', () => {
		const bytes = new TextEncoder().encode('name\r\n"two\r\nlines"\r\n');
		expect(countInPieces('csv', bytes, 3)).toBe(1);
	});
});
