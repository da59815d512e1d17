/** Saved views: which are taken, and what is said of others. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { AuditLog } from '../../src/audit/schema.ts';
import type { Form } from '../../src/forms/schema.ts';
import { openTestServer, type TestServer } from '../server.ts';

let server: TestServer;
let form: Form;
beforeAll(async () => {
	server = await openTestServer();
	form = await server.createForm<Form>({ name: 'Contact' });
});
afterAll(() => server.close());

const set = (views: unknown) =>
	server.call<Form & { errors?: { field: string; code: string; message: string }[] }>(`PATCH /api/forms/${form.id}`, {
		json: { views },
	});

test('they are kept in their order, and none by default', async () => {
	expect(form.views).toEqual([]);
	const views = [
		{ name: 'Urgent', query: 'filter=archived&label=urgent&search=a+b&order=asc' },
		{ name: 'January', query: 'from=2026-01-01&to=2026-01-31' },
		{ name: 'All', query: '' },
	];
	expect((await set(views)).body.views).toEqual(views);
	expect((await set(null)).body.views).toEqual([]);
	const most = Array.from({ length: 20 }, (_, i) => ({
		name: `${i}`.padStart(60, 'x'),
		query: `search=${'x'.repeat(1993)}`,
	}));
	expect((await set(most)).body.views).toEqual(most);
});

test('a key that may not read sees none, in no response to a change, and the log that they changed, not to what', async () => {
	const named = [{ name: 'Complaints of Ada', query: 'search=ada%40example.org' }];
	await set(named);
	const key = await server.createKey({ permissions: ['write', 'audit'] });
	const call = async (route: `${'POST' | 'PUT' | 'PATCH'} /${string}`, json: object) =>
		(await server.call<object>(route, { key, json })).body;
	const changed = await call(`PATCH /api/forms/${form.id}`, { name: 'Renamed' });
	const ensured = await call(`PUT /api/forms/slug/${form.slug}`, {});
	const made = await call('POST /api/forms', { name: 'New', views: named });
	for (const shown of [changed, made]) {
		expect(shown).not.toHaveProperty('views');
		expect(shown).toHaveProperty('keptIn', null);
	}
	expect(ensured).not.toHaveProperty('form.views');
	expect(JSON.stringify([changed, ensured, made])).not.toMatch(/ada/i);
	const { body: log } = await server.call<AuditLog>('GET /api/audit?action=updateForm', { key });
	expect(log.entries).toContainEqual(expect.objectContaining({ details: { changes: { views: { changed: true } } } }));
	expect(JSON.stringify(log)).not.toMatch(/ada/i);
	expect((await server.call<Form>(`GET /api/forms/${form.id}`)).body).toMatchObject({ name: 'Renamed', views: named });
});

test.each([
	[Array(21).fill({ name: 'a', query: '' }), 'views', /at most 20/],
	[[{ name: ' ', query: '' }], 'views.0.name', /1 to 60/],
	[[{ name: 'x'.repeat(61), query: '' }], 'views.0.name', /1 to 60/],
	[
		[
			{ name: 'a', query: '' },
			{ name: 'a ', query: '' },
		],
		'views.1.name',
		/another view/,
	],
	[[{ name: 'a', query: 'x'.repeat(2001) }], 'views.0.query', /2000/],
	[[{ name: 'a', query: 'filter=new' }], 'views.0.query', /"filter=new".*archived/],
	[[{ name: 'a', query: 'colour=red' }], 'views.0.query', /"colour=red"/],
	[[{ name: 'a', query: '__proto__=red' }], 'views.0.query', /__proto__/],
	[[{ name: 'a', query: 'from=yesterday' }], 'views.0.query', /2026-01-31/],
	[[{ name: 'a' }], 'views.0.query', /required/],
])('%j is rejected', async (views, field, message) => {
	const { status, body } = await set(views);
	expect([status, body.errors?.[0]?.field]).toEqual([400, field]);
	expect(body.errors?.[0]?.message).toMatch(message);
});
