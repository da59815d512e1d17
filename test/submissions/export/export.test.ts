import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Form } from '../../../src/forms/schema.ts';
import { PLACE } from '../../../src/storage/filters.ts';
import { openSqlite as openStorage } from '../../../src/storage/sqlite/open.ts';
import { parseExportQuery } from '../../../src/submissions/export/export.ts';
import { testOnSqlite } from '../../engine.ts';
import { openTestServer, type TestServer } from '../../server.ts';
import { until } from '../../until.ts';
import { readCsv } from '../csv-reader.ts';

let server: TestServer;
let form: Form;
let ids: string[];

const get = (query = '', options = {}) => server.call(`GET /api/forms/${form.id}/export${query}`, options);

beforeAll(async () => {
	server = await openTestServer();
	form = await server.createForm<Form>({ name: 'Contact', slug: 'contact' });
	await server.submit('contact', { name: 'Ada', message: '=1+1', '@field': 'x' });
	await server.submit('contact', { name: 'Grace, "the" 2nd', list: [1.5, 'a'] });
	await server.submit('contact', { name: 'Spammer', _gotcha: 'filled', only: 'spam' });
	const { body } = await server.call<{ submissions: { id: string }[] }>(
		`GET /api/forms/${form.id}/submissions?order=asc`,
	);
	ids = body.submissions.map(({ id }) => id);
});

afterAll(() => server.close());

/** The columns after the fields. */
const JUDGED = ['spamScore', 'spamReasons', 'meta', 'isArchived', 'ownerLabels', 'ownerNote'];

describe('GET /api/forms/{id}/export', () => {
	test('returns CSV with stable columns, and headers and cells that no spreadsheet calculates', async () => {
		const answer = await get('?order=asc');
		expect(answer.status).toBe(200);
		expect(answer.headers.get('Content-Type')).toBe('text/csv; charset=utf-8; header=present');
		expect(answer.headers.get('Content-Disposition')).toMatch(
			/^attachment; filename="contact-\d{4}-\d{2}-\d{2}\.csv"$/,
		);
		const [header, ...rows] = readCsv(answer.text);
		expect(header).toEqual([
			'id',
			'createdAt',
			'isRead',
			'isStarred',
			'isSpam',
			'name',
			'message',
			"'@field",
			'list',
			...JUDGED,
		]);
		expect(rows.map(([id, , ...rest]) => [id, ...rest])).toEqual([
			[`${ids[0]}`, 'false', 'false', 'false', 'Ada', "'=1+1", 'x', '', '0', '', '', 'false', '', ''],
			[`${ids[1]}`, 'false', 'false', 'false', 'Grace, "the" 2nd', '', '', '[1.5,"a"]', '0', '', '', 'false', '', ''],
		]);
	});

	test('leaves texts as they were sent to programs that ask for it', async () => {
		const [header, first] = readCsv((await get('?order=asc&formulas=raw')).text);
		expect(header).toContain('@field');
		expect(first).toContain('=1+1');
	});

	test('begins with a byte order mark only on request', async () => {
		const bytes = async (query: string) => {
			const response = await fetch(`${server.baseUrl}/api/forms/${form.id}/export${query}`, {
				headers: { Authorization: `Bearer ${server.adminKey}` },
			});
			return [...(await response.bytes()).subarray(0, 3)];
		};
		expect(await bytes('?bom=1')).toEqual([0xef, 0xbb, 0xbf]);
		expect(await bytes('')).toEqual([...new TextEncoder().encode('id,')]);
	});

	test('returns the submissions of the list as JSON and as NDJSON', async () => {
		const list = await server.call<{ submissions: unknown[] }>(`GET /api/forms/${form.id}/submissions`);
		const json = await get('?format=json');
		expect(json.body).toEqual(list.body.submissions);
		const ndjson = await get('?format=ndjson');
		expect(ndjson.headers.get('Content-Type')).toBe('application/x-ndjson');
		const lines = ndjson.text.trimEnd().split('\n');
		expect(lines.map((line) => JSON.parse(line))).toEqual(list.body.submissions);
	});

	test('takes the filters of the list', async () => {
		const namesOf = async (query: string) => {
			const { body } = await get(`?format=json&order=asc&${query}`);
			return (body as { data: { name: string } }[]).map(({ data }) => data.name);
		};
		expect(await namesOf('filter=spam')).toEqual(['Spammer']);
		expect(await namesOf('since=2000-01-01')).toHaveLength(2);
		expect(await namesOf('until=2000-01-01')).toEqual([]);
		await server.app.storage.search.catchUp();
		expect(await namesOf('search=grace')).toEqual(['Grace, "the" 2nd']);
		const [header] = readCsv((await get('?filter=spam')).text);
		expect(header?.slice(5)).toEqual(['name', 'only', ...JUDGED]);
	});

	test('of no submissions is a header, an empty list, or empty', async () => {
		expect(readCsv((await get('?until=2000-01-01')).text)).toHaveLength(1);
		expect((await get('?until=2000-01-01&format=json')).body).toEqual([]);
		expect((await get('?until=2000-01-01&format=ndjson')).text).toBe('');
	});

	test('rejects invalid parameters, after it has found the form', async () => {
		for (const query of [
			'?format=xls',
			'?bom=yes',
			'?formulas=no',
			'?filter=x',
			'?since=x',
			'?format=csv&format=json',
		]) {
			expect((await get(query)).status).toBe(400);
		}
		expect((await server.call('GET /api/forms/nope/export?format=xls')).status).toBe(404);
	});

	test('is open to a read key and to the form-level key of that form, and to no other key', async () => {
		const statusFor = async (key: string | null) => (await get('', { key })).status;
		expect(await statusFor(await server.createKey({ permissions: ['read'] }))).toBe(200);
		expect(await statusFor(await server.createKey({ form: form.id }))).toBe(200);
		expect(await statusFor(await server.createKey({ permissions: ['write', 'delete'] }))).toBe(403);
		expect(await statusFor(await server.createKey({ mode: 'test' }))).toBe(404);
		expect(await statusFor(null)).toBe(401);
		const other = await server.createForm<Form>({ name: 'Other' });
		expect(await statusFor(await server.createKey({ form: other.id }))).toBe(403);
	});
});

test('an export of many chunks has every submission once, and no later one', async () => {
	const { id } = await server.createForm<Form>({ name: 'Many' });
	const note = 'x'.repeat(400);
	for (let i = 0; i < 60; i++) {
		await Promise.all(Array.from({ length: 50 }, (_, j) => append(id, { n: i * 50 + j, note })));
	}
	for (const order of ['asc', 'desc'] as const) {
		const opened = await server.app.submissions.openExport(id, {
			readQuery: () => parseExportQuery(new URLSearchParams({ format: 'ndjson', order })),
		});
		expect(opened.total).toBe(3000);
		let text = '';
		let pieces = 0;
		for await (const chunk of opened.chunks) {
			text += new TextDecoder().decode(chunk);
			if (++pieces === 2) await append(id, { n: -1 });
		}
		const numbers = text
			.trimEnd()
			.split('\n')
			.map((line) => JSON.parse(line).data.n as number);
		const expected = Array.from({ length: 3000 }, (_, n) => n);
		expect(numbers).toEqual(order === 'asc' ? expected : expected.reverse());
		expect(pieces).toBeGreaterThan(3);
		await removeNewest(id);
	}
});

testOnSqlite(
	'what was passed over when the list of names was full is in the column of the rest until deletions make room',
	async () => {
		const { id } = await server.createForm<Form>({ name: 'Wide' });
		const named = (prefix: string, count: number) =>
			Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${i}`, 'x']));
		const lastFields = async () => {
			const { text } = await server.call(`GET /api/forms/${id}/export?order=asc`);
			return readCsv(text).map((cells) => cells.at(-1 - JUDGED.length));
		};
		await append(id, named('a', 1998));
		expect(await lastFields()).toEqual(['a1997', 'x']);
		await append(id, { passed: 'by', ...named('b', 2) });
		await append(id, { b0: 'x', late: 'too' });
		expect(await lastFields()).toEqual(['otherFields', '', '{"b1":"x"}', '{"late":"too"}']);
		await removeOldest(id);
		server.app.storage.maintain();
		await until(async () => (await lastFields())[0] === 'late');
		expect(await lastFields()).toEqual(['late', '', 'too']);
		const reopened = await openStorage(server.app.config.database);
		const names = await reopened.submissions.names(Number.parseInt(id, 36), PLACE.inbox);
		expect(names).toEqual({ names: ['passed', 'b0', 'b1', 'late'], isPartial: false });
		await reopened.close();
	},
);

const removeNewest = (formId: string) => removeFirst(formId, 'desc');
const removeOldest = (formId: string) => removeFirst(formId, 'asc');

async function removeFirst(formId: string, order: 'asc' | 'desc'): Promise<void> {
	const { submissions } = server.app.storage;
	const form = Number.parseInt(formId, 36);
	const { rows } = await submissions.list({ formId: form, filter: 'all', order, limit: 1, offset: 0 });
	await submissions.remove(
		form,
		rows.map((row) => row.id),
	);
}

function append(formId: string, data: object): Promise<number> {
	const { storage } = server.app;
	return storage.submissions.append({
		formId: Number.parseInt(formId, 36),
		data: JSON.stringify(data),
		names: Object.keys(data),
		spamReason: null,
		subject: null,
		replyTo: null,
	});
}
