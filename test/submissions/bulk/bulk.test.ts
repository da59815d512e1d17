import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Form } from '../../../src/forms/schema.ts';
import { openTestServer, type TestServer } from '../../server.ts';

interface Row {
	id: string;
	data: { n: number };
	isRead: boolean;
	isStarred: boolean;
	isSpam: boolean;
}

let server: TestServer;
let form: Form;
let rows: Row[];

const list = async (query = '') => {
	const { body } = await server.call<{ submissions: Row[] }>(
		`GET /api/forms/${form.id}/submissions?order=asc&limit=100&${query}`,
	);
	return body.submissions;
};
const numbers = (found: Row[]) => found.map(({ data }) => data.n);
const update = (json: unknown, options = {}) =>
	server.call<{ updated?: number; unknown?: string[]; errors?: { field: string }[] }>(
		`PATCH /api/forms/${form.id}/submissions`,
		{
			json,
			...options,
		},
	);
const remove = (json: unknown, options = {}) =>
	server.call<{ deleted?: number; unknown?: string[]; matched?: number; dryRun?: true; errors?: { field: string }[] }>(
		`POST /api/forms/${form.id}/submissions/delete`,
		{
			json,
			...options,
		},
	);

beforeAll(async () => {
	server = await openTestServer();
});
afterAll(() => server.close());

beforeEach(async () => {
	form = await server.createForm<Form>({ name: 'Contact' });
	for (let n = 0; n < 6; n++) await server.submit(form.slug, { n, note: n % 2 ? 'odd one' : 'even one' });
	await server.submit(form.slug, { n: 6, _gotcha: 'x' });
	rows = await list();
});

describe('PATCH /api/forms/{id}/submissions', () => {
	test('sets flags of the submissions named, each counted once, and names the unknown ones', async () => {
		const ids = [rows[0]?.id, rows[2]?.id, rows[0]?.id, 'zzz', 'NO', ''];
		const { status, body } = await update({ ids, set: { isRead: true, isStarred: true } });
		expect({ status, body }).toEqual({ status: 200, body: { updated: 2, unknown: ['zzz', 'NO', ''] } });
		expect(numbers(await list('filter=starred'))).toEqual([0, 2]);
		expect(numbers(await list('filter=unread'))).toEqual([1, 3, 4, 5]);
	});

	test('does not touch submissions of another form', async () => {
		const other = await server.createForm<Form>({ name: 'Other' });
		const answer = await server.call<object>(`PATCH /api/forms/${other.id}/submissions`, {
			json: { ids: rows.map(({ id }) => id), set: { isSpam: true } },
		});
		expect(answer.body).toEqual({ updated: 0, unknown: rows.map(({ id }) => id) });
		expect(await list()).toHaveLength(6);
	});

	test('sets flags of all submissions that a list returns, on all its pages', async () => {
		expect((await update({ filter: 'unread', set: { isRead: true } })).body).toEqual({ updated: 6 });
		expect(await list('filter=unread')).toEqual([]);
		const { unreadCount } = (await server.call<Form>(`GET /api/forms/${form.id}`)).body;
		expect(unreadCount).toBe(0);
		expect((await update({ filter: 'all', until: '2000-01-01', set: { isRead: false } })).body).toEqual({ updated: 0 });
		await server.app.storage.search.catchUp();
		expect((await update({ filter: 'all', search: 'ODD', set: { isStarred: true } })).body).toEqual({ updated: 3 });
		expect(numbers(await list('filter=starred'))).toEqual([1, 3, 5]);
	});

	test('unmarks spam', async () => {
		expect((await update({ filter: 'spam', set: { isSpam: false }, sendWithheld: true })).body).toEqual({ updated: 1 });
		expect(await list()).toHaveLength(7);
	});

	test.each([
		[{ set: { isRead: true } }, 'ids'],
		[{ ids: ['a'] }, 'set'],
		[{ ids: ['a'], filter: 'all', set: {} }, 'filter'],
		[{ ids: ['a'], search: 'x', set: {} }, 'search'],
		[{ filter: 'everything', set: {} }, 'filter'],
		[{ filter: 'all', since: 'yesterday', set: {} }, 'since'],
		[{ filter: 'all', search: 'x'.repeat(201), set: {} }, 'search'],
		[{ filter: 'all', search: '', set: {} }, 'search'],
		[{ filter: 'all', search: ' \u0301', set: {} }, 'search'],
		[{ filter: 'all', since: '', set: {} }, 'since'],
		[{ filter: 'all', until: '', set: {} }, 'until'],
		[{ ids: 'a', set: {} }, 'ids'],
		[{ ids: ['a'], set: { isRead: 'yes' } }, 'set.isRead'],
		[{ ids: ['a'], set: { read: true } }, 'set.read'],
		[{ ids: Array(1001).fill('a'), set: {} }, 'ids'],
	])('rejects %j and names the field', async (json, field) => {
		const { status, body } = await update(json);
		expect({ status, field: body.errors?.[0]?.field }).toEqual({ status: 400, field });
	});

	test('needs the permission to write, and a form of its mode', async () => {
		const json = { filter: 'all', set: {} };
		const statusFor = async (key: string | null) => (await update(json, { key })).status;
		expect(await statusFor(await server.createKey({ permissions: ['write'] }))).toBe(200);
		expect(await statusFor(await server.createKey({ permissions: ['read', 'delete'] }))).toBe(403);
		expect(await statusFor(await server.createKey({ form: form.id }))).toBe(403);
		expect(await statusFor(await server.createKey({ mode: 'test' }))).toBe(404);
		expect(await statusFor(null)).toBe(401);
	});
});

describe('POST /api/forms/{id}/submissions/delete', () => {
	test('removes the submissions named', async () => {
		const { status, body } = await remove({ ids: [rows[1]?.id, rows[4]?.id] });
		expect({ status, body }).toEqual({ status: 200, body: { deleted: 2 } });
		expect(numbers(await list())).toEqual([0, 2, 3, 5]);
		expect((await remove({ ids: [rows[1]?.id] })).body).toEqual({ deleted: 0, unknown: [rows[1]?.id as string] });
	});

	test('removes all submissions that a list returns, and no others', async () => {
		expect((await remove({ filter: 'spam' })).body).toEqual({ deleted: 1 });
		expect(await list('filter=spam')).toEqual([]);
		expect(await list()).toHaveLength(6);
		expect((await remove({ filter: 'all' })).body).toEqual({ deleted: 6 });
		expect((await server.call<Form>(`GET /api/forms/${form.id}`)).body.submissionCount).toBe(0);
	});

	test('by search says how many it would remove, and removes them when it is told to', async () => {
		await server.submit(form.slug, { n: 7, email: 'ada@example.org' });
		await server.submit(form.slug, { n: 8, email: 'nada@example.org' });
		await server.app.storage.search.catchUp();
		const chosen = { filter: 'all', search: 'ada@example.org' };
		for (const json of [chosen, { ...chosen, dryRun: true }, { ...chosen, dryRun: null }]) {
			expect((await remove(json)).body).toEqual({ deleted: 0, matched: 2, dryRun: true });
		}
		expect((await remove({ filter: 'unread', dryRun: true })).body).toMatchObject({ matched: 8, dryRun: true });
		const ids = [rows[1]?.id, rows[1]?.id, 'zzz'];
		expect((await remove({ ids, dryRun: true })).body).toMatchObject({ deleted: 0, matched: 1, unknown: ['zzz'] });
		expect(await list()).toHaveLength(8);
		expect((await remove({ ...chosen, dryRun: 'false' })).status).toBe(400);
		expect((await remove({ ...chosen, dryRun: false })).body).toEqual({ deleted: 2 });
		expect(await list()).toHaveLength(6);
	});

	test('rejects a request without ids and filter', async () => {
		expect((await remove({})).status).toBe(400);
		expect((await remove({ search: 'odd' })).status).toBe(400);
		for (const search of ['', ' ', '\u0301']) expect((await remove({ filter: 'all', search })).status).toBe(400);
		expect(await list()).toHaveLength(6);
	});

	test('needs the permission to delete', async () => {
		const json = { ids: [] };
		const statusFor = async (key: string | null) => (await remove(json, { key })).status;
		expect(await statusFor(await server.createKey({ permissions: ['delete'] }))).toBe(200);
		expect(await statusFor(await server.createKey({ permissions: ['read', 'write'] }))).toBe(403);
		expect(await statusFor(null)).toBe(401);
	});
});
