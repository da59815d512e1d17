/** Section 5 of the interface: keys, their kinds and their permissions. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openTestServer, type TestServer } from '../server.ts';
import type { ErrorBody, FormBody, ListBody } from './wire.ts';

let server: TestServer;
let form: FormBody;

beforeAll(async () => {
	server = await openTestServer({ settings: { FORMSRV_RATE_AUTH: '0' } });
	form = await server.createForm<FormBody>({ name: 'Contact' });
	await server.submit(form.slug, { a: 'b' });
});
afterAll(() => server.close());

const withAuthorization = (value: string) =>
	server.call<ErrorBody>('GET /api/forms', { key: null, headers: { Authorization: value } });

describe('the Authorization header', () => {
	test('carries the key as a bearer token, whatever the case of the scheme', async () => {
		expect((await withAuthorization(`Bearer ${server.adminKey}`)).status).toBe(200);
		expect((await withAuthorization(`bearer ${server.adminKey}`)).status).toBe(200);
	});

	test('gets responses that no cache may store', async () => {
		const form = await server.app.forms.create('live', { name: 'Cached' });
		for (const path of ['', `/${form.id}`, `/${form.id}/submissions`, '/nope'] as const) {
			const { headers } = await server.call(`GET /api/forms${path}`);
			expect(headers.get('Cache-Control')).toBe('no-store');
		}
	});

	test('missing: 401 with the challenge', async () => {
		const { status, headers, body } = await server.call<ErrorBody>('GET /api/forms', { key: null });
		expect([status, body.code]).toEqual([401, 'UNAUTHORIZED']);
		expect(headers.get('WWW-Authenticate')).toBe('Bearer realm="formsrv"');
	});

	test('with anything but a valid key: 401, the same for every cause', async () => {
		const revoked = await server.app.keys.create({ mode: 'live', permissions: ['admin'] });
		await server.app.keys.revoke(revoked.key.id);
		const wrong = [
			'Bearer nonsense',
			`Bearer ${revoked.token}`,
			`Bearer ${server.adminKey.slice(0, -1)}`,
			`Basic ${btoa(`key:${server.adminKey}`)}`,
			server.adminKey,
		];
		const sentences = new Set<string>();
		for (const value of wrong) {
			const { status, headers, body } = await withAuthorization(value);
			expect([status, body.code]).toEqual([401, 'UNAUTHORIZED']);
			expect(headers.get('WWW-Authenticate')).toStartWith('Bearer realm="formsrv"');
			sentences.add(body.error);
		}
		expect(sentences.size).toBe(1);
	});

	test('is the only place for a key', async () => {
		for (const name of ['key', 'api_key', 'access_token', 'token']) {
			expect((await server.call(`GET /api/forms?${name}=${server.adminKey}`, { key: null })).status).toBe(401);
		}
	});
});

describe('keys', () => {
	test('are several, with different permissions', async () => {
		const reader = await server.createKey({ permissions: ['read'] });
		const writer = await server.createKey({ permissions: ['write'] });
		expect(reader).not.toBe(writer);
		expect((await server.call('GET /api/forms', { key: reader })).status).toBe(200);
		expect((await server.call('GET /api/forms', { key: writer })).status).toBe(403);
	});

	test('begin with sk_live_ for production and with sk_test_ for development', async () => {
		expect(await server.createKey({ mode: 'live' })).toMatch(/^sk_live_[0-9A-Za-z]{38}$/);
		expect(await server.createKey({ mode: 'test' })).toMatch(/^sk_test_[0-9A-Za-z]{38}$/);
	});

	test('of the one kind neither see nor touch the forms of the other', async () => {
		const key = await server.createKey({ mode: 'test' });
		const { body: draft } = await server.call<FormBody>('POST /api/forms', { key, json: { name: 'Draft' } });
		const { body: drafts } = await server.call<{ forms: FormBody[] }>('GET /api/forms', { key });
		expect(drafts.forms.map(({ id }) => id)).toEqual([draft.id]);
		expect((await server.submit(draft.slug, { a: 'b' })).status).toBe(200);
		for (const [path, other] of [
			[`/api/forms/${form.id}`, key],
			[`/api/forms/${form.id}/submissions`, key],
			[`/api/forms/${draft.id}`, server.adminKey],
		] as const) {
			expect((await server.call(`GET ${path}`, { key: other })).status).toBe(404);
		}
		expect((await server.call(`DELETE /api/forms/${form.id}`, { key })).status).toBe(404);
		expect((await server.call(`PATCH /api/forms/${form.id}`, { key, json: { name: 'X' } })).status).toBe(404);
	});

	test('stop working at the very next request when they are revoked', async () => {
		const { token, key } = await server.app.keys.create({ mode: 'live', permissions: ['read'] });
		expect((await server.call('GET /api/forms', { key: token })).status).toBe(200);
		await server.app.keys.revoke(key.id);
		expect((await server.call('GET /api/forms', { key: token })).status).toBe(401);
	});
});

describe('a form-level key', () => {
	test('begins with fk_ and reads the submissions of its form', async () => {
		const key = await server.createKey({ form: form.id });
		expect(key).toMatch(/^fk_[0-9A-Za-z]{38}$/);
		const { status, body } = await server.call<ListBody>(`GET /api/forms/${form.id}/submissions`, { key });
		expect([status, body.submissions[0]?.data]).toEqual([200, { a: 'b' }]);
		const one = `GET /api/forms/${form.id}/submissions/${body.submissions[0]?.id}` as const;
		expect((await server.call(one, { key })).status).toBe(200);
	});

	test('does nothing else, and cannot tell which other forms exist', async () => {
		const key = await server.createKey({ form: form.slug });
		const other = await server.createForm<FormBody>({ name: 'Other' });
		const own = `/api/forms/${form.id}` as const;
		const { body } = await server.call<ListBody>(`GET ${own}/submissions`);
		const submission = `${own}/submissions/${body.submissions[0]?.id}` as const;
		const refusals = [
			await server.call<ErrorBody>('GET /api/forms', { key }),
			await server.call<ErrorBody>('POST /api/forms', { key, json: { name: 'X' } }),
			await server.call<ErrorBody>(`GET ${own}`, { key }),
			await server.call<ErrorBody>(`PATCH ${own}`, { key, json: { name: 'X' } }),
			await server.call<ErrorBody>(`DELETE ${own}`, { key }),
			await server.call<ErrorBody>(`PATCH ${submission}`, { key, json: { isRead: true } }),
			await server.call<ErrorBody>(`DELETE ${submission}`, { key }),
			await server.call<ErrorBody>(`GET /api/forms/${other.id}/submissions`, { key }),
			await server.call<ErrorBody>('GET /api/forms/zzz/submissions', { key }),
		];
		for (const { status, body: refusal } of refusals) expect([status, refusal.code]).toEqual([403, 'FORBIDDEN']);
		expect(refusals.at(-1)?.body.error).toBe(refusals.at(-2)?.body.error ?? '');
	});
});

describe('permissions', () => {
	const target = async () => (await server.createForm<FormBody>({ name: 'Target' })).id;

	/** Each route, the permission that it needs, and how it is called. */
	const routes = [
		['GET /api/forms', 'read', (key: string) => server.call('GET /api/forms', { key })],
		['GET /api/forms/{id}', 'read', async (key: string) => server.call(`GET /api/forms/${await target()}`, { key })],
		[
			'GET /api/forms/{form_id}/submissions',
			'read',
			async (key: string) => server.call(`GET /api/forms/${await target()}/submissions`, { key }),
		],
		['POST /api/forms', 'write', (key: string) => server.call('POST /api/forms', { key, json: { name: 'New' } })],
		[
			'PATCH /api/forms/{id}',
			'write',
			async (key: string) => server.call(`PATCH /api/forms/${await target()}`, { key, json: { name: 'X' } }),
		],
		[
			'DELETE /api/forms/{id}',
			'delete',
			async (key: string) => server.call(`DELETE /api/forms/${await target()}`, { key }),
		],
	] as const;

	test.each(routes)('%s needs %s, or admin, and nothing else will do', async (_, needed, call) => {
		for (const permission of ['read', 'write', 'delete', 'admin'] as const) {
			const { status, body } = await call(await server.createKey({ permissions: [permission] }));
			const isAllowed = permission === needed || permission === 'admin';
			expect([permission, status < 300]).toEqual([permission, isAllowed]);
			if (!isAllowed) {
				expect(status).toBe(403);
				expect((body as ErrorBody).error).toContain(needed);
			}
		}
	});

	test('read is needed beside write to change notificationEmail, and not to create a form with one', async () => {
		const writer = await server.createKey({ permissions: ['write'] });
		const both = await server.createKey({ permissions: ['read', 'write'] });
		const json = { name: 'New', notificationEmail: 'ann@example.com' };
		const { status, body } = await server.call<FormBody>('POST /api/forms', { key: writer, json });
		expect([status, body.notificationEmail]).toEqual([201, 'ann@example.com']);
		const change = (key: string) =>
			server.call<ErrorBody>(`PATCH /api/forms/${body.id}`, { key, json: { notificationEmail: 'bob@example.com' } });
		const refused = await change(writer);
		expect([refused.status, refused.body.code]).toEqual([403, 'FORBIDDEN']);
		expect(refused.body.error).toContain('read');
		expect((await change(both)).status).toBe(200);
	});

	test('are judged before the object and the body are looked at', async () => {
		const key = await server.createKey({ permissions: ['read'] });
		expect((await server.call('DELETE /api/forms/zzz', { key })).status).toBe(403);
		expect((await server.call('POST /api/forms', { key, json: { nonsense: true } })).status).toBe(403);
		expect((await server.call('POST /api/forms', { key: null, json: { nonsense: true } })).status).toBe(401);
	});
});

test('a valid key is not rejected because of wrong ones from its address', async () => {
	const limited = await openTestServer({ settings: { FORMSRV_RATE_AUTH: '20' } });
	const statuses = new Set<number>();
	for (let i = 0; i < 25; i++) statuses.add((await limited.call('GET /api/forms', { key: 'sk_live_wrong' })).status);
	expect([...statuses]).toEqual([401, 429]);
	expect((await limited.call('GET /api/forms')).status).toBe(200);
	await limited.close();
});

test('submitting to a form needs no authentication and ignores what is sent for it', async () => {
	expect((await server.submit(form.slug, { a: 'b' })).status).toBe(200);
	for (const value of ['Bearer nonsense', 'Basic eDp5']) {
		expect((await server.submit(form.slug, { a: 'b' }, { Authorization: value })).status).toBe(200);
	}
});
