import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { csvLine } from '../../../src/submissions/export/csv.ts';
import { textsByName } from '../../../src/submissions/export/formats.ts';
import { readCsv, readCsvAs } from '../csv-reader.ts';

const SIGNS = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];
const DANGEROUS = [...SIGNS, '\t', '\r', '\n', '\0'];
const cell = fc.oneof(
	fc.string({ unit: 'grapheme' }),
	fc.string({ unit: fc.constantFrom(...'",;\r\n\t =+-@\'aü你＝\0') }),
	fc.string({ unit: fc.constantFrom(';', '\t', '\n', '"', '=', '-', '5', ' ', ',') }),
);
const table = fc.array(fc.array(cell, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 5 });
const guarded = (rows: string[][]) => rows.map((row) => csvLine(['id', ...row], 'guard')).join('');
/** A number, also one that is followed by what ends a cell for another kind of reader: nothing can be calculated with that. */
const NUMBER = /^[+-]\d[\d .,()]*(?:e[+-]?\d+)?%?(?:[;\t\r\n]|$)/i;

/** The cell that a reader of RFC 4180 sees. */
const seen = (text: string) => readCsv(csvLine([text], 'guard'))[0]?.[0];

test('with raw formulas, every table of texts comes back unchanged', () => {
	fc.assert(
		fc.property(table, (rows) => {
			expect(readCsv(rows.map((row) => csvLine(row, 'raw')).join(''))).toEqual(rows);
		}),
		{ numRuns: 1000 },
	);
});

test('an empty text alone is no empty line, which many readers pass over', () => {
	expect(csvLine([''], 'raw')).toBe('""\r\n');
	expect(csvLine(['', ''], 'guard')).toBe(',\r\n');
});

test('a guard only adds apostrophes', () => {
	fc.assert(
		fc.property(table, (rows) => {
			const strip = (texts: string[][]) => texts.map((row) => row.map((text) => text.replaceAll("'", '')));
			expect(strip(readCsv(guarded(rows)))).toEqual(strip(rows.map((row) => ['id', ...row])));
		}),
		{ numRuns: 1000 },
	);
});

test.each([
	['commas', ','],
	['semicolons', ';'],
	['tabs', '\t'],
])('no cell is a formula for a spreadsheet that separates by %s', (_, separator) => {
	fc.assert(
		fc.property(table, (rows) => {
			const cells = readCsvAs(guarded(rows), separator).flat();
			const formulas = cells.filter((text) => SIGNS.includes(text.replaceAll('\0', '')[0] ?? '') && !NUMBER.test(text));
			expect(formulas).toEqual([]);
		}),
		{ numRuns: 2000 },
	);
});

test('a text of quotes behind a semicolon, however long, is guarded in no time', () => {
	const before = performance.now();
	seen(`;${'"'.repeat(60_000)}`);
	seen(`${'"'.repeat(60_000)};`);
	expect(performance.now() - before).toBeLessThan(2000);
});

test('with raw formulas, a spreadsheet that separates by semicolons sees them', () => {
	const text = csvLine(['id', 'x;=1+1;y', 'a\n=2'], 'raw');
	expect(readCsvAs(text, ';').flat()).toEqual(['id,"x', '=1+1', 'y","a', '=2"']);
});

test('no cell begins with a formula sign or with a character that hides one', () => {
	fc.assert(
		fc.property(fc.constantFrom(...DANGEROUS), cell, (sign, rest) => {
			const [first = ''] = readCsv(csvLine([sign + rest], 'guard')).flat();
			expect(
				DANGEROUS.includes(first[0] ?? '') && !/^[+-]\d[\d .,()]*(?:[eE][+-]?\d+)?%?(?:[;\t\r\n]|$)/.test(first),
			).toBe(false);
		}),
	);
});

describe('numbers', () => {
	test.each([
		'-5',
		'+5',
		'-1.5',
		'-1,234.50',
		'-1e5',
		'+1E-7',
		'-12%',
		'+49 30 123456',
		'+49 (0)30 123456',
		'-12345678901234567890123',
		'x;-5;y',
		'a\n+49 30 123456\nb',
	])('%j stays unchanged', (text) => {
		expect(seen(text)).toBe(text);
	});

	test.each([
		['-5+3', "'-5+3"],
		['+1-555-123', "'+1-555-123"],
		['-(5)', "'-(5)"],
		['-A1', "'-A1"],
		["-5|' /C calc'!A0", "'-5|' /C calc'!A0"],
		['-5\r\n=1+1', "-5\r\n'=1+1"],
		['+1;+2+3', "+1;'+2+3"],
		['-', "'-"],
		['- item', "'- item"],
		['x;=1+1', "x;'=1+1"],
		['x;"=1+1"', 'x;"\'=1+1"'],
		['x\t@SUM(A1)', "x\t'@SUM(A1)"],
		['x,=1+1', 'x,=1+1'],
		['\t=1', "'\t'=1"],
		['x\t-1', "x\t'-1"],
		['x;+49 30 123456', "x;'+49 30 123456"],
		['-1\t-2', "-1\t'-2"],
	])('%j is no number and becomes %j', (text, safe) => {
		expect(seen(text)).toBe(safe);
	});
});

test('fields become texts: nothing is rounded, reordered or left out', () => {
	const data =
		'{"text":"a\\u0000b","number":1.50,"large":12345678901234567890123,"none":null,"yes":true,' +
		'"list":["a",-0,1e400],"object":{"b":1,"a":[2.0]},"__proto__":"own","":"unnamed"}';
	expect([...textsByName(data)]).toEqual([
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
