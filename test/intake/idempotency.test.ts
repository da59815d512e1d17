import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Form } from '../../src/forms/schema.ts';
import { openTestServer, type TestServer } from '../server.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

let now = Date.UTC(2026, 0, 2);
let server: TestServer;
let form: Form;

beforeAll(async () => {
	server = await openTestServer({ now: () => now });
	form = await server.app.forms.create('live', { name: 'Contact', slug: 'contact' });
});
afterAll(() => server.close());

const stored = async () => (await server.app.forms.get(form.id)).submissionCount;
const send = (body: string, key: string) =>
	fetch(`${server.submitUrl}/f/contact`, {
		method: 'POST',
		headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'Idempotency-Key': key },
		body,
		redirect: 'manual',
	});

test('many at once under one key are one submission and get one answer, where it led included', async () => {
	const before = await stored();
	const body = 'a=b&_next=https%3A%2F%2Fexample.com%2Fok';
	const answers = await Promise.all(Array.from({ length: 20 }, () => send(body, 'many')));
	for (const { status, headers } of answers) {
		expect([status, headers.get('Location')]).toEqual([303, 'https://example.com/ok']);
	}
	expect(await stored()).toBe(before + 1);
});

test('a refused submission does not use its key up', async () => {
	expect((await send('', 'refused')).status).toBe(400);
	expect((await send('a=b', 'refused')).status).toBe(303);
});

test('a key is remembered for 24 hours and not longer', async () => {
	const before = await stored();
	await send('a=b', 'day');
	now += DAY_MS - 1;
	await server.app.intake.expire();
	expect((await send('a=c', 'day')).status).toBe(409);
	now += 1;
	expect((await send('a=c', 'day')).status).toBe(303);
	expect(await stored()).toBe(before + 2);
});
