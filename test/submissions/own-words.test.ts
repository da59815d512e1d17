/** The archive, and labels and notes, which owners alone see. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Form } from '../../src/forms/schema.ts';
import type { ImportReport } from '../../src/submissions/import/schema.ts';
import { openTestServer, type TestServer } from '../server.ts';

interface Row {
	id: string;
	data: { n: number };
	isRead: boolean;
	isArchived: boolean;
	labels: string[];
	note: string | null;
}

interface Rejection {
	error: string;
	errors?: { field: string; code: string; message: string }[];
}

let server: TestServer;
let form: Form;
let rows: Row[];
let path: `/${string}`;

beforeAll(async () => {
	server = await openTestServer({ settings: { FORMSRV_RATE_API: '0' } });
});
afterAll(() => server.close());
beforeEach(async () => {
	form = await server.createForm<Form>({ name: 'Contact' });
	path = `/api/forms/${form.id}/submissions`;
	for (let n = 0; n < 5; n++) await server.submit(form.slug, { n, text: n % 2 ? 'odd one' : 'even one' });
	await server.submit(form.slug, { n: 5, _gotcha: 'x' });
	rows = (await list()).rows;
});

const idOf = (n: number) => rows[n]?.id as string;
const patch = <Body = Row & Rejection>(n: number, json: object, key = server.adminKey) =>
	server.call<Body>(`PATCH ${path}/${idOf(n)}`, { json, key });
const bulk = (json: object, key = server.adminKey) =>
	server.call<{ updated?: number } & Partial<Rejection>>(`PATCH ${path}`, { json, key });
const get = async (n: number) => (await server.call<Row>(`GET ${path}/${idOf(n)}`)).body;
async function list(query = '') {
	type Page = { submissions: Row[]; pagination: { total: number } };
	const { body } = await server.call<Page>(`GET ${path}?order=asc&limit=100&${query}`);
	expect(body.pagination.total).toBe(body.submissions.length);
	return { rows: body.submissions, numbers: body.submissions.map(({ data }) => data.n) };
}
const exported = async (query = '') =>
	(await server.call(`GET /api/forms/${form.id}/export?format=ndjson&order=asc&${query}`)).text;

describe('a submission', () => {
	test('is new without them, and keeps what its owner sets', async () => {
		expect(await get(0)).toMatchObject({ isArchived: false, labels: [], note: null });
		const words = { isArchived: true, labels: ['Urgent', 'größe 5"', 'a, b', '日本\\'], note: 'Called back.\nTwice.' };
		expect((await patch(0, words)).body).toMatchObject({ id: idOf(0), ...words });
		expect(await get(0)).toMatchObject(words);
		// As it was read, with what cannot be set.
		expect((await patch(0, { ...(await get(0)), isRead: true })).body).toMatchObject({ ...words, isRead: true });
		expect((await patch(0, { labels: [], note: null })).body).toMatchObject({
			isArchived: true,
			labels: [],
			note: null,
		});
	});

	test('may have ten labels of forty characters, and a note of four thousand', async () => {
		const most = { labels: Array.from({ length: 10 }, (_, i) => `${i}${'🎉'.repeat(39)}`), note: '日'.repeat(4000) };
		expect((await patch(0, most)).body).toMatchObject(most);
	});

	test.each([
		[{ labels: Array.from({ length: 11 }, (_, i) => `${i}`) }, 'labels', 'TOO_MANY', /at most 10.*11/],
		[{ labels: ['a'.repeat(41)] }, 'labels.0', 'INVALID_LABEL', /one line of 1 to 40/],
		[{ labels: ['ok', ''] }, 'labels.1', 'INVALID_LABEL', /one line of 1 to 40/],
		[{ labels: [' a'] }, 'labels.0', 'INVALID_LABEL', /blanks/],
		[{ labels: ['a\nb'] }, 'labels.0', 'INVALID_LABEL', /one line/],
		[{ labels: ['Urgent', 'x', 'uRGENT'] }, 'labels.2', 'DUPLICATE', /"Urgent" and "uRGENT"/],
		[{ labels: 'urgent' }, 'labels', 'INVALID_TYPE', /list/],
		[{ labels: [1] }, 'labels.0', 'INVALID_TYPE', /text/],
		[{ note: 'x'.repeat(4001) }, 'note', 'TOO_LONG', /4000.*4001/],
		[{ note: '' }, 'note', 'EMPTY', /null for none/],
		[{ note: 1 }, 'note', 'INVALID_TYPE', /text or null/],
		[{ isArchived: 'yes' }, 'isArchived', 'INVALID_TYPE', /true or false/],
	] as const)('%j is rejected, and nothing changes', async (json, field, code, message) => {
		await patch(0, { labels: ['kept'], note: 'kept' });
		const { status, body } = await patch(0, { isRead: true, ...json });
		expect({ status, errors: body.errors }).toMatchObject({ status: 400, errors: [{ field, code }] });
		expect(body.errors?.[0]?.message).toMatch(message);
		expect(await get(0)).toMatchObject({ isRead: false, labels: ['kept'], note: 'kept' });
	});
});

describe('a list', () => {
	test('is narrowed by the archive and by a label, with each filter and with a search', async () => {
		await bulk({ ids: [idOf(1), idOf(2)], set: { isArchived: true } });
		await bulk({ ids: [idOf(2), idOf(3)], set: { labels: ['red'] } });
		await bulk({ ids: [idOf(3)], set: { isRead: true } });
		expect((await list()).numbers).toEqual([0, 1, 2, 3, 4]);
		expect((await list('archived=false')).numbers).toEqual([0, 3, 4]);
		expect((await list('archived=true')).numbers).toEqual([1, 2]);
		expect((await list('label=red')).numbers).toEqual([2, 3]);
		expect((await list('label=RED')).numbers).toEqual([]);
		expect((await list('label=red&filter=unread&archived=false')).numbers).toEqual([]);
		expect((await list('filter=unread&archived=false')).numbers).toEqual([0, 4]);
		await server.app.storage.search.catchUp();
		expect((await list('search=even&archived=true')).numbers).toEqual([2]);
		expect((await list('search=odd&label=red')).numbers).toEqual([3]);
		expect((await server.call<Form>(`GET /api/forms/${form.id}`)).body).toMatchObject({
			...{ submissionCount: 5, archivedCount: 2, unreadCount: 4, archivedUnreadCount: 2, archivedSpamCount: 0 },
		});
		expect((await exported('archived=true&label=red')).trim().split('\n')).toHaveLength(1);
	});

	test.each(['archived=yes', 'archived=', 'label=', 'label=%20x', `label=${'x'.repeat(41)}`])(
		'%s is rejected',
		async (query) => {
			const { status, body } = await server.call<Rejection>(`GET ${path}?${query}`);
			expect([status, body.errors?.[0]?.field]).toEqual([400, query.split('=')[0] as string]);
		},
	);
});

describe('many at once', () => {
	test('get a label beside those they have, and lose one', async () => {
		await patch(0, { labels: ['Red', 'blue'] });
		expect((await bulk({ filter: 'all', addLabels: ['red', 'new'] })).body).toEqual({ updated: 5 });
		expect([(await get(0)).labels, (await get(1)).labels]).toEqual([
			['Red', 'blue', 'new'],
			['red', 'new'],
		]);
		await bulk({ filter: 'all', label: 'blue', set: { isArchived: true }, removeLabels: ['RED', 'unknown'] });
		expect(await get(0)).toMatchObject({ labels: ['blue', 'new'], isArchived: true });
		expect((await list('label=red')).numbers).toEqual([1, 2, 3, 4]);
		await bulk({ filter: 'all', archived: true, set: { isRead: true } });
		expect((await list()).rows.map(({ isRead }) => isRead)).toEqual([true, false, false, false, false]);
	});

	test('are not changed if one has no room for the label', async () => {
		await patch(1, { labels: Array.from({ length: 10 }, (_, i) => `${i}`) });
		const { status, body } = await bulk({ filter: 'all', addLabels: ['more'] });
		expect({ status, body }).toMatchObject({
			status: 400,
			body: { errors: [{ field: 'addLabels', code: 'TOO_MANY' }] },
		});
		expect(body.error).toContain(idOf(1));
		expect((await list('label=more')).numbers).toEqual([]);
	});

	test.each([
		[{ set: { labels: ['a', 'A'] } }, 'set.labels.1'],
		[{ set: { note: 'x'.repeat(4001) } }, 'set.note'],
		[{ set: { note: '' } }, 'set.note'],
		[{ set: { labels: ['a'] }, addLabels: ['b'] }, 'set.labels'],
		[{}, 'set'],
		[{ set: {}, addLabels: [' '] }, 'addLabels.0'],
	])('%j is rejected', async (json, field) => {
		const { status, body } = await bulk({ filter: 'all', ...json });
		expect([status, body.errors?.[0]?.field]).toEqual([400, field]);
	});
});

describe('the owner’s words', () => {
	test('stay with those who may read', async () => {
		const key = await server.createKey({ forms: [form.id], permissions: ['write'] });
		const { body } = await patch(0, { labels: ['secret label'], note: 'secret note', isArchived: true }, key);
		expect(body).toMatchObject({ id: idOf(0), isArchived: true });
		expect(JSON.stringify(body)).not.toContain('secret');
		expect((await bulk({ filter: 'all', label: 'secret label', set: {} }, key)).status).toBe(403);
		const entries = await server.call('GET /api/audit?limit=5');
		expect(entries.text).toContain('"note":true');
		expect(entries.text).not.toContain('secret');
	});

	test('move to another server with an export, once', async () => {
		await patch(1, { isArchived: true, labels: ['Red', 'b'], note: 'Mine: "x"\n' });
		const text = await exported();
		const other = await server.app.forms.create('live', { name: 'Other' });
		const send = async () => {
			const headers = { Authorization: `Bearer ${server.adminKey}`, 'Content-Type': 'application/x-ndjson' };
			const init = { method: 'POST', headers, body: text };
			return (await (await fetch(`${server.baseUrl}/api/forms/${other.id}/import`, init)).json()) as ImportReport;
		};
		expect(await send()).toMatchObject({ imported: 5, bad: 0 });
		expect(await send()).toMatchObject({ imported: 0, known: 5 });
		type Page = { submissions: Row[] };
		const { body } = await server.call<Page>(`GET /api/forms/${other.id}/submissions?archived=true`);
		expect(body.submissions).toMatchObject([
			{ data: { n: 1 }, isArchived: true, labels: ['Red', 'b'], note: 'Mine: "x"\n' },
		]);
		expect((await server.call<Form>(`GET /api/forms/${other.id}`)).body).toMatchObject({ archivedCount: 1 });
	});

	test('are columns of an export under names that no field is likely to have', async () => {
		await patch(0, { labels: ['Red', 'b'], note: '=1+1' });
		const columns = encodeURIComponent('n,isArchived,ownerLabels,ownerNote');
		const { text } = await server.call(`GET /api/forms/${form.id}/export?order=asc&columns=${columns}`);
		expect(text.split('\r\n').slice(0, 2)).toEqual(['n,isArchived,ownerLabels,ownerNote', '0,false,"Red, b","\'=1+1"']);
	});

	test('keep a comma of their own apart from those between labels, and a note as it is', async () => {
		await patch(0, { labels: ['Müller, Berlin', 'b\\', 'c'], note: 'a, b\\' });
		const { text } = await server.call(`GET /api/forms/${form.id}/export?order=asc&columns=ownerLabels,ownerNote`);
		expect(text.split('\r\n')[1]).toBe('"Müller\\, Berlin, b\\\\, c","a, b\\"');
	});

	test('name a person who asks, and go when that person is erased', async () => {
		await patch(0, { note: 'Wrote again as ada@example.org' });
		await patch(1, { labels: ['from ada@example.org'] });
		await patch(2, { note: 'nada@example.org', labels: ['nada@example.org'] });
		const email = 'ada@example.org';
		const { body } = await server.call<{ submissions: number }>('POST /api/erasures', { json: { email } });
		expect(body.submissions).toBe(2);
		await server.call('POST /api/erasures', { json: { email, dryRun: false } });
		expect((await list()).numbers).toEqual([2, 3, 4]);
	});
});
