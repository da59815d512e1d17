import { expect, test } from 'bun:test';
import { readCsv } from '../../../src/submissions/import/csv.ts';
import type { ReadRow } from '../../../src/submissions/import/rows.ts';

/** The rows of a file that comes in pieces of so many bytes. */
async function rowsOf(text: string, { pieces = 1000, maxBytes = 10_000 } = {}): Promise<ReadRow[]> {
	async function* chunks() {
		const bytes = Buffer.from(text);
		for (let at = 0; at < bytes.length; at += pieces) yield bytes.subarray(at, at + pieces);
	}
	return Array.fromAsync(readCsv(chunks(), { maxBytes, maxColumns: 10 }));
}

test('reads the same, however it is cut into pieces', async () => {
	const long = 'line\r\n""quoted"", 日本 '.repeat(40);
	const text = `a,"b ""x""",c\r\n1,2,3\r\r\n\n"${long}",,"é"\n"broken" here,2,3\n4,5\n,,\n6,7,8,9\nlast,"",`;
	const whole = await rowsOf(text, { pieces: text.length * 4 });
	expect(whole.map(({ line }) => line)).toEqual([2, 5, 46, 47, 49, 50]);
	expect(whole[2]).toEqual({ line: 46, problem: expect.stringContaining('Text follows the end of a quote') });
	for (const pieces of [1, 2, 3, 5, 7, 11, 64, 100, 1000]) expect(await rowsOf(text, { pieces })).toEqual(whole);
});

test('names the line of the quote that is not closed, at the end and where it is given up', async () => {
	const text = `a,b\n1,2\n"x\ny","open\n${'3,4\n'.repeat(500)}`;
	await expect(rowsOf(text)).rejects.toThrow('The quote that begins at line 4 is not closed.');
	for (const pieces of [1, 100, 5000])
		await expect(rowsOf(text, { maxBytes: 1000, pieces })).rejects.toThrow(
			'The row at line 3 has more than 1000 characters; perhaps the quote at line 4 is not closed.',
		);
});

test('a file in UTF-16 is named as such, also without a byte order mark', async () => {
	await expect(rowsOf('a\0,\0b\0\n\0\x31\0,\0\x32\0\n\0')).rejects.toThrow('save it as UTF-8');
});

test.each([
	['sep=;\r\na;b\r\n1,5;2\r\n'],
	['\ufeffsep=;\na;b\n1,5;2'],
	['"sep=;"\ra;b\r1,5;2'],
	['SEP=|\na|b\n1,5|2\n'],
])('a first line that names the separator is none of columns: %j', async (text) => {
	for (const pieces of [1, 6, 1000])
		expect(await rowsOf(text, { pieces })).toEqual([
			{
				line: 3,
				fields: [
					{ name: 'a', json: '"1,5"' },
					{ name: 'b', json: '"2"' },
				],
			},
		]);
});

test('too many columns are said to be that, before each is compared with all others', async () => {
	await expect(rowsOf('a,b,c,d,e,f,g,h,i,j,a\n')).rejects.toThrow('The file has more than 10 columns.');
});

test('such a line further down is a row', async () => {
	expect(await rowsOf('a,b\nsep=;,2\n')).toMatchObject([{ line: 2, fields: [{ json: '"sep=;"' }, {}] }]);
});
