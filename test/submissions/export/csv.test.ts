import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { csvLine } from '../../../src/submissions/export/csv.ts';
import { fieldTexts } from '../../../src/submissions/export/field-texts.ts';
import { readCsv } from '../csv-reader.ts';

const DANGEROUS = ['=', '+', '-', '@', '\t', '\r', '\n', '\0', '＝', '＋', '－', '＠'];
const cell = fc.oneof(
	fc.string({ unit: 'grapheme' }),
	fc.string({ unit: fc.constantFrom(...'",;\r\n\t =+-@\'aü你＝\0') }),
);
const table = fc.array(fc.array(cell, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 5 });

test('every table of texts comes back as it was, apart from the apostrophe before what looks like a formula', () => {
	fc.assert(
		fc.property(table, (rows) => {
			const read = readCsv(rows.map(csvLine).join(''));
			const expected = rows.map((row) => row.map((text) => (DANGEROUS.includes(text[0] ?? '') ? `'${text}` : text)));
			expect(read).toEqual(expected);
		}),
		{ numRuns: 1000 },
	);
});

test('no cell begins with what a spreadsheet calculates', () => {
	fc.assert(
		fc.property(fc.constantFrom(...DANGEROUS), cell, (sign, rest) => {
			expect(readCsv(csvLine([sign + rest]))).toEqual([[`'${sign}${rest}`]]);
		}),
	);
});

test('fields become texts: nothing is rounded, reordered or left out', () => {
	const data =
		'{"text":"a\\u0000b","number":1.50,"large":12345678901234567890123,"none":null,"yes":true,' +
		'"list":["a",-0,1e400],"object":{"b":1,"a":[2.0]},"__proto__":"own","":"unnamed"}';
	expect([...fieldTexts(data)]).toEqual([
		['text', 'a\0b'],
		['number', '1.50'],
		['large', '12345678901234567890123'],
		['none', ''],
		['yes', 'true'],
		['list', '["a",-0,1e400]'],
		['object', '{"b":1,"a":[2.0]}'],
		['__proto__', 'own'],
		['', 'unnamed'],
	]);
});
