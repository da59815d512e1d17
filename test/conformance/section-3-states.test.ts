/** Section 3 of the interface: what state forms and submissions can be in, and how it changes. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openTestServer, type TestServer } from '../server.ts';
import type { FormBody, ListBody } from './wire.ts';

let server: TestServer;
let form: FormBody;

beforeAll(async () => {
	server = await openTestServer();
});
afterAll(() => server.close());

const setActive = (isActive: boolean, key?: string | null) =>
	server.call<FormBody>(`PATCH /api/forms/${form.id}`, { json: { isActive }, ...(key !== undefined && { key }) });

describe('the states', () => {
	test('a new form is active', async () => {
		form = await server.createForm<FormBody>({ name: 'Contact' });
		expect(form.isActive).toBe(true);
	});

	test('an active form becomes inactive by PATCH with isActive false', async () => {
		await server.submit(form.slug, { a: 'before' });
		const { status, body } = await setActive(false);
		expect([status, body.isActive]).toEqual([200, false]);
	});

	test('a change of it needs a valid key', async () => {
		expect((await setActive(true, null)).status).toBe(401);
		expect((await setActive(true, await server.createKey({ permissions: ['read', 'delete'] }))).status).toBe(403);
		expect((await server.call<FormBody>(`GET /api/forms/${form.id}`)).body.isActive).toBe(false);
	});

	test('an inactive form rejects submissions and keeps the ones it has', async () => {
		const { status, body } = await server.submit(form.slug, { a: 'during' });
		expect([status, body.code]).toEqual([403, 'FORM_DISABLED']);
		const { body: list } = await server.call<ListBody>(`GET /api/forms/${form.id}/submissions`);
		expect(list.submissions.map(({ data }) => data)).toEqual([{ a: 'before' }]);
	});

	test('an inactive form becomes active again the same way', async () => {
		await setActive(true);
		expect((await server.submit(form.slug, { a: 'after' })).status).toBe(200);
	});

	test('a new submission is unread, not starred and no spam', async () => {
		const { body } = await server.call<ListBody>(`GET /api/forms/${form.id}/submissions?limit=1`);
		expect(body.submissions[0]).toMatchObject({ isRead: false, isStarred: false, isSpam: false });
	});
});
