import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Form } from '../../src/forms/schema.ts';
import type { ApiKey } from '../../src/keys/schema.ts';
import { openTestServer, type TestServer } from '../server.ts';

type Made = ApiKey & { key: string; code: string; errors: { field: string }[] };

let server: TestServer;
let form: Form;
let testForm: Form;
let testAdmin: string;

const create = (json: unknown, key?: string | null) => server.call<Made>('POST /api/keys', { json, key });

beforeAll(async () => {
	server = await openTestServer();
	testAdmin = await server.createKey({ mode: 'test' });
	form = await server.createForm<Form>({ name: 'Live', slug: 'live' });
	testForm = (await server.call<Form>('POST /api/forms', { json: { name: 'Test' }, key: testAdmin })).body;
});
afterAll(() => server.close());

describe('POST /api/keys', () => {
	test('returns the key itself once, and it works', async () => {
		const { status, body, headers } = await create({ name: ' build ', permissions: ['read'] });
		expect(status).toBe(201);
		expect(headers.get('Cache-Control')).toBe('no-store');
		expect(body).toMatchObject({ name: 'build', mode: 'live', permissions: ['read'], form: null, expiresAt: null });
		expect(body.key).toStartWith('sk_live_');
		expect((await server.call('GET /api/forms', { key: body.key })).status).toBe(200);
		expect((await server.call('POST /api/forms', { key: body.key, json: { name: 'x' } })).status).toBe(403);
		const list = await server.call<{ keys: ApiKey[] }>('GET /api/keys');
		expect(list.text).not.toContain(body.key);
		expect(list.body.keys.find(({ id }) => id === body.id)?.display).toBe(`sk_live_…${body.key.slice(-4)}`);
	});

	test('creates a form-level key by the id or the slug of a form', async () => {
		for (const name of [form.id, 'live']) {
			const { body } = await create({ form: name });
			expect(body).toMatchObject({ form: form.id, permissions: ['read'] });
			expect(body.key).toStartWith('fk_');
			expect((await server.call(`GET /api/forms/${form.id}/submissions`, { key: body.key })).status).toBe(200);
		}
	});

	test('creates a form-level key for up to twenty forms, all of which it names', async () => {
		const second = await server.createForm<Form>({ name: 'Second', slug: 'second' });
		const { status, body } = await create({ forms: ['second', 'live', second.id], permissions: ['read', 'write'] });
		expect(status).toBe(201);
		expect(body).toMatchObject({ form: form.id, forms: [form.id, second.id], permissions: ['read', 'write'] });
		expect((await create({ forms: [form.id] })).body).toMatchObject({ form: form.id, forms: [form.id] });
		expect((await create({ permissions: ['read'], forms: null, form: null })).body).toMatchObject({
			form: null,
			forms: null,
		});
		expect((await create({ forms: [form.id, 'nowhere'] })).body.code).toBe('FORM_NOT_FOUND');
		expect((await create({ forms: [form.id, testForm.id] })).body.code).toBe('FORM_NOT_FOUND');
		expect((await create({ forms: Array(20).fill('live') })).status).toBe(201);
	});

	test('creates keys of the caller’s mode only', async () => {
		expect((await create({ permissions: ['admin'] }, testAdmin)).body).toMatchObject({ mode: 'test' });
		expect((await create({ permissions: ['read'], mode: 'live' }, testAdmin)).status).toBe(403);
		expect((await create({ form: form.id }, testAdmin)).body.code).toBe('FORM_NOT_FOUND');
		expect((await create({ form: testForm.id })).body.code).toBe('FORM_NOT_FOUND');
		const { body } = await server.call<{ keys: ApiKey[] }>('GET /api/keys', { key: testAdmin });
		expect(new Set(body.keys.map(({ mode }) => mode))).toEqual(new Set(['test']));
	});

	test('sets an end', async () => {
		const expiresAt = new Date(Date.now() + 60_000).toISOString();
		expect((await create({ permissions: ['read'], expiresAt })).body.expiresAt).toBe(expiresAt);
	});

	test.each([
		[{}, 'permissions'],
		[{ permissions: [] }, 'permissions'],
		[{ permissions: ['billing'] }, 'permissions.0'],
		[{ permissions: 'read' }, 'permissions'],
		[{ form: 'live', permissions: ['read', 'delete'] }, 'permissions'],
		[{ forms: ['live'], permissions: ['admin'] }, 'permissions'],
		[{ forms: [] }, 'forms'],
		[{ forms: Array(21).fill('live') }, 'forms'],
		[{ forms: ['live'], form: 'live' }, 'form'],
		[{ forms: 'live' }, 'forms'],
		[{ permissions: ['read'], name: 'x'.repeat(201) }, 'name'],
		[{ permissions: ['read'], expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
		[{ permissions: ['read'], expiresAt: 'tomorrow' }, 'expiresAt'],
		[{ permissions: ['read'], expiresAt: '2099-02-30T00:00:00Z' }, 'expiresAt'],
		[{ permissions: ['read'], expiresAt: '2099-01-31' }, 'expiresAt'],
		[{ permissions: ['read'], expiresAt: '9999-12-31T23:59:59-01:00' }, 'expiresAt'],
		[{ permissions: ['read'], expiresAt: '2099-01-31T00:00:00' }, 'expiresAt'],
		[{ permissions: ['read'], expiresAt: '2099-01-31T00:00:00 02:00' }, 'expiresAt'],
		[{ permissions: ['read'], expires: '1d' }, 'expires'],
		[{ permissions: ['read'], form: '' }, 'form'],
		[{ permissions: ['read'], expiresAt: '' }, 'expiresAt'],
		[{ permissions: ['read'], expiresAt: ' ' }, 'expiresAt'],
		[{ permissions: ['read'], name: '' }, 'name'],
	])('rejects %j and names the field', async (json, field) => {
		const { status, body } = await create(json);
		expect({ status, field: body.errors[0]?.field }).toEqual({ status: 400, field });
	});
});

describe('DELETE /api/keys/{id}', () => {
	test('revokes from the next request on; again is no error, and in the other mode there is no such key', async () => {
		const { body } = await create({ permissions: ['read'] });
		const revoke = (key?: string) => server.call(`DELETE /api/keys/${body.id}`, { key });
		expect((await revoke(testAdmin)).status).toBe(404);
		expect((await server.call('GET /api/forms', { key: body.key })).status).toBe(200);
		expect((await revoke()).body).toEqual({ success: true });
		expect((await server.call('GET /api/forms', { key: body.key })).status).toBe(401);
		expect((await revoke()).status).toBe(200);
		expect((await server.call('DELETE /api/keys/nope')).status).toBe(404);
	});
});

describe('POST /api/keys/{id}/rotate', () => {
	const rotate = (id: string, json: object, key?: string) =>
		server.call<{ id: string; key: string }>(`POST /api/keys/${id}/rotate`, { json, key });
	const statusOf = async (key: string) => (await server.call('GET /api/forms', { key })).status;

	test('puts a key of the same name, rights and lifetime in the place of the old one, which is revoked at once', async () => {
		const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
		const { key: oldKey, ...old } = (await create({ name: 'build', permissions: ['read', 'write'], expiresAt })).body;
		const { status, body } = await rotate(old.id, {});
		expect(status).toBe(201);
		const { id, key, display, createdAt, expiresAt: end, ...same } = body as Record<string, unknown>;
		const { id: oldId, display: _, createdAt: __, expiresAt: ___, ...before } = old as Record<string, unknown>;
		expect(same).toEqual(before);
		expect(id).not.toBe(oldId);
		expect(Math.abs(Date.parse(`${end}`) - Date.parse(expiresAt))).toBeLessThan(60_000);
		expect([await statusOf(oldKey), await statusOf(`${key}`)]).toEqual([401, 200]);
		const [listed] = (await server.call<{ keys: object[] }>('GET /api/keys')).body.keys;
		expect(listed).toMatchObject({ id, display, createdAt });
		const { body: audit } = await server.call<{ entries: object[] }>('GET /api/audit?action=rotateKey&limit=1');
		expect(audit.entries[0]).toMatchObject({ object: { id }, details: { facts: { replaces: oldId } } });
	});

	test('leaves both valid for the overlap, and never lengthens the life of the old one', async () => {
		const lasting = (await create({ permissions: ['read'] })).body;
		const { body } = await rotate(lasting.id, { overlapSeconds: 2 });
		const valid = async () => [await statusOf(lasting.key), await statusOf(body.key)];
		expect(await valid()).toEqual([200, 200]);
		expect((await rotate(lasting.id, { overlapSeconds: 86_400 })).status).toBe(409);
		await Bun.sleep(2100);
		expect(await valid()).toEqual([401, 200]);
		const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
		const ending = (await create({ permissions: ['read'], expiresAt })).body;
		await rotate(ending.id, { overlapSeconds: 86_400 });
		const { keys } = (await server.call<{ keys: { id: string; expiresAt: string }[] }>('GET /api/keys')).body;
		expect(keys.find(({ id }) => id === ending.id)?.expiresAt).toBe(expiresAt);
	});

	test('ends no later than the calendar', async () => {
		const old = (await create({ permissions: ['read'], expiresAt: '9999-12-31T23:59:59.999Z' })).body;
		expect((await rotate(old.id, {})).body).toMatchObject({ expiresAt: '9999-12-31T23:59:59.999Z' });
	});

	test('keeps the forms of a form-level key', async () => {
		const second = await server.createForm<{ id: string }>({ name: 'Second' });
		const old = (await create({ forms: [form.id, second.id], permissions: ['read'] })).body;
		const { key, ...made } = (await rotate(old.id, {})).body;
		expect(key).toStartWith('fk_');
		expect(made).toMatchObject({ forms: [form.id, second.id] });
		expect((await server.call(`GET /api/forms/${second.id}/submissions`, { key })).status).toBe(200);
	});

	test('of one key at the same time makes one key', async () => {
		const old = (await create({ permissions: ['read'] })).body;
		const all = await Promise.all(Array.from({ length: 5 }, () => rotate(old.id, {})));
		expect(all.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
		expect((await rotate(old.id, { overlapSeconds: 60 })).status).toBe(409);
	});

	test.each([-1, 0.5, 2_592_001, '60'])('rejects an overlap of %j', async (overlapSeconds) => {
		const old = (await create({ permissions: ['read'] })).body;
		const { status, body } = await rotate(old.id, { overlapSeconds });
		expect({ status, body }).toMatchObject({ status: 400, body: { errors: [{ field: 'overlapSeconds' }] } });
		expect(await statusOf(old.key)).toBe(200);
	});

	test('knows no key of the other mode', async () => {
		const old = (await create({ permissions: ['read'] })).body;
		expect((await rotate(old.id, {}, testAdmin)).status).toBe(404);
		expect((await rotate('nope', {})).status).toBe(404);
	});
});

test('only an admin key manages keys', async () => {
	const limited = await server.createKey({ permissions: ['read', 'write', 'delete'] });
	const ofForm = await server.createKey({ form: form.id });
	for (const [key, status] of [
		[limited, 403],
		[ofForm, 403],
		[null, 401],
	] as const) {
		expect((await server.call('GET /api/keys', { key })).status).toBe(status);
		expect((await create({}, key)).status).toBe(status);
		expect((await server.call('DELETE /api/keys/nope', { key })).status).toBe(status);
	}
});
