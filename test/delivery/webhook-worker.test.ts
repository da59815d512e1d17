/** Webhooks through the outbox: from a submission to its target, whatever happens in between. */

import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { createGuardedPost } from '../../src/delivery/guarded-request.ts';
import { createWebhookSecret } from '../../src/delivery/webhook.ts';
import { createWebhooks } from '../../src/delivery/webhooks/webhooks.ts';
import { encodeId } from '../../src/ids.ts';
import type { DeliveryRow } from '../../src/storage/tables.ts';
import { deliveries, webhooks } from '../../src/storage/tables.ts';
import { tempFolder } from '../temp-folder.ts';
import { type House, type HouseOptions, openDeliveryFixture } from './delivery-fixture.ts';

setDefaultTimeout(60_000);

interface Received {
	id: string;
	submission: string;
}

const WITHOUT_MAIL = { form: { notificationEmail: null } };

let received: Received[];
let respond: () => Response | Promise<Response>;
let target: Bun.Server<undefined>;
let secret: string;
let house: House;

beforeEach(() => {
	received = [];
	respond = () => new Response(null, { status: 204 });
	secret = createWebhookSecret();
	target = Bun.serve({
		port: 0,
		hostname: '127.0.0.1',
		async fetch(request) {
			const headers = request.headers.toJSON() as Record<string, string>;
			const event = new Webhook(secret).verify(await request.text(), headers) as {
				data: { submission: { id: string } };
			};
			const answer = await respond();
			if (answer.ok) received.push({ id: headers['webhook-id'] as string, submission: event.data.submission.id });
			return answer;
		},
	});
});

afterEach(async () => {
	await house.close();
	await target.stop(true);
});

async function openWithWebhook(options: Partial<HouseOptions> = WITHOUT_MAIL): Promise<void> {
	const isNew = options.file === undefined;
	const post = createGuardedPost({ allowed: ['127.0.0.1'], timeoutMs: 2_000 });
	house = await openDeliveryFixture({ file: join(tempFolder(), 'formsrv.db'), post, ...options });
	if (!isNew) return;
	const url = target.url.href;
	const row = { id: house.storage.nextId(), formId: house.form.id, url, secret, events: ['submission.created'] };
	await house.storage.batch((tx) => [tx.insert(webhooks).values(row)]);
}

const areAll = (state: DeliveryRow['state']) => (rows: DeliveryRow[]) =>
	rows.length > 0 && rows.every((row) => row.state === state);

test('a submission is posted once, and what was sent can be looked at', async () => {
	await openWithWebhook();
	await house.start();
	const id = await house.submit({ name: 'Ada' });
	const [row] = await house.until(areAll('sent'));
	expect(received).toEqual([{ id: `msg_${encodeId(row?.id as number)}`, submission: encodeId(id) }]);
	expect(row).toMatchObject({ channel: 'webhook', destination: target.url.href, attempts: 1, lastError: null });
	const shown = await house.dispatch.deliveries.get(encodeId(row?.id as number));
	expect(shown.content).toMatchObject({ data: { submission: { id: encodeId(id), data: { name: 'Ada' } } } });
});

test('spam is withheld, and a test form only shows what it would send', async () => {
	await openWithWebhook({ form: { notificationEmail: null, mode: 'test' } });
	await house.start();
	await house.submit({ a: '1' });
	await house.submit({ a: '2' }, { spamReason: 'honeypot' });
	const rows = await house.rows();
	expect(rows.map(({ state }) => state)).toEqual(['captured', 'withheld']);
	const captured = await house.dispatch.deliveries.get(encodeId(rows[0]?.id as number), 'test');
	expect(JSON.stringify(captured)).toContain('submission.created');
	expect(received).toEqual([]);
});

test('a target that fails for a while gets everything once it is well', async () => {
	await openWithWebhook();
	let failures = 3;
	respond = () => (failures-- > 0 ? new Response('busy', { status: 503 }) : new Response(null, { status: 200 }));
	await house.start();
	for (let i = 0; i < 20; i++) await house.submit({ i: `${i}` });
	const rows = await house.until((all) => all.filter(({ state }) => state === 'sent').length === 17);
	const putOff = rows.filter(({ state }) => state === 'waiting');
	expect(putOff.map(({ lastError }) => lastError)).toEqual(Array(3).fill('Answered 503: busy'));
	await house.dispatch.retries.retryMany({ state: 'waiting' });
	await house.until(areAll('sent'));
	expect(new Set(received.map(({ submission }) => submission)).size).toBe(20);
	expect(received).toHaveLength(20);
});

test('a webhook that is gone for good is disabled, and what waits for it is given up visibly', async () => {
	await openWithWebhook();
	for (let i = 0; i < 5; i++) await house.submit();
	respond = () => new Response(null, { status: 410 });
	await house.start();
	const rows = await house.until(areAll('failed'));
	for (const { lastError } of rows) expect(lastError).toContain('410 Gone');
	const [webhook] = await house.storage.db.select().from(webhooks);
	expect(webhook).toMatchObject({ isActive: false, disabledReason: 'The target answered 410 Gone.' });
});

test('what is planned goes to where the webhook is by then, and shows that', async () => {
	await openWithWebhook();
	const id = await house.submit();
	await house.submit({}, { spamReason: 'honeypot' });
	const moved = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => target.fetch(request) });
	const url = moved.url.href;
	const [webhook] = await house.storage.db.select().from(webhooks);
	const service = createWebhooks(house.storage, { post: createGuardedPost(), allowed: ['127.0.0.1'] });
	const ref = { form: encodeId(house.form.id), webhook: encodeId(webhook?.id as number) };
	await service.update(ref, { url });
	expect((await house.rows()).map(({ destination }) => destination)).toEqual([url, url]);
	// As planned by a submission that came in with the change.
	await house.storage.batch((tx) => [tx.update(deliveries).set({ destination: 'http://old.example.com/' })]);
	await house.start();
	const [row] = await house.until(([found]) => found?.state === 'sent');
	expect(row).toMatchObject({ destination: url, submissionId: id });
	await moved.stop(true);
});

test('what waits for a webhook that is disabled says so, cannot be tried again, and goes once it is resumed', async () => {
	await openWithWebhook();
	const spam = await house.submit({}, { spamReason: 'honeypot' });
	const id = await house.submit();
	const [webhook] = await house.storage.db.select().from(webhooks);
	const service = createWebhooks(house.storage, { post: createGuardedPost(), allowed: ['127.0.0.1'] });
	const ref = { form: encodeId(house.form.id), webhook: encodeId(webhook?.id as number) };
	await service.update(ref, { isActive: false });
	await house.start();
	const waiting = (await house.rows()).find(({ submissionId }) => submissionId === id);
	expect(waiting).toMatchObject({ state: 'waiting', lastError: 'The webhook is disabled' });
	const { retries } = house.dispatch;
	await expect(retries.retry(encodeId(waiting?.id as number))).rejects.toMatchObject({ code: 'CONFLICT' });
	expect(await retries.retryMany({ state: 'waiting' })).toBe(0);
	await house.storage.submissions.change(house.form.id, [spam], { isSpam: false });
	expect(await retries.release(house.form.id, [spam])).toBe(0);
	const released = (await house.rows()).find(({ submissionId }) => submissionId === spam);
	expect(released).toMatchObject({ state: 'failed', lastError: 'The webhook is disabled' });
	await service.update(ref, { isActive: true });
	expect(await retries.retryMany({})).toBe(1);
	await house.until(areAll('sent'));
	expect(received).toHaveLength(2);
});

test('1,000 submissions over 20 restarts, orderly and abrupt ones: every one arrives', async () => {
	const total = 1_000;
	const restarts = 20;
	await openWithWebhook();
	const { file } = house;
	const ids: string[] = [];
	for (let round = 0; round < restarts; round++) {
		await house.start();
		const due = ids.length + total / restarts;
		while (ids.length < due) ids.push(encodeId(await house.submit({ n: `${ids.length}` })));
		// Without grace, attempts under way are broken off: the target may have taken what is then sent again.
		await house.stop(round % 2 === 0 ? 0 : 1_000);
		await house.close();
		await openWithWebhook({ file });
	}
	await house.start();
	await house.until(areAll('sent'));
	const submissions = received.map(({ submission }) => submission);
	expect([...new Set(submissions)].sort()).toEqual([...ids].sort());
	const deliveriesOfOne = new Map(received.map(({ submission, id }) => [submission, id]));
	for (const { submission, id } of received) expect(deliveriesOfOne.get(submission)).toBe(id);
	expect(received.length - total).toBeLessThanOrEqual(2 * (restarts / 2));
});
