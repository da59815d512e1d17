/** Section 4 of the interface: the management endpoints, one by one. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { openTestServer, type TestServer } from '../server.ts';
import type { ErrorBody, FormBody, ListBody } from './wire.ts';

let clock = Date.UTC(2026, 0, 1);
let server: TestServer;
let form: FormBody;

beforeAll(async () => {
	server = await openTestServer({ now: () => clock });
});
afterAll(() => server.close());
beforeEach(async () => {
	form = await server.createForm<FormBody>({ name: 'Contact' });
});

/** Submits at a moment of its own, a second after the one before. */
async function submitAll(...values: string[]): Promise<void> {
	for (const value of values) {
		clock += 1000;
		expect((await server.submit(form.slug, { value })).status).toBe(200);
	}
}

const list = async (query = '') => (await server.call<ListBody>(`GET /api/forms/${form.id}/submissions${query}`)).body;
const valuesOf = ({ submissions }: ListBody) => submissions.map(({ data }) => data.value);

async function flag(value: string, flags: object): Promise<void> {
	const all = [...(await list('?limit=100')).submissions, ...(await list('?limit=100&filter=spam')).submissions];
	const id = all.find(({ data }) => data.value === value)?.id;
	const { status } = await server.call(`PATCH /api/forms/${form.id}/submissions/${id}`, { json: flags });
	expect(status).toBe(200);
}

describe('every management endpoint', () => {
	test('needs the Authorization header', async () => {
		const routes = [
			'GET /api/forms',
			'POST /api/forms',
			'GET /api/forms/x',
			'PATCH /api/forms/x',
			'DELETE /api/forms/x',
		];
		for (const route of [...routes, 'GET /api/forms/x/submissions']) {
			expect((await server.call(route as 'GET /', { key: null })).status).toBe(401);
		}
	});

	test('returns JSON, and accepts a body as application/json only', async () => {
		const { headers } = await server.call('GET /api/forms');
		expect(headers.get('Content-Type')).toStartWith('application/json');
		const response = await fetch(`${server.baseUrl}/api/forms`, {
			method: 'POST',
			headers: { Authorization: `Bearer ${server.adminKey}`, 'Content-Type': 'text/plain' },
			body: '{"name":"Contact"}',
		});
		expect(response.status).toBe(415);
	});
});

describe('GET /api/forms', () => {
	test('returns an object whose forms are the forms, the newest first', async () => {
		const second = await server.createForm<FormBody>({ name: 'Second' });
		const { status, body } = await server.call<{ forms: FormBody[] }>('GET /api/forms');
		expect(status).toBe(200);
		expect(Object.keys(body)).toEqual(['forms']);
		expect(body.forms.slice(0, 2)).toEqual([second, form]);
	});
});

describe('GET /api/forms/{id}', () => {
	test('returns the form', async () => {
		const { status, body } = await server.call<FormBody>(`GET /api/forms/${form.id}`);
		expect([status, body]).toEqual([200, form]);
	});

	test.each(['x', '0', '-1', 'zzzzzzzzzzz', '%27', "1' OR '1'='1", '..%2Fforms'])(
		'returns 404 to the id %s',
		async (id) => {
			const { status } = await server.call(`GET /api/forms/${encodeURI(id)}`);
			expect(status).toBe(404);
		},
	);
});

describe('POST /api/forms', () => {
	test('creates a form and returns it with 201 and its Location', async () => {
		const { status, body, headers } = await server.call<FormBody>('POST /api/forms', { json: { name: 'New' } });
		expect([status, headers.get('Location')]).toEqual([201, `/api/forms/${body.id}`]);
		expect(body).toMatchObject({ name: 'New', isActive: true, submissionCount: 0 });
		expect((await server.call(`GET ${headers.get('Location')}` as 'GET /')).body).toEqual(body);
	});

	test('needs name', async () => {
		for (const json of [{}, { name: '' }, { name: '  ' }, { name: 5 }, { name: null }, { name: 'x'.repeat(201) }]) {
			const { status, body } = await server.call<ErrorBody>('POST /api/forms', { json });
			expect([status, body.code, body.errors?.[0]?.field]).toEqual([400, 'VALIDATION_ERROR', 'name']);
		}
	});

	test('takes notificationEmail, redirectUrl and allowedDomains, and does without them', async () => {
		expect(form).toMatchObject({ notificationEmail: null, redirectUrl: null, allowedDomains: [] });
		const json = {
			name: 'Full',
			notificationEmail: 'ann@example.com, bob@example.com',
			redirectUrl: 'https://example.com/ok',
			allowedDomains: ['https://Example.com/path', 'bücher.example', 'localhost:3000'],
		};
		const { body } = await server.call<FormBody>('POST /api/forms', { json });
		expect(body.redirectUrl).toBe('https://example.com/ok');
		expect(body.allowedDomains).toEqual(['example.com', 'xn--bcher-kva.example', 'localhost:3000']);
		expect(body.notificationEmail).toContain('bob@example.com');
	});

	test.each([
		['notificationEmail', 'nobody'],
		['notificationEmail', 'a@b.example>\r\nRCPT TO:<c@d.example'],
		['redirectUrl', 'javascript:alert(1)'],
		['redirectUrl', '/relative'],
		['allowedDomains', 'example.com'],
		['allowedDomains', [5]],
		['allowedDomains', ['not a domain']],
		['isActive', 'false'],
		['allowedDomain', ['example.com']],
	])('refuses %s: %j and names the member', async (member, value) => {
		const { status, body } = await server.call<ErrorBody>('POST /api/forms', { json: { name: 'X', [member]: value } });
		expect([status, body.code]).toEqual([400, 'VALIDATION_ERROR']);
		expect(body.errors?.[0]?.field).toStartWith(member);
	});
});

describe('PATCH /api/forms/{id}', () => {
	test('changes the members that are sent and no others, and returns the form', async () => {
		const { status, body } = await server.call<FormBody>(`PATCH /api/forms/${form.id}`, { json: { name: 'Renamed' } });
		expect([status, body]).toEqual([200, { ...form, name: 'Renamed' }]);
		const later = await server.call<FormBody>(`PATCH /api/forms/${form.id}`, { json: { isActive: false } });
		expect(later.body).toEqual({ ...form, name: 'Renamed', isActive: false });
	});

	test('changes everything that can be set at creation, and null takes it back', async () => {
		const change = {
			notificationEmail: 'ann@example.com',
			redirectUrl: 'https://example.com/',
			allowedDomains: ['example.com'],
		};
		const changed = await server.call<FormBody>(`PATCH /api/forms/${form.id}`, { json: change });
		// The same setting with its other members.
		const notification = expect.objectContaining({ to: change.notificationEmail });
		expect(changed.body).toEqual({ ...form, ...change, notification } as FormBody);
		const json = { notificationEmail: null, redirectUrl: null, allowedDomains: null };
		expect((await server.call<FormBody>(`PATCH /api/forms/${form.id}`, { json })).body).toEqual(form);
	});

	test('accepts a form as it was read', async () => {
		const { status, body } = await server.call<FormBody>(`PATCH /api/forms/${form.id}`, { json: form });
		expect([status, body]).toEqual([200, form]);
	});

	test('returns 404 for a form that does not exist', async () => {
		expect((await server.call('PATCH /api/forms/zzz', { json: { name: 'X' } })).status).toBe(404);
	});
});

describe('DELETE /api/forms/{id}', () => {
	test('removes the form and all its submissions for good', async () => {
		await submitAll('a', 'b');
		const path = `/api/forms/${form.id}/submissions/${(await list()).submissions[0]?.id}` as const;
		const { status, body } = await server.call(`DELETE /api/forms/${form.id}`);
		expect([status, body]).toEqual([200, { success: true }]);
		for (const gone of [`/api/forms/${form.id}`, `/api/forms/${form.id}/submissions`, path] as const) {
			expect((await server.call(`GET ${gone}`)).status).toBe(404);
		}
		expect((await server.submit(form.slug, { value: 'c' })).status).toBe(404);
		expect((await server.call(`DELETE /api/forms/${form.id}`)).status).toBe(404);
	});

	test('touches no other form', async () => {
		await submitAll('kept');
		const other = await server.createForm<FormBody>({ name: 'Other' });
		await server.call(`DELETE /api/forms/${other.id}`);
		expect(valuesOf(await list())).toEqual(['kept']);
	});
});

describe('GET /api/forms/{form_id}/submissions', () => {
	test('needs a key with read access', async () => {
		const path = `/api/forms/${form.id}/submissions` as const;
		expect((await server.call(`GET ${path}`, { key: await server.createKey({ permissions: ['read'] }) })).status).toBe(
			200,
		);
		const key = await server.createKey({ permissions: ['write', 'delete'] });
		expect((await server.call(`GET ${path}`, { key })).status).toBe(403);
	});

	test('returns submissions, fields and pagination', async () => {
		await submitAll('a');
		const body = await list();
		expect(body).toEqual({
			submissions: [expect.objectContaining({ data: { value: 'a' } })],
			fields: ['value'],
			pagination: { limit: 50, offset: 0, total: 1, hasMore: false },
		});
	});

	test('limit is how many there are at most', async () => {
		await submitAll('a', 'b', 'c');
		const body = await list('?limit=2');
		expect(valuesOf(body)).toEqual(['c', 'b']);
		expect(body.pagination).toEqual({ limit: 2, offset: 0, total: 3, hasMore: true });
	});

	test('offset is how many are skipped; the next page is at offset plus limit', async () => {
		await submitAll('a', 'b', 'c', 'd', 'e');
		const pages: unknown[][] = [];
		for (let offset = 0; ; ) {
			const body = await list(`?limit=2&offset=${offset}`);
			pages.push(valuesOf(body));
			expect(body.pagination).toMatchObject({ offset, total: 5 });
			if (!body.pagination.hasMore) break;
			offset += body.pagination.limit;
		}
		expect(pages).toEqual([['e', 'd'], ['c', 'b'], ['a']]);
		const beyond = await list('?offset=10');
		expect(beyond.submissions).toEqual([]);
		expect(beyond.pagination).toEqual({ limit: 50, offset: 10, total: 5, hasMore: false });
	});

	test('since leaves out what is not strictly later', async () => {
		await submitAll('a', 'b', 'c');
		const { submissions } = await list('?order=asc');
		const second = submissions[1]?.createdAt ?? '';
		const body = await list(`?since=${second}`);
		expect(valuesOf(body)).toEqual(['c']);
		expect(body.pagination.total).toBe(1);
		expect(valuesOf(await list('?since=2026-01-01'))).toEqual(['c', 'b', 'a']);
		expect(valuesOf(await list('?since=2999-01-01'))).toEqual([]);
	});

	test('order is desc unless it is asc', async () => {
		await submitAll('a', 'b', 'c');
		expect(valuesOf(await list())).toEqual(['c', 'b', 'a']);
		expect(valuesOf(await list('?order=desc'))).toEqual(['c', 'b', 'a']);
		expect(valuesOf(await list('?order=asc'))).toEqual(['a', 'b', 'c']);
	});

	test('filter is all unless it is unread, starred or spam', async () => {
		await submitAll('plain', 'read', 'star', 'spam');
		await flag('read', { isRead: true });
		await flag('star', { isStarred: true });
		await flag('spam', { isSpam: true, isStarred: true });
		const expected = {
			all: ['star', 'read', 'plain'],
			unread: ['star', 'plain'],
			starred: ['star'],
			spam: ['spam'],
		};
		expect(valuesOf(await list())).toEqual(expected.all);
		for (const [filter, values] of Object.entries(expected)) {
			const body = await list(`?filter=${filter}`);
			expect([filter, valuesOf(body), body.pagination.total]).toEqual([filter, values, values.length]);
		}
	});

	test('fields are the distinct names of all submissions, whatever the page', async () => {
		for (const data of [{ b: 1, a: 2 }, { c: 3 }, { a: 4 }]) await server.submit(form.slug, data);
		expect((await list('?limit=1')).fields).toEqual(['b', 'a', 'c']);
		expect((await list('?since=2999-01-01')).fields).toEqual(['b', 'a', 'c']);
		expect((await list('?filter=spam')).fields).toEqual([]);
	});

	test('submissionCount is the total of filter=all', async () => {
		await submitAll('a', 'b', 'c');
		await flag('a', { isSpam: true });
		const { body } = await server.call<FormBody>(`GET /api/forms/${form.id}`);
		expect(body.submissionCount).toBe(2);
		expect((await list('?filter=all')).pagination.total).toBe(2);
	});

	test.each([
		['order', 'newest'],
		['filter', 'read'],
		['filter', 'ALL'],
		['since', 'yesterday'],
		['since', '2026-02-30'],
	])('refuses %s=%s and names the parameter', async (parameter, value) => {
		const { status, body } = await server.call<ErrorBody>(
			`GET /api/forms/${form.id}/submissions?${parameter}=${value}`,
		);
		expect([status, body.code, body.errors?.[0]?.field]).toEqual([400, 'VALIDATION_ERROR', parameter]);
	});
});
