/** Section 1 of the interface: what the service does, at its two addresses. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openTestServer, readAnswer, type TestServer } from '../server.ts';
import type { FormBody, ListBody } from './wire.ts';

let server: TestServer;
let form: FormBody;

beforeAll(async () => {
	server = await openTestServer();
	form = await server.createForm<FormBody>({ name: 'Contact' });
});
afterAll(() => server.close());

const post = (address: string) =>
	fetch(address, {
		method: 'POST',
		headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
		body: JSON.stringify({ message: 'Hello' }),
	});

describe('the service', () => {
	test('has its management API under /api at the base address', async () => {
		expect((await server.call('GET /api/forms')).status).toBe(200);
		const elsewhere = await fetch(`${server.submitUrl}/api/forms`, {
			headers: { Authorization: `Bearer ${server.adminKey}` },
		});
		expect(elsewhere.status).toBe(404);
	});

	test('takes submissions at the base address under /api/f and at the submit address under /f', async () => {
		const answers = await Promise.all(
			[`${server.baseUrl}/api/f/${form.slug}`, `${server.submitUrl}/f/${form.slug}`].map(async (address) =>
				readAnswer(await post(address)),
			),
		);
		expect(answers.map(({ status }) => status)).toEqual([200, 200]);
		expect(answers[0]?.text).toBe(answers[1]?.text ?? '');
	});

	test('serves the submission endpoint nowhere else', async () => {
		for (const address of [
			`${server.baseUrl}/f/${form.slug}`,
			`${server.submitUrl}/api/f/${form.slug}`,
			`${server.submitUrl}/${form.slug}`,
		]) {
			expect((await post(address)).status).toBe(404);
		}
	});

	test('collects the submissions of a form', async () => {
		const before = (await server.call<FormBody>(`GET /api/forms/${form.id}`)).body.submissionCount;
		await server.submit(form.slug, { message: 'One more' });
		const { body } = await server.call<ListBody>(`GET /api/forms/${form.id}/submissions`);
		expect(body.pagination.total).toBe(before + 1);
		expect(body.submissions[0]?.data).toEqual({ message: 'One more' });
	});

	test('gives every form a public slug of its own', async () => {
		const twins = await Promise.all([1, 2].map(async () => await server.createForm<FormBody>({ name: 'Twin' })));
		expect(new Set(twins.map(({ slug }) => slug)).size).toBe(2);
		for (const { slug } of twins) expect(slug).toMatch(/^twin-[a-z0-9]{8}$/);
	});

	test('lets anyone who knows the slug submit, without any credentials', async () => {
		expect((await post(`${server.submitUrl}/f/${form.slug}`)).status).toBe(200);
	});

	test('lets the holder of a key create, read, list, update and delete forms', async () => {
		const made = await server.createForm<FormBody>({ name: 'Short life' });
		expect((await server.call<FormBody>(`GET /api/forms/${made.id}`)).body).toEqual(made);
		const { body: list } = await server.call<{ forms: FormBody[] }>('GET /api/forms');
		expect(list.forms).toContainEqual(made);
		await server.call(`PATCH /api/forms/${made.id}`, { json: { name: 'Renamed' } });
		expect((await server.call<FormBody>(`GET /api/forms/${made.id}`)).body.name).toBe('Renamed');
		expect((await server.call(`DELETE /api/forms/${made.id}`)).status).toBe(200);
		expect((await server.call(`GET /api/forms/${made.id}`)).status).toBe(404);
	});

	test('lets the holder of a key list submissions, filtered and page by page', async () => {
		const { body } = await server.call<ListBody>(
			`GET /api/forms/${form.id}/submissions?filter=unread&limit=1&offset=1`,
		);
		expect(body.submissions).toHaveLength(1);
		expect(body.pagination).toMatchObject({ limit: 1, offset: 1 });
	});
});
