import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { Webhook } from 'standardwebhooks';
import { createWebhookChannel } from '../../../src/delivery/webhooks/channel.ts';
import { createWebhookSecret, DISABLE_AFTER_MS } from '../../../src/delivery/webhooks/standard-webhooks.ts';
import { createFileLinks } from '../../../src/files/links.ts';
import { encodeId } from '../../../src/ids.ts';
import { createGuardedPost } from '../../../src/network/guarded-request.ts';
import { auditLog } from '../../../src/storage/audit-table.ts';
import type { Storage } from '../../../src/storage/contract.ts';
import { openStorage } from '../../../src/storage/open.ts';
import { type DeliveryRow, deliveries, forms, webhooks } from '../../../src/storage/tables.ts';
import { createByteBudget } from '../../../src/tasks/byte-budget.ts';
import { DAY_MS } from '../../../src/tasks/durations.ts';
import { tempFolder } from '../../temp-folder.ts';

const FORM = 46_655;
const GOING_ON = { signal: new AbortController().signal };
const DATA = '{"2":12345678901234567890,"1":"Ärger","__proto__":"x"}';

let folder: string;
let storage: Storage;
let received: { headers: Record<string, string>; body: string }[] = [];
let respond = () => new Response(null, { status: 204 });
let target: Bun.Server<undefined>;

beforeEach(async () => {
	received = [];
	respond = () => new Response(null, { status: 204 });
	target = Bun.serve({
		port: 0,
		hostname: '127.0.0.1',
		async fetch(request) {
			received.push({ headers: request.headers.toJSON() as Record<string, string>, body: await request.text() });
			return respond();
		},
	});
	folder = tempFolder();
	storage = await openStorage(join(folder, 'formsrv.db'));
	await storage.batch((tx) => [tx.insert(forms).values({ id: FORM, mode: 'live', slug: 'contact', name: 'Contact' })]);
});

afterEach(async () => {
	await storage.close();
	await target.stop(true);
});

async function addWebhook(more: Partial<typeof webhooks.$inferInsert> = {}) {
	const row = {
		id: storage.nextId(),
		formId: FORM,
		url: new URL('/hook', target.url).href,
		secret: createWebhookSecret(),
		events: ['submission.created'],
		...more,
	};
	await storage.batch((tx) => [tx.insert(webhooks).values(row)]);
	return row;
}

async function addDelivery(webhookId: number): Promise<DeliveryRow> {
	const id = storage.nextId();
	await storage.submissions.append({
		formId: FORM,
		data: DATA,
		names: ['2', '1', '__proto__'],
		spamReason: null,
		subject: null,
		replyTo: null,
		deliveries: [{ id, formId: FORM, webhookId, channel: 'webhook', state: 'waiting', destination: target.url.href }],
	});
	const [row] = await storage.db.select().from(deliveries).where(eq(deliveries.id, id));
	return row as DeliveryRow;
}

const rowOf = async (id: number) => (await storage.db.select().from(webhooks).where(eq(webhooks.id, id)))[0];
const budget = createByteBudget(2 ** 20);

function openChannel(
	now: () => number = Date.now,
	post = createGuardedPost({ allowed: ['127.0.0.1'], timeoutMs: 2_000 }),
) {
	const channel = createWebhookChannel(storage, {
		post,
		budget,
		links: createFileLinks(storage, now),
		baseUrl: () => 'https://forms.example.com',
		now,
	});
	return { ...channel, send: async (row: DeliveryRow) => (await channel.send(row, GOING_ON)).outcome };
}

describe('an attempt', () => {
	test('posts the event, signed so that the official package accepts it', async () => {
		const webhook = await addWebhook();
		const delivery = await addDelivery(webhook.id);
		expect(await openChannel().send(delivery)).toEqual({ kind: 'sent', note: 'Responded with 204' });
		expect(received).toHaveLength(1);
		const [{ headers, body }] = received as [(typeof received)[0]];
		const event = new Webhook(webhook.secret).verify(body, headers) as Record<string, unknown>;
		expect(event.type).toBe('submission.created');
		expect(body).toContain(`"data":${DATA},`);
		const shown = JSON.stringify(await openChannel().compose(delivery));
		expect(JSON.parse(shown)).toEqual(JSON.parse(body));
		expect(shown).toContain('12345678901234567890');
		const submissionId = delivery.submissionId as number;
		expect(event.data).toMatchObject({
			form: { id: encodeId(FORM), name: 'Contact', slug: 'contact' },
			submission: {
				id: encodeId(submissionId),
				createdAt: storage.clock.timeline().isoOf(submissionId),
				isSpam: false,
				files: [],
			},
		});
		expect(headers['content-type']).toBe('application/json; charset=utf-8');
	});

	test('has the same identifier and body each time, and its own time', async () => {
		let now = Date.now();
		const channel = openChannel(() => now);
		const delivery = await addDelivery((await addWebhook()).id);
		await channel.send(delivery);
		now += 3_600_000;
		await channel.send(delivery);
		const [first, second] = received as [(typeof received)[0], (typeof received)[0]];
		expect(second.headers['webhook-id']).toBe(first.headers['webhook-id'] as string);
		expect(second.body).toBe(first.body);
		expect(Number(second.headers['webhook-timestamp'])).toBe(Number(first.headers['webhook-timestamp']) + 3600);
	});

	test('is signed with the former secret too for a day after a rotation', async () => {
		let now = Date.now();
		const previousSecret = createWebhookSecret();
		const webhook = await addWebhook({ previousSecret, previousSecretUntil: now + 1_000 });
		const delivery = await addDelivery(webhook.id);
		const channel = openChannel(() => now);
		await channel.send(delivery);
		now += 1_000;
		await channel.send(delivery);
		expect(received.map(({ headers }) => headers['webhook-signature']?.split(' ').length)).toEqual([2, 1]);
	});

	test.each([
		['of a webhook that was removed', 'The webhook was removed.'],
		['of a submission that was removed', 'The submission was removed.'],
	])('%s is not made', async (what, error) => {
		const webhook = await addWebhook();
		const delivery = await addDelivery(webhook.id);
		if (what.includes('webhook that was removed')) {
			await storage.batch((tx) => [tx.delete(webhooks).where(eq(webhooks.id, webhook.id))]);
		}
		if (what.includes('submission')) await storage.submissions.remove(FORM, [delivery.submissionId as number]);
		expect(await openChannel().send(delivery)).toEqual({ kind: 'rejected', error });
		expect(received).toEqual([]);
	});

	test('of a webhook that is paused waits', async () => {
		const delivery = await addDelivery((await addWebhook({ isActive: false })).id);
		expect((await openChannel().send(delivery)).kind).toBe('unavailable');
		expect(received).toEqual([]);
	});

	test('of a webhook that the server disabled fails', async () => {
		const delivery = await addDelivery((await addWebhook({ isActive: false, disabledReason: 'Gone.' })).id);
		expect(await openChannel().send(delivery)).toEqual({ kind: 'rejected', error: 'The webhook was disabled. Gone.' });
		expect(received).toEqual([]);
	});

	test('of a submission marked as spam is withheld', async () => {
		const delivery = await addDelivery((await addWebhook()).id);
		await storage.submissions.change(FORM, [delivery.submissionId as number], { isSpam: true });
		expect((await openChannel().send(delivery)).kind).toBe('withheld');
		expect(received).toEqual([]);
	});

	test('of a deleted form is not made', async () => {
		const delivery = await addDelivery((await addWebhook()).id);
		await storage.batch((tx) => [tx.update(forms).set({ deletedAt: 1 }).where(eq(forms.id, FORM))]);
		expect((await openChannel().send(delivery)).kind).toBe('rejected');
		expect(received).toEqual([]);
	});

	test('at a private address is rejected, and says so', async () => {
		const guarded = openChannel(undefined, createGuardedPost());
		const outcome = await guarded.send(await addDelivery((await addWebhook()).id));
		expect(outcome).toMatchObject({ kind: 'retry', error: expect.stringContaining('not a public address') });
		expect(received).toEqual([]);
	});
});

describe('the record of a webhook', () => {
	test('shows since when it fails, and a success wipes it', async () => {
		const webhook = await addWebhook();
		let now = 1_800_000_000_000;
		const channel = openChannel(() => now);
		const delivery = await addDelivery(webhook.id);
		respond = () => new Response('no', { status: 500 });
		expect(await channel.send(delivery)).toMatchObject({ kind: 'retry', error: 'Responded with 500', said: 'no' });
		now += 60_000;
		await channel.send(delivery);
		expect(await rowOf(webhook.id)).toMatchObject({ isActive: true, failingSince: 1_800_000_000_000 });
		respond = () => new Response('yes');
		await channel.send(delivery);
		expect(await rowOf(webhook.id)).toMatchObject({ isActive: true, failingSince: null });
	});

	test('is wiped by a success that was on its way when another attempt failed', async () => {
		const webhook = await addWebhook();
		const [slow, quick] = [await addDelivery(webhook.id), await addDelivery(webhook.id)];
		const failing = openChannel();
		const succeeding = openChannel(undefined, async () => {
			respond = () => new Response('no', { status: 500 });
			expect((await failing.send(quick)).kind).toBe('retry');
			return { hasResponse: true, status: 200, bodyExcerpt: '', retryAfter: undefined };
		});
		expect((await succeeding.send(slow)).kind).toBe('sent');
		expect(await rowOf(webhook.id)).toMatchObject({ isActive: true, failingSince: null });
	});

	test('ends after five days of failures; waiting deliveries fail with the reason', async () => {
		const webhook = await addWebhook();
		let now = 1_800_000_000_000;
		const channel = openChannel(() => now);
		const delivery = await addDelivery(webhook.id);
		const waiting = await addDelivery(webhook.id);
		respond = () => new Response(null, { status: 503 });
		await channel.send(delivery);
		now += DISABLE_AFTER_MS;
		const reason = 'Every attempt failed since 2027-01-15T08:00:00.000Z; the last one: Responded with 503';
		const error = `The webhook was disabled. ${reason}`;
		expect(await channel.send(delivery)).toEqual({ kind: 'rejected', error });
		expect(await rowOf(webhook.id)).toMatchObject({ isActive: false, disabledReason: reason });
		const [row] = await storage.db.select().from(deliveries).where(eq(deliveries.id, waiting.id));
		expect(row).toMatchObject({ state: 'failed', lastError: error, nextAttemptAt: null, finishedAt: now });
	});

	test('does not end with the first failure after a long silence, but with one a day later', async () => {
		const start = Date.now();
		const webhook = await addWebhook({ failingSince: start - 2 * DISABLE_AFTER_MS });
		let now = start;
		const channel = openChannel(() => now);
		const delivery = await addDelivery(webhook.id);
		respond = () => new Response(null, { status: 503 });
		expect((await channel.send(delivery)).kind).toBe('retry');
		expect(await rowOf(webhook.id)).toMatchObject({ isActive: true, failingSince: webhook.failingSince });
		now += DAY_MS + 1000;
		expect((await channel.send(delivery)).kind).toBe('rejected');
		expect(await rowOf(webhook.id)).toMatchObject({ isActive: false });
	});

	test('leaves a webhook paused that its owner paused meanwhile', async () => {
		const webhook = await addWebhook({ failingSince: 1 });
		const delivery = await addDelivery(webhook.id);
		const pausing = openChannel(undefined, async () => {
			await storage.batch((tx) => [tx.update(webhooks).set({ isActive: false })]);
			return { hasResponse: true, status: 200, bodyExcerpt: '', retryAfter: undefined };
		});
		expect((await pausing.send(delivery)).kind).toBe('sent');
		expect(await rowOf(webhook.id)).toMatchObject({ isActive: false, failingSince: null });
	});

	test.each([
		['410', 410, null],
		['one failure too many', 503, 1],
		['a failure', 503, null],
	])('is not changed by the response of its former URL: %s', async (_what, status, failingSince) => {
		const webhook = await addWebhook({ failingSince });
		const delivery = await addDelivery(webhook.id);
		const waiting = await addDelivery(webhook.id);
		const aDayLater = () => Date.now() + 2 * DAY_MS;
		const moving = openChannel(aDayLater, async () => {
			await storage.batch((tx) => [
				tx
					.update(webhooks)
					.set({ url: 'https://new.example.com/', failingSince: null })
					.where(eq(webhooks.id, webhook.id)),
			]);
			return { hasResponse: true, status, bodyExcerpt: '', retryAfter: undefined };
		});
		expect((await moving.send(delivery)).kind).toBe('retry');
		expect(await rowOf(webhook.id)).toMatchObject({ isActive: true, disabledReason: null, failingSince: null });
		const [row] = await storage.db.select().from(deliveries).where(eq(deliveries.id, waiting.id));
		expect(row?.state).toBe('waiting');
		expect(await storage.db.select().from(auditLog)).toEqual([]);
	});

	test('ends at once with 410', async () => {
		const webhook = await addWebhook();
		respond = () => new Response(null, { status: 410 });
		expect((await openChannel().send(await addDelivery(webhook.id))).kind).toBe('rejected');
		expect(await rowOf(webhook.id)).toMatchObject({
			isActive: false,
			disabledReason: 'The target responded with 410 Gone.',
		});
		expect(await storage.db.select().from(auditLog)).toMatchObject([
			{
				actor: 'server',
				action: 'updateWebhook',
				mode: 'live',
				formId: FORM,
				object: `webhook:${encodeId(webhook.id)}`,
				details: { changes: { isActive: { before: true, after: false } }, facts: { status: 410 } },
			},
		]);
	});
});
