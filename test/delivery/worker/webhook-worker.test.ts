/** Webhooks through the outbox, from a submission to its target, with failures and restarts in between. */

import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { createWebhookSecret } from '../../../src/delivery/webhooks/standard-webhooks.ts';
import { createWebhooks } from '../../../src/delivery/webhooks/webhooks.ts';
import { readPauses } from '../../../src/delivery/worker/pauses.ts';
import { encodeId } from '../../../src/ids.ts';
import { createGuardedPost } from '../../../src/network/guarded-request.ts';
import type { DeliveryRow } from '../../../src/storage/tables.ts';
import { deliveries, webhooks } from '../../../src/storage/tables.ts';
import { tempFolder } from '../../temp-folder.ts';
import { until } from '../../until.ts';
import {
	type DeliveryFixture,
	type DeliveryFixtureOptions,
	openDeliveryFixture,
	SHORT_TIMING,
} from '../delivery-fixture.ts';

const baseUrl = () => 'https://forms.example.com';

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
let fixture: DeliveryFixture;

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
			const response = await respond();
			if (response.ok) received.push({ id: headers['webhook-id'] as string, submission: event.data.submission.id });
			return response;
		},
	});
});

afterEach(async () => {
	await fixture.close();
	await target.stop(true);
});

async function openWithWebhook(options: Partial<DeliveryFixtureOptions> = WITHOUT_MAIL): Promise<void> {
	const isNew = options.file === undefined;
	const post = createGuardedPost({ allowed: ['127.0.0.1'], timeoutMs: 2_000 });
	fixture = await openDeliveryFixture({ file: join(tempFolder(), 'formsrv.db'), post, ...options });
	if (!isNew) return;
	const url = target.url.href;
	const row = { id: fixture.storage.nextId(), formId: fixture.form.id, url, secret, events: ['submission.created'] };
	await fixture.storage.batch((tx) => [tx.insert(webhooks).values(row)]);
}

const areAll = (state: DeliveryRow['state']) => (rows: DeliveryRow[]) =>
	rows.length > 0 && rows.every((row) => row.state === state);

test('a submission is posted once, and its content can be viewed', async () => {
	await openWithWebhook();
	await fixture.start();
	const id = await fixture.submit({ name: 'Ada' });
	const [row] = await fixture.until(areAll('sent'));
	expect(received).toEqual([{ id: `msg_${encodeId(row?.id as number)}`, submission: encodeId(id) }]);
	expect(row).toMatchObject({ channel: 'webhook', destination: target.url.href, attempts: 1, lastError: null });
	const shown = await fixture.dispatch.deliveries.get(encodeId(row?.id as number));
	expect(shown.content).toMatchObject({ data: { submission: { id: encodeId(id), data: { name: 'Ada' } } } });
});

test('spam is withheld, and a test form only shows what it would send', async () => {
	await openWithWebhook({ form: { notificationEmail: null, mode: 'test' } });
	await fixture.start();
	await fixture.submit({ a: '1' });
	await fixture.submit({ a: '2' }, { spamReason: 'honeypot' });
	const rows = await fixture.rows();
	expect(rows.map(({ state }) => state)).toEqual(['captured', 'withheld']);
	const captured = await fixture.dispatch.deliveries.get(encodeId(rows[0]?.id as number), 'test');
	expect(JSON.stringify(captured)).toContain('submission.created');
	expect(received).toEqual([]);
});

test('a target that fails for a while gets everything once it recovers', async () => {
	await openWithWebhook();
	let failures = 3;
	respond = () => (failures-- > 0 ? new Response('busy', { status: 503 }) : new Response(null, { status: 200 }));
	await fixture.start();
	for (let i = 0; i < 20; i++) await fixture.submit({ i: `${i}` });
	const rows = await fixture.until((all) => all.filter(({ state }) => state === 'sent').length === 17);
	const putOff = rows.filter(({ state }) => state === 'waiting');
	expect(putOff.map(({ lastError }) => lastError)).toEqual(Array(3).fill('Responded with 503: busy'));
	await fixture.dispatch.retries.retryMany({ state: 'waiting' });
	await fixture.until(areAll('sent'));
	expect(new Set(received.map(({ submission }) => submission)).size).toBe(20);
	expect(received).toHaveLength(20);
});

test('a webhook that is gone for good is disabled, and its waiting deliveries fail', async () => {
	await openWithWebhook();
	for (let i = 0; i < 5; i++) await fixture.submit();
	respond = () => new Response(null, { status: 410 });
	await fixture.start();
	const rows = await fixture.until(areAll('failed'));
	for (const { lastError } of rows) expect(lastError).toContain('410 Gone');
	const [webhook] = await fixture.storage.db.select().from(webhooks);
	expect(webhook).toMatchObject({ isActive: false, disabledReason: 'The target responded with 410 Gone.' });
});

test('planned deliveries go to the webhook’s present URL, and show it', async () => {
	await openWithWebhook();
	const id = await fixture.submit();
	await fixture.submit({}, { spamReason: 'honeypot' });
	const moved = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => target.fetch(request) });
	const url = moved.url.href;
	const [webhook] = await fixture.storage.db.select().from(webhooks);
	const service = createWebhooks(fixture.storage, { post: createGuardedPost(), allowed: ['127.0.0.1'], baseUrl });
	const ref = { form: encodeId(fixture.form.id), webhook: encodeId(webhook?.id as number) };
	await service.update(ref, { url });
	expect((await fixture.rows()).map(({ destination }) => destination)).toEqual([url, url]);
	// As planned by a submission that came in with the change.
	await fixture.storage.batch((tx) => [tx.update(deliveries).set({ destination: 'http://old.example.com/' })]);
	await fixture.start();
	const [row] = await fixture.until(([found]) => found?.state === 'sent');
	expect(row).toMatchObject({ destination: url, submissionId: id });
	await moved.stop(true);
});

test('the pause of a target that is unavailable ends when its webhook is given another URL, or is resumed', async () => {
	const forever = { firstMs: 3_600_000, longestMs: 3_600_000 };
	await openWithWebhook({ ...WITHOUT_MAIL, timing: { ...SHORT_TIMING, probeWait: forever } });
	const [webhook] = await fixture.storage.db.select().from(webhooks);
	const service = createWebhooks(fixture.storage, { post: createGuardedPost(), allowed: ['127.0.0.1'], baseUrl });
	const ref = { form: encodeId(fixture.form.id), webhook: encodeId(webhook?.id as number) };
	await fixture.start();
	async function mend(change: () => Promise<unknown>): Promise<void> {
		respond = () => new Response(null, { status: 503 });
		const failing = await fixture.submit();
		await fixture.until((rows) =>
			rows.some(({ submissionId, lastError }) => submissionId === failing && lastError === 'Responded with 503'),
		);
		const waiting = await fixture.submit();
		respond = () => new Response(null, { status: 204 });
		await change();
		await fixture.until((rows) => rows.some(({ submissionId, state }) => submissionId === waiting && state === 'sent'));
	}
	await mend(() => service.update(ref, { url: `${target.url.href}moved` }));
	await mend(async () => {
		await service.update(ref, { isActive: false });
		await service.update(ref, { isActive: true });
	});
});

test('a delivery to a disabled webhook says so, cannot be retried, and goes once the webhook is resumed', async () => {
	await openWithWebhook();
	const spam = await fixture.submit({}, { spamReason: 'honeypot' });
	const id = await fixture.submit();
	const [webhook] = await fixture.storage.db.select().from(webhooks);
	const service = createWebhooks(fixture.storage, { post: createGuardedPost(), allowed: ['127.0.0.1'], baseUrl });
	const ref = { form: encodeId(fixture.form.id), webhook: encodeId(webhook?.id as number) };
	await service.update(ref, { isActive: false });
	await fixture.start();
	const waiting = (await fixture.rows()).find(({ submissionId }) => submissionId === id);
	expect(waiting).toMatchObject({ state: 'waiting', lastError: 'The webhook is disabled' });
	const { retries } = fixture.dispatch;
	await expect(retries.retry(encodeId(waiting?.id as number))).rejects.toMatchObject({ code: 'CONFLICT' });
	expect(await retries.retryMany({ state: 'waiting' })).toBe(0);
	await fixture.storage.submissions.change(fixture.form.id, [spam], { isSpam: false });
	const heard: unknown[] = [];
	const stop = fixture.storage.events.subscribe(['delivery'], ({ state }) => void heard.push(state));
	expect(await retries.release(fixture.form.id, [spam])).toBe(0);
	stop();
	expect(heard).toEqual(['failed']);
	const released = (await fixture.rows()).find(({ submissionId }) => submissionId === spam);
	expect(released).toMatchObject({ state: 'failed', lastError: 'The webhook is disabled' });
	await service.update(ref, { isActive: true });
	const resumed = await fixture.rows();
	expect(resumed.filter(({ state, lastError }) => state === 'waiting' && lastError !== null)).toEqual([]);
	expect(await retries.retryMany({})).toBe(1);
	await fixture.until(areAll('sent'));
	expect(received).toHaveLength(2);
});

test('1,000 submissions over 20 restarts, orderly and abrupt ones: every one arrives', async () => {
	const total = 1_000;
	const restarts = 20;
	await openWithWebhook();
	const { file } = fixture;
	const ids: string[] = [];
	for (let round = 0; round < restarts; round++) {
		await fixture.start();
		const due = ids.length + total / restarts;
		while (ids.length < due) ids.push(encodeId(await fixture.submit({ n: `${ids.length}` })));
		// Without grace, attempts in flight are aborted: the target may have taken what is then sent again.
		await fixture.stop(round % 2 === 0 ? 0 : 1_000);
		await fixture.close();
		await openWithWebhook({ file });
	}
	await fixture.start();
	await fixture.until(areAll('sent'));
	const submissions = received.map(({ submission }) => submission);
	expect([...new Set(submissions)].sort()).toEqual([...ids].sort());
	const deliveriesOfOne = new Map(received.map(({ submission, id }) => [submission, id]));
	for (const { submission, id } of received) expect(deliveriesOfOne.get(submission)).toBe(id);
	expect(received.length - total).toBeLessThanOrEqual(2 * (restarts / 2));
});

test('what a receiver repeats of a submission is shown to its owner, and is not in the log or in what is kept of a pause', async () => {
	await openWithWebhook();
	respond = () => new Response('no such user: ada@example.com', { status: 500 });
	await fixture.start();
	await fixture.submit();
	const [row] = await fixture.until(([found]) => found?.lastError !== null);
	expect(row?.lastError).toBe('Responded with 500: no such user: ada@example.com');
	await fixture.stop();
	expect(await readPauses(fixture.storage)).toMatchObject([{ reason: 'Responded with 500' }]);
	await fixture.until(() => fixture.logLines.join('').includes('Webhook is paused: Responded with 500'));
	expect(fixture.logLines.join('')).not.toContain('ada@');
});

test('a webhook that was given another URL is not said to be paused for what the former one did', async () => {
	await openWithWebhook();
	respond = () => new Response(null, { status: 500 });
	await fixture.start();
	await fixture.submit();
	await fixture.until(([found]) => found?.lastError !== null);
	await until(async () => (await readPauses(fixture.storage)).length > 0);
	const later = { nextAttemptAt: Date.now() + 1_800_000 };
	await fixture.storage.batch((tx) => [tx.update(deliveries).set(later)]);
	await fixture.storage.batch((tx) => [tx.update(webhooks).set({ url: `${target.url}other` })]);
	await until(async () => (await readPauses(fixture.storage)).length === 0);
	expect(await fixture.rows()).toMatchObject([{ state: 'waiting' }]);
});
