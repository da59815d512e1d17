/** Workbooks, read by a program that had no part in writing them. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Form } from '../../../src/forms/schema.ts';
import type { Chunk } from '../../../src/submissions/export/chunk.ts';
import { writeWorkbook } from '../../../src/submissions/export/workbook.ts';
import { CELL_MAX, sheetRow } from '../../../src/submissions/export/xlsx.ts';
import { createLocalIso, isTimeZone } from '../../../src/text/time-zone.ts';
import { withProgram } from '../../programs.ts';
import { openTestServer, type TestServer } from '../../server.ts';
import { tempFolder } from '../../temp-folder.ts';

/** Prints the cells of each sheet as [kind, text], with the escapes of the format undone. */
const READ = `
import sys, json, re, zipfile
import xml.etree.ElementTree as xml
z = zipfile.ZipFile(sys.argv[1])
assert z.testzip() is None
for name in z.namelist(): xml.fromstring(z.read(name))
M = '{http://schemas.openxmlformats.org/spreadsheetml/2006/main}'
def text(cell):
    found = cell.find(f'{M}v')
    if found is None: found = cell.find(f'{M}is/{M}t')
    if found is None: return ''
    return re.sub('_x([0-9A-F]{4})_', lambda one: chr(int(one[1], 16)), found.text or '')
sheets = sorted(name for name in z.namelist() if 'worksheets' in name)
print(json.dumps([[[[c.get('t') or ('n' if len(c) else ''), text(c)] for c in row] for row in xml.fromstring(z.read(s)).iter(f'{M}row')] for s in sheets]))`;

const python = withProgram('python3');

type Sheet = [kind: string, text: string][][];

async function sheetsOf(bytes: Uint8Array): Promise<Sheet[]> {
	const file = join(tempFolder(), 'export.xlsx');
	await writeFile(file, bytes);
	const child = Bun.spawn([python.path, '-c', READ, file], { stdout: 'pipe', stderr: 'pipe' });
	const output = await new Response(child.stdout).text();
	if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text());
	return JSON.parse(output);
}

let server: TestServer;
beforeAll(async () => {
	server = await openTestServer({ settings: { FORMSRV_RATE_SUBMIT: '0' } });
});
afterAll(() => server.close());

async function exported(form: Form, query = ''): Promise<Sheet[]> {
	const address = `${server.baseUrl}/api/forms/${form.id}/export?format=xlsx&order=asc${query}`;
	const response = await fetch(address, { headers: { Authorization: `Bearer ${server.adminKey}` } });
	expect(response.headers.get('content-disposition')).toMatch(/filename="[\w-]+\.xlsx"/);
	return sheetsOf(await response.bytes());
}

const HOSTILE = [
	'=1+1',
	'  blanks  ',
	'</t></is></c><c><f>1+1</f></c>',
	'_x0041_ and _x000D_',
	'a\0b\x1fc\x7f',
	'one\r\ntwo\rthree\n',
	'\ufffe\uffff',
	'🎉 日本語 العربية',
	'-5',
	'1e5',
	'true',
	'2026-01-01',
];

python.test('every text comes back to the last character, as a text', async () => {
	const form = await server.createForm<Form>({ name: 'Texts' });
	for (const text of HOSTILE) expect((await server.submit(form.slug, { text })).status).toBe(200);
	const [sheet = []] = await exported(form, '&columns=text');
	expect(sheet[0]).toEqual([['inlineStr', 'text']]);
	expect(sheet.slice(1)).toEqual(HOSTILE.map((text) => [['inlineStr', text]]));
});

python.test('a cell that is too long says that it was cut, and a lone surrogate is replaced', async () => {
	const form = await server.createForm<Form>({ name: 'Long' });
	await server.submit(form.slug, { long: '🎉'.repeat(CELL_MAX), lone: `a\ud800` });
	const [[, row = []] = []] = await exported(form, '&columns=long,lone');
	const [long = '', lone] = row.map(([, text]) => text);
	expect(long.length).toBeLessThanOrEqual(CELL_MAX);
	expect(long).toEndWith('… (cut)');
	expect(lone).toBe('a\ufffd');
});

python.test('kinds follow the rules of fields, and what is not of its kind is a text', async () => {
	const fields = [
		{ name: 'n', type: 'number', label: 'Guests' },
		{ name: 'd', type: 'date' },
	];
	const form = await server.createForm<Form>({ name: 'Kinds', fields });
	for (const n of ['12', '-0.5', '1234567890123456789', '.5']) await server.submit(form.slug, { n, d: '1900-01-01' });
	await server.submit(form.slug, { d: '2026-01-02' });
	const [[head, ...rows] = []] = await exported(form, '&columns=n,d,isRead&labels=true');
	expect(head?.map(([, text]) => text)).toEqual(['Guests', 'd', 'Read']);
	expect(rows).toEqual([
		[
			['n', '12'],
			['inlineStr', '1900-01-01'],
			['inlineStr', 'false'],
		],
		[
			['n', '-0.5'],
			['inlineStr', '1900-01-01'],
			['inlineStr', 'false'],
		],
		[
			['inlineStr', '1234567890123456789'],
			['inlineStr', '1900-01-01'],
			['inlineStr', 'false'],
		],
		[
			['inlineStr', '.5'],
			['inlineStr', '1900-01-01'],
			['inlineStr', 'false'],
		],
		[
			['', ''],
			['n', '46024'],
			['inlineStr', 'false'],
		],
	]);
});

python.test('what only begins as a date is a text: it came before the rule', async () => {
	const form = await server.createForm<Form>({ name: 'Later' });
	const texts = ['2026-01-02 at noon', '2026-01-0299', '2026-02-30', '2026-01-02T10:00:00+02:00'];
	for (const d of texts) await server.submit(form.slug, { d });
	await server.call(`PATCH /api/forms/${form.id}`, { json: { fields: [{ name: 'd', type: 'date' }] } });
	const [[, ...rows] = []] = await exported(form, '&columns=d');
	expect(rows).toEqual(texts.map((text) => [['inlineStr', text]]));
});

python.test('an empty form is a sheet with a head', async () => {
	const form = await server.createForm<Form>({ name: 'Empty' });
	expect(await exported(form, '&columns=createdAt')).toEqual([[[['inlineStr', 'createdAt']]]]);
});

python.test('what does not fit on a sheet goes on the next, which has a head too', async () => {
	const row = sheetRow([{ text: 'a', kind: 'text' }]);
	const bytes = new TextEncoder().encode(row.repeat(1000));
	async function* rows(): AsyncGenerator<Pick<Chunk, 'bytes' | 'count'>> {
		for (let i = 0; i < 5; i++) yield { bytes, count: 1000 };
	}
	const options = { titles: ['name'], at: new Date(), sheetRows: 2500 };
	const sheets = await sheetsOf(Buffer.concat(await Array.fromAsync(writeWorkbook(rows(), options))));
	expect(sheets.map((sheet) => sheet.length)).toEqual([2001, 2001, 1001]);
	for (const sheet of sheets) expect(sheet.slice(0, 2)).toEqual([[['inlineStr', 'name']], [['inlineStr', 'a']]]);
});

test.each(['UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'America/St_Johns', 'Pacific/Apia'])(
	'moments of a CSV are those of %s, also where its clocks are set',
	(zone) => {
		const localIso = createLocalIso(zone);
		for (let at = Date.UTC(2026, 2, 28, 12); at < Date.UTC(2026, 2, 30); at += 7 * 60_000 + 1) {
			const text = localIso(at);
			expect(Date.parse(text)).toBe(at);
			const shown = new Date(at).toLocaleString('sv-SE', { timeZone: zone });
			expect(text.slice(0, 19).replace('T', ' ')).toBe(shown);
		}
	},
);

python.test('all moments of a CSV and a workbook are those of the zone', async () => {
	const form = await server.createForm<Form>({ name: 'Moments' });
	const moments = { createdAt: '2026-07-01T22:30:00Z', confirmedAt: '2026-12-01T23:45:00Z' };
	const body = JSON.stringify({ data: { a: 1 }, ...moments });
	const headers = { 'Content-Type': 'application/x-ndjson' };
	await server.call(`POST /api/forms/${form.id}/import`, { body, headers });
	const query = 'timeZone=Europe/Berlin&columns=createdAt,confirmedAt';
	const csv = (await server.call(`GET /api/forms/${form.id}/export?${query}`)).text;
	expect(csv.split('\r\n')[1]).toBe('"2026-07-02T00:30:00.000+02:00","2026-12-02T00:45:00.000+01:00"');
	const inUtc = (await server.call(`GET /api/forms/${form.id}/export?columns=createdAt,confirmedAt`)).text;
	expect(inUtc.split('\r\n')[1]).toBe('2026-07-01T22:30:00.000Z,2026-12-01T23:45:00.000Z');
	const [[, cells] = []] = await exported(form, `&${query}`);
	expect(cells?.map(([kind]) => kind)).toEqual(['n', 'n']);
});

test('a time zone that is none is rejected by name', async () => {
	const form = await server.createForm<Form>({ name: 'Zone' });
	for (const zone of ['Mars/Olympus', '', 'x'.repeat(100)]) {
		expect(isTimeZone(zone)).toBe(false);
		const { status, body } = await server.call<{ errors: { field: string }[] }>(
			`GET /api/forms/${form.id}/export?timeZone=${encodeURIComponent(zone)}`,
		);
		expect([status, body.errors[0]?.field]).toEqual([400, 'timeZone']);
	}
});
