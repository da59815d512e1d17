/** Submissions far larger than a mail on their way to many webhooks: exact, read once, and a little of them kept. */

import { afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { createWebhookSecret } from '../../src/delivery/webhooks/standard-webhooks.ts';
import { encodeId } from '../../src/ids.ts';
import { createGuardedPost } from '../../src/network/guarded-request.ts';
import { webhooks } from '../../src/storage/tables.ts';
import { type ByteBudget, createByteBudget } from '../../src/tasks/byte-budget.ts';
import type { DeliveryFixture } from './delivery-fixture.ts';
import { allIn, useDeliveryFixtures } from './fixtures.ts';

setDefaultTimeout(30_000);

const MIB = 2 ** 20;
/** Characters of one to four bytes and escapes, so that chunks end in the middle of each of them. */
const LARGE = 'a"\\\n\u0001é€😀'.repeat(300_000);
const WITHOUT_MAIL = { form: { notificationEmail: null } };
const secret = createWebhookSecret();
const { openFixture, server } = useDeliveryFixtures();
const servers: Server[] = [];

afterEach(async () => {
	for (const receiving of servers.splice(0)) {
		receiving.closeAllConnections();
		receiving.close();
	}
});

async function receiver(onRequest: (request: IncomingMessage) => Promise<number>): Promise<string> {
	const receiving = createServer(async (request, response) => response.writeHead(await onRequest(request)).end());
	servers.push(receiving.listen(0, '127.0.0.1'));
	await once(receiving, 'listening');
	return `http://127.0.0.1:${(receiving.address() as AddressInfo).port}/`;
}

/** With as many webhooks to one address, and what is taken of the budget. */
async function openWith(url: string, count: number): Promise<DeliveryFixture & { taken: number[] }> {
	const whole = createByteBudget(64 * MIB);
	const taken: number[] = [];
	const budget: Pick<ByteBudget, 'take'> = {
		take(bytes, signal) {
			taken.push(bytes);
			return whole.take(bytes, signal);
		},
	};
	const opened = await openFixture({ ...WITHOUT_MAIL, post: createGuardedPost({ allowed: ['127.0.0.1'] }), budget });
	const { storage, form } = opened;
	for (let i = 0; i < count; i++) {
		const row = { id: storage.nextId(), formId: form.id, url, secret, events: ['submission.created'] };
		await storage.batch((tx) => [tx.insert(webhooks).values(row)]);
	}
	return { ...opened, taken };
}

test('a large body is read once for ten webhooks that take it at the same time, and reaches each exactly', async () => {
	const bodies: string[] = [];
	const all = Promise.withResolvers<void>();
	let arrived = 0;
	const url = await receiver(async (request) => {
		if (++arrived === 10) all.resolve();
		await all.promise;
		const body = await readText(request);
		new Webhook(secret).verify(body, request.headers as Record<string, string>);
		bodies.push(body);
		return 204;
	});
	const opened = await openWith(url, 10);
	const id = await opened.submit({ text: LARGE });
	await opened.start();
	await opened.until(allIn('sent', 10));
	expect(new Set(bodies).size).toBe(1);
	expect(bodies).toHaveLength(10);
	const stored = (await opened.storage.submissions.get(opened.form.id, id))?.data as string;
	expect(stored.length).toBeGreaterThan(3 * MIB);
	expect(bodies[0]?.includes(`"data":${stored},"createdAt"`)).toBe(true);
	expect(opened.taken).toEqual([2 * Buffer.byteLength(stored)]);
});

test('of a large body hardly anything is kept; what is shown says that it is cut; sent again it is whole', async () => {
	const bodies: string[] = [];
	const url = await receiver(async (request) => {
		bodies.push(await readText(request));
		return 204;
	});
	const opened = await openWith(url, 3);
	const submission = await opened.submit({ text: LARGE });
	await opened.start();
	const rows = await opened.until(allIn('sent', 3));
	for (const { id, content } of rows) {
		expect(content?.length).toBeLessThan(1_000);
		const shown = (await opened.dispatch.deliveries.get(encodeId(id))).content;
		expect(shown).toMatchObject({ isCut: true, data: { submission: { id: encodeId(submission) } } });
		const { data } = shown.data.submission as { data: string };
		expect(Buffer.byteLength(data)).toBeLessThanOrEqual(100_000);
		expect(Buffer.byteLength(data)).toBeGreaterThan(99_990);
		expect((await opened.storage.submissions.get(opened.form.id, submission))?.data).toStartWith(data);
	}
	await opened.dispatch.retries.retry(encodeId(rows[0]?.id as number));
	await opened.until((after) => after.every((row) => row.state === 'sent') && bodies.length === 4);
	expect(new Set(bodies).size).toBe(1);
});

test('what a test form captures is shown cut as well, and takes no place', async () => {
	const opened = await openWith('http://127.0.0.1:9/', 1);
	const form = await opened.makeForm({ mode: 'test', notificationEmail: 'owner@example.com' });
	const row = { id: opened.storage.nextId(), formId: form.id, url: 'http://127.0.0.1:9/', secret };
	await opened.storage.batch((tx) => [tx.insert(webhooks).values({ ...row, events: ['submission.created'] })]);
	await opened.submit({ text: LARGE }, { to: form });
	for (const { id, channel, state, content } of await opened.rows()) {
		expect({ state, content }).toEqual({ state: 'captured', content: null });
		const shown = (await opened.dispatch.deliveries.get(encodeId(id))).content;
		expect(JSON.stringify(shown).length).toBeLessThan(500_000);
		if (channel === 'webhook') expect(shown.isCut).toBe(true);
		else expect(shown.text).toContain('This mail contains only the beginning');
	}
});

test('at most 20 kB of a mail are kept, and they say that they are cut', async () => {
	const peer = await server();
	const opened = await openFixture({ smtpUrl: peer.url });
	await opened.submit({ text: LARGE });
	await opened.start();
	const [row] = await opened.until(allIn('sent', 1));
	expect(Buffer.byteLength(row?.content as string)).toBeLessThanOrEqual(20_000);
	expect(Buffer.byteLength(row?.content as string)).toBeGreaterThan(15_000);
	const { content } = await opened.dispatch.deliveries.get(encodeId(row?.id as number));
	expect(content).toMatchObject({ isCut: true, subject: 'New submission: Contact' });
});

test('a receiver that takes nothing of a large body is given up soon, one that is slow is not', async () => {
	const post = createGuardedPost({ allowed: ['127.0.0.1'], stallMs: 300 });
	const piece = new Uint8Array(16 * MIB);
	const request = { headers: {}, body: { bytes: piece.length, chunks: () => [piece] } };
	const dead = await receiver(() => new Promise<number>(() => {}));
	const started = performance.now();
	const message = 'Read nothing of the body for 0.3 seconds.';
	expect(await post(dead, request)).toEqual({ hasResponse: false, failure: 'timeout', message });
	expect(performance.now() - started).toBeLessThan(5_000);
	const slow = await receiver(async (incoming) => {
		let bytes = 0;
		for await (const chunk of incoming) {
			bytes += (chunk as Buffer).length;
			await Bun.sleep(1);
		}
		return bytes === piece.length ? 204 : 500;
	});
	expect(await post(slow, request)).toMatchObject({ hasResponse: true, status: 204 });
});
