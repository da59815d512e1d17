/** Exports of chosen columns, alike in every format, by the API and on the command line. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import { splitColumns } from '../../../src/submissions/export/columns.ts';
import { openTestServer, type TestServer } from '../../server.ts';
import { readCsv } from '../csv-reader.ts';

let server: TestServer;
let form: { id: string; slug: string };
const DATA =
	'{"b":"1","2":"two","id":"own","data.x":"d","x":"e","a,b":"comma","back\\\\slash":"s","":"none","n":123456789012345678901,"o":{"2":1e400,"1":[-0]}}';

beforeAll(async () => {
	server = await openTestServer();
	const json = { name: 'Contact', fields: [{ name: 'unsent', type: 'text' }], context: { agent: true } };
	form = await server.createForm<typeof form>(json);
	await fetch(`${server.submitUrl}/f/${form.slug}`, {
		method: 'POST',
		headers: { 'Content-Type': 'application/json', Accept: 'application/json', 'User-Agent': 'A' },
		body: DATA,
	});
	await server.submit(form.slug, { onlyInSpam: '1', _gotcha: 'x' });
});
afterAll(() => server.close());

const read = (columns: string, more = 'format=csv') =>
	server.call<{ errors: object[] }>(`GET /api/forms/${form.id}/export?${more}&columns=${encodeURIComponent(columns)}`);

test.each([
	['createdAt', ['createdAt'], undefined],
	['b,id,2', ['b', 'id', '2'], ['1', undefined, 'two']],
	['data.id,data.data.x,data.x,x', ['id', 'data.x', 'x'], ['own', 'd', 'e']],
	['data.x', ['x'], ['e']],
	['a\\,b,back\\\\slash,data.', ['a,b', 'back\\slash', ''], ['comma', 's', 'none']],
	['b,b,data.b', ['b'], ['1']],
	['unsent,onlyInSpam', ['unsent', 'onlyInSpam'], ['', '']],
	['n,o', ['n', 'o'], ['123456789012345678901', '{"2":1e400,"1":[-0]}']],
	[
		'isRead,isStarred,isSpam,spamScore,spamReasons,meta,attachedFiles',
		undefined,
		['false', 'false', 'false', '0', '', '{"agent":"A"}', ''],
	],
])('%s are the columns of a CSV, in that order', async (columns, header, cells) => {
	const { status, text } = await read(columns);
	expect({ status, text }).toMatchObject({ status: 200 });
	const [names = [], row = []] = readCsv(text);
	expect(names).toEqual(header ?? columns.split(','));
	for (const [i, cell] of (cells ?? []).entries()) if (cell !== undefined) expect(row[i]).toBe(cell);
});

test('`data` is all fields, and all columns together are the whole', async () => {
	const names = readCsv((await read('data')).text)[0];
	expect(names).toHaveLength(10);
	const all = await server.call(`GET /api/forms/${form.id}/export`);
	const header = readCsv(all.text)[0] ?? [];
	const behind = ['spamScore', 'spamReasons', 'meta', 'isArchived', 'ownerLabels', 'ownerNote'];
	expect((await read(`id,createdAt,isRead,isStarred,isSpam,data,${behind}`)).text).toBe(all.text);
	expect(header.slice(-6)).toEqual(behind);
});

test('JSON and NDJSON have the same choice, with the texts of values as they were sent', async () => {
	const { text } = await read('o,n,id,spamScore,2', 'format=ndjson');
	expect(text).toMatch(
		/^\{"id":"[0-9a-z]+","data":\{"2":"two","n":123456789012345678901,"o":\{"2":1e400,"1":\[-0\]\}\},"spamScore":0\}\n$/,
	);
	expect((await read('data', 'format=json')).text).toBe(`[\n{"data":${DATA}}\n]\n`);
	expect((await read('isRead', 'format=json')).text).toBe('[\n{"isRead":false}\n]\n');
	expect((await read('attachedFiles,isSpam', 'format=ndjson&filter=spam')).text).toBe(
		'{"isSpam":true,"spamReason":"honeypot","files":[]}\n',
	);
});

test.each([
	['nope', 'nope'],
	['b,data.nope', 'data.nope'],
	['b, id', ' id'],
	['files', 'files'],
	['ID', 'ID'],
])('%j is rejected, naming what is unknown', async (columns, name) => {
	const { status, body } = await read(columns);
	expect(status).toBe(400);
	const message = expect.stringContaining(`columns names ${JSON.stringify(name)}`);
	expect(body.errors).toMatchObject([{ field: 'columns', code: 'UNKNOWN_COLUMN', message }]);
});

test('an empty or repeated parameter is rejected', async () => {
	expect((await read('')).status).toBe(400);
	expect((await read('b', 'columns=b')).status).toBe(400);
});

test('any names can be written', () => {
	const name = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom('a', ',', '\\') }));
	fc.assert(
		fc.property(fc.array(name, { minLength: 1 }), (names) => {
			const text = names.map((name) => name.replace(/[\\,]/g, '\\$&')).join(',');
			expect(splitColumns(text)).toEqual(names);
		}),
	);
});
