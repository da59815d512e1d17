/** A form is found by its slug, or made: once, whoever asks, and never changed. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { AuditLog } from '../../src/audit/schema.ts';
import type { EnsuredForm, Form } from '../../src/forms/schema.ts';
import { openTestServer, type TestServer } from '../server.ts';

let server: TestServer;
let writer: string;

beforeAll(async () => {
	server = await openTestServer();
	writer = await server.createKey({ permissions: ['write'] });
});
afterAll(() => server.close());

const ensure = (slug: string, json: object = {}, key = writer) =>
	server.call<EnsuredForm & { code: string; errors: { field: string }[] }>(`PUT /api/forms/slug/${slug}`, {
		json,
		key,
	});

test('it is made with the settings, and called as its slug without a name', async () => {
	const { status, body } = await ensure('made', {
		allowedDomains: ['example.com'],
		notificationEmail: 'a@example.com',
	});
	expect(status).toBe(201);
	expect(body).toMatchObject({
		isNew: true,
		differs: [],
		form: { name: 'made', slug: 'made', allowedDomains: ['example.com'], notificationEmail: 'a@example.com' },
	});
});

test('one that is there is returned as it is, with what differs from what was sent', async () => {
	const made = (await ensure('there', { name: 'There', fields: [{ name: 'a', type: 'text' }] })).body.form;
	const wanted = { name: 'There', allowedDomains: ['HTTPS://Example.com/x'], maxSubmissions: 3, fields: made.fields };
	const { status, body } = await ensure('THERE', wanted);
	expect(status).toBe(200);
	expect<EnsuredForm>(body).toEqual({ form: made, isNew: false, differs: ['allowedDomains', 'maxSubmissions'] });
	const { body: audit } = await server.call<AuditLog>(`GET /api/audit?action=ensureForm&object=form:${made.id}`);
	expect(audit.entries).toMatchObject([
		{ form: made.id, object: { kind: 'form', id: made.id }, details: {} },
		{ form: made.id, object: { kind: 'form', id: made.id } },
	]);
	await server.call(`PATCH /api/forms/${made.id}`, { json: wanted });
	expect((await ensure('there', wanted)).body.differs).toEqual([]);
	const { body: whole } = await server.call<Form>(`GET /api/forms/${made.id}`);
	const { views: _, ...shown } = whole;
	expect<unknown>((await ensure('there', whole)).body).toEqual({ form: shown, isNew: false, differs: [] });
});

test('without reading, a guess at its saved views is not confirmed', async () => {
	const views = [{ name: 'Urgent', query: 'label=urgent' }];
	await server.call('POST /api/forms', { json: { name: 'Guessed', slug: 'guessed', views } });
	const reader = await server.createKey({ permissions: ['write', 'read'] });
	const guesses = [views, [{ name: 'Urgent', query: 'label=other' }]];
	const told = (key: string) =>
		Promise.all(guesses.map(async (guess) => (await ensure('guessed', { views: guess }, key)).body.differs));
	expect(await told(writer)).toEqual([[], []]);
	expect(await told(reader)).toEqual([[], ['views']]);
});

test('asked for at once it is made once', async () => {
	const all = await Promise.all(Array.from({ length: 20 }, () => ensure('once', { name: 'Once' })));
	expect(all.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201]);
	expect(new Set(all.map(({ body }) => body.form.id)).size).toBe(1);
});

test('a slug of the other mode, of a deleted form, or that is none, is rejected', async () => {
	const testKey = await server.createKey({ mode: 'test', permissions: ['write'] });
	await ensure('of-the-other', {}, testKey);
	expect(await ensure('of-the-other')).toMatchObject({ status: 409, body: { code: 'SLUG_TAKEN' } });
	const { body } = await ensure('deleted');
	await server.call(`DELETE /api/forms/${body.form.id}`);
	expect(await ensure('deleted')).toMatchObject({ status: 409, body: { code: 'SLUG_TAKEN' } });
	expect(await ensure('a_b')).toMatchObject({ status: 400, body: { errors: [{ field: 'slug' }] } });
	expect(await ensure('path', { slug: 'body' })).toMatchObject({ status: 400, body: { errors: [{ field: 'slug' }] } });
	expect(await ensure('typo', { allowedDomain: [] })).toMatchObject({
		status: 400,
		body: { errors: [{ field: 'allowedDomain' }] },
	});
});

test('a former slug of another form is not taken by a key that cannot read', async () => {
	const { body } = await ensure('former');
	await server.call(`PATCH /api/forms/${body.form.id}`, { json: { slug: 'present' } });
	expect((await ensure('former')).status).toBe(403);
	expect(await ensure('former', {}, server.adminKey)).toMatchObject({ status: 201, body: { isNew: true } });
});
