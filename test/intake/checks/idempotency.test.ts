import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Form } from '../../../src/forms/schema.ts';
import { decodeId } from '../../../src/ids.ts';
import { createIdempotency } from '../../../src/intake/checks/idempotency.ts';
import type { Storage } from '../../../src/storage/contract.ts';
import { openStorage } from '../../../src/storage/open.ts';
import { forms, idempotencyKeys } from '../../../src/storage/tables.ts';
import { newDatabase } from '../../engine.ts';
import { openTestServer, type TestServer } from '../../server.ts';
import { tempFolder } from '../../temp-folder.ts';

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

test('concurrent requests under one key store one submission and get one response, with the same redirect', async () => {
	const before = await stored();
	const body = 'a=b&_next=https%3A%2F%2Fexample.com%2Fok';
	const responses = await Promise.all(Array.from({ length: 20 }, () => send(body, 'many')));
	for (const { status, headers } of responses) {
		expect([status, headers.get('Location')]).toEqual([303, 'https://example.com/ok']);
	}
	expect(await stored()).toBe(before + 1);
});

test('a rejected submission does not use its key', async () => {
	expect((await send('', 'refused')).status).toBe(400);
	expect((await send('a=b', 'refused')).status).toBe(303);
});

test('a key is valid for 24 hours', async () => {
	const before = await stored();
	await send('a=b', 'day');
	now += DAY_MS - 1;
	await server.app.intake.expire(async () => true);
	expect((await send('a=c', 'day')).status).toBe(409);
	now += 1;
	expect((await send('a=c', 'day')).status).toBe(303);
	expect(await stored()).toBe(before + 2);
});

test('old keys are deleted in chunks, until the caller stops it', async () => {
	// No server: its maintenance deletes old keys as well.
	const storage = await openStorage(join(tempFolder(), 'formsrv.db'), { now: () => now });
	const { expire } = createIdempotency(storage, () => now);
	const left = async () => (await storage.db.select().from(idempotencyKeys)).map(({ key }) => key);
	const formId = storage.nextId();
	const row = (key: string, createdAt: number) => ({ formId, key, bodyHash: '', next: null, createdAt });
	const old = Array.from({ length: 1250 }, (_, i) => row(`old ${i}`, now - DAY_MS - 1));
	await storage.batch((tx) => [
		tx.insert(forms).values({ id: formId, mode: 'live', slug: 'contact', name: 'Contact' }),
		tx.insert(idempotencyKeys).values([row('young', now), ...old]),
	]);
	await expire(async () => false);
	expect(await left()).toHaveLength(751);
	const pauses: number[] = [];
	await expire(async () => pauses.push((await left()).length) > 0);
	expect(pauses).toEqual([251]);
	expect(await left()).toEqual(['young']);
	await storage.close();
});

test('two servers on one database store one submission under one key', async () => {
	const { storage } = server.app;
	const other = await openStorage(server.app.config.database, { now: () => now });
	const formId = decodeId(form.id) as number;
	const before = await stored();
	const request = { formId, key: 'two', bodyHash: 'hash' };
	/** Waits until both have seen that the key is not there. */
	let looked = 0;
	const submitTo = (to: Storage, next: string) => async (since: number) => {
		looked++;
		while (looked < 2) await new Promise((resolve) => setImmediate(resolve));
		const idempotencyKey = { ...request, next, createdAt: now, since };
		const row = { formId, data: '{"a":"b"}', names: ['a'], idempotencyKey };
		const submissionId = await to.submissions.append({ ...row, spamReason: null, subject: null, replyTo: null });
		return { next, submissionId };
	};
	const [first, second] = await Promise.all([
		createIdempotency(storage, () => now).once(request, submitTo(storage, 'first')),
		createIdempotency(other, () => now).once(request, submitTo(other, 'second')),
	]);
	expect(first).toEqual(second);
	expect(await stored()).toBe(before + 1);
	await other.close();
});

test('a key of yesterday is none after a stop of 25 hours, from the first request on', async () => {
	const folder = tempFolder();
	const database = await newDatabase(folder);
	let at = Date.UTC(2026, 3, 1);
	// Time that passes begins anew with each process.
	const open = () => openTestServer({ database, now: () => at, elapsed: () => performance.now() });
	const submit = (to: TestServer, fields: object) => to.submit('contact', fields, { 'Idempotency-Key': 'order-1' });
	const first = await open();
	await first.app.forms.create('live', { name: 'Contact', slug: 'contact' });
	expect((await submit(first, { n: 1 })).status).toBe(200);
	expect((await submit(first, { n: 2 })).status).toBe(409);
	await first.close();
	at += 25 * 3_600_000;
	const second = await open();
	expect((await submit(second, { n: 2 })).status).toBe(200);
	expect((await submit(second, { n: 3 })).status).toBe(409);
	await second.close();
});
