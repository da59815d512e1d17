/** Changes of one form at the same time: each is held against the settings that it is made to. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Form } from '../../src/forms/schema.ts';
import { openTestServer, type TestServer } from '../server.ts';

let server: TestServer;

beforeAll(async () => {
	server = await openTestServer();
});
afterAll(() => server.close());

async function changeAtOnce(settings: object, changes: object[]): Promise<{ statuses: number[]; form: Form }> {
	const { body } = await server.call<Form>('POST /api/forms', { json: { name: 'Contact', ...settings } });
	const path = `/api/forms/${body.id}` as const;
	const all = await Promise.all(changes.map((json) => server.call(`PATCH ${path}`, { json })));
	return { statuses: all.map(({ status }) => status), form: (await server.call<Form>(`GET ${path}`)).body };
}

test('of two changes that go alone but not together, one is rejected', async () => {
	const bounds = { captcha: 'altcha', confirm: {}, autoresponder: {} };
	const { statuses, form } = await changeAtOnce(bounds, [{ captcha: null }, { confirm: null }]);
	expect(statuses.sort()).toEqual([200, 400]);
	expect([form.captcha, form.confirm].filter((bound) => bound !== null)).toHaveLength(1);
	const closed = await changeAtOnce({}, [{ opensAt: '2030-02-01T00:00:00Z' }, { closesAt: '2030-01-01T00:00:00Z' }]);
	expect(closed.statuses.sort()).toEqual([200, 400]);
});

test('others are all made', async () => {
	const changes = Array.from({ length: 10 }, (_, i) => (i % 2 ? { spam: { threshold: 3 } } : { name: `Contact ${i}` }));
	const { statuses, form } = await changeAtOnce({}, [...changes, { spam: { honeypot: ['website'] } }]);
	expect(statuses).toEqual(statuses.map(() => 200));
	expect(form.name).toMatch(/^Contact \d$/);
});
