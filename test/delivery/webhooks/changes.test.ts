/** Webhooks hear of changed and deleted submissions, and of deliveries that failed, as far as they subscribe to it. */

import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { and, eq, like, ne, notLike } from 'drizzle-orm';
import { TOLD_SINGLY_MAX } from '../../../src/delivery/announcements.ts';
import type { WebhookEvent } from '../../../src/delivery/events.ts';
import { expireSentContent } from '../../../src/delivery/sent-content.ts';
import { failureOf } from '../../../src/delivery/webhooks/facts.ts';
import type { CreateWebhook } from '../../../src/delivery/webhooks/schema.ts';
import { createWebhooks } from '../../../src/delivery/webhooks/webhooks.ts';
import { encodeId } from '../../../src/ids.ts';
import { createGuardedPost } from '../../../src/network/guarded-request.ts';
import { type DeliveryRow, deliveries, type forms, webhooks } from '../../../src/storage/tables.ts';
import { createBulk } from '../../../src/submissions/bulk/bulk.ts';
import { useDeliveryFixtures } from '../fixtures.ts';

setDefaultTimeout(60_000);

interface Body {
	type: WebhookEvent;
	timestamp: string;
	data: {
		form: { id: string };
		submission?: { id: string; data?: object; isRead?: boolean; isSpam?: boolean } | null;
		more?: number;
		delivery?: { id: string; channel: string; event: string; webhook: string | null; error: string };
	};
}

const CREATED = 'submission.created';
const SPAM = 'submission.spam';
const UPDATED = 'submission.updated';
const DELETED = 'submission.deleted';
const FAILED = 'delivery.failed';
const { openFixture, server } = useDeliveryFixtures();
const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
	for (const close of closers.splice(0)) await close();
});

/** A form whose webhooks post to paths of one receiver, which fails at `/broken…`. */
async function open(form: Partial<typeof forms.$inferInsert> = {}, smtpUrl: string | null = null) {
	const received: { path: string; body: Body }[] = [];
	const target = Bun.serve({
		port: 0,
		hostname: '127.0.0.1',
		async fetch(request) {
			const { pathname: path } = new URL(request.url);
			received.push({ path, body: (await request.json()) as Body });
			return new Response(path.startsWith('/broken') ? 'no room' : null, {
				status: path.startsWith('/broken') ? 410 : 204,
			});
		},
	});
	closers.push(() => target.stop(true));
	const post = createGuardedPost({ allowed: ['127.0.0.1'] });
	const clock = { ahead: 0 };
	const now = () => Date.now() + clock.ahead;
	const fixture = await openFixture({ form: { notificationEmail: null, ...form }, smtpUrl, post, now });
	const { storage } = fixture;
	const service = createWebhooks(storage, {
		post,
		allowed: ['127.0.0.1'],
		baseUrl: () => 'https://forms.example.com',
	});
	const ref = { form: encodeId(fixture.form.id) };
	const hook = (path: string, events: WebhookEvent[], more: Partial<CreateWebhook> = {}) =>
		service.create(ref, { url: new URL(path, target.url).href, events, ...more });
	const bulk = createBulk(storage, fixture.dispatch.retries.release);
	const planned = async () => (await fixture.rows()).filter(({ event }) => event !== CREATED && event !== SPAM);
	return { ...fixture, service, ref, hook, bulk, planned, received, clock };
}

type Opened = Awaited<ReturnType<typeof open>>;

async function submitMany({ submit }: Opened, count: number): Promise<number[]> {
	const ids: number[] = [];
	for (let at = 0; at < count; at += 100)
		ids.push(
			...(await Promise.all(Array.from({ length: Math.min(100, count - at) }, (_, i) => submit({ n: at + i })))),
		);
	return ids;
}

const all = <T>(input: T) => ({ readInput: async () => input, checkDisclosure: () => {} });

test('each real change is posted once, with the submission as it is then; a removal with its id alone', async () => {
	const opened = await open();
	const { hook, submit, storage, form, start, until, received } = opened;
	await hook('/all', [UPDATED, DELETED]);
	await hook('/new', [CREATED]);
	const [kept, gone] = [await submit({ secret: 'kept' }), await submit({ secret: 'gone' })];
	const change = { isRead: true, isArchived: true, labels: '\nsecret\n', note: 'secret' };
	await storage.submissions.change(form.id, [kept, gone], change);
	await storage.submissions.change(form.id, [kept, gone], change);
	await storage.submissions.remove(form.id, [gone, 1]);
	expect((await opened.planned()).map(({ event, submissionId }) => [event, submissionId]).sort()).toEqual([
		[DELETED, null],
		[UPDATED, kept],
	]);
	await start();
	await until((rows) => rows.every(({ state }) => state === 'sent'));
	const bodies = received.filter(({ path }) => path === '/all').map(({ body }) => body);
	const updated = bodies.find(({ type }) => type === UPDATED);
	const shown = { id: encodeId(kept), data: { secret: 'kept' }, isRead: true, isArchived: true };
	expect(updated?.data.submission).toMatchObject(shown);
	expect(Object.keys(updated?.data.submission ?? {})).not.toContainAnyValues(['labels', 'note']);
	const deleted = bodies.find(({ type }) => type === DELETED);
	expect(deleted?.data).toEqual({
		form: expect.objectContaining({ id: encodeId(form.id) }),
		submission: { id: encodeId(gone) },
	});
	expect(Math.abs(Date.parse(deleted?.timestamp ?? '') - Date.now())).toBeLessThan(60_000);
	expect(bodies.length).toBe(2);
	const [row] = (await opened.rows()).filter(({ event }) => event === DELETED);
	expect((await opened.dispatch.deliveries.get(encodeId(row?.id ?? 0))).content).toEqual(deleted as never);
	await expireSentContent(storage, { pause: async () => true, before: Date.now() + 60_000 });
	expect((await opened.rows()).map(({ event, content }) => [event, content]).sort()).toEqual([
		[CREATED, null],
		[UPDATED, null],
	]);
});

test('nothing is planned for a form whose webhooks subscribe to nothing of it, nor for a disabled one', async () => {
	const { hook, submit, storage, form, planned, service, ref } = await open();
	await hook('/new', [CREATED, SPAM, FAILED]);
	const off = await hook('/off', [UPDATED, DELETED]);
	await service.update({ ...ref, webhook: off.id }, { isActive: false });
	const id = await submit();
	await storage.submissions.change(form.id, [id], { isStarred: true });
	await storage.submissions.remove(form.id, [id]);
	expect(await planned()).toEqual([]);
});

test('a test form captures them', async () => {
	const { hook, submit, storage, form, planned, start, received } = await open({ mode: 'test' });
	await hook('/all', [UPDATED, DELETED]);
	const id = await submit();
	await storage.submissions.change(form.id, [id], { isStarred: true });
	await start();
	expect((await planned()).map(({ state }) => state)).toEqual(['captured']);
	await storage.submissions.remove(form.id, [id]);
	expect((await planned()).map(({ event, state }) => [event, state])).toEqual([[DELETED, 'captured']]);
	expect(received).toEqual([]);
	await expireSentContent(storage, { pause: async () => true, before: Date.now() + 60_000 });
	expect(await planned()).toEqual([]);
});

test('spam that stays spam is told to those that get spam; marks as spam or genuine, and removals, to all', async () => {
	const { hook, submit, storage, form, planned } = await open();
	const { id: plain } = await hook('/plain', [UPDATED, DELETED]);
	await hook('/spam', [UPDATED, DELETED, SPAM]);
	const toldTo = async () =>
		(await planned())
			.map(({ event, webhookId }) => `${event} ${encodeId(webhookId ?? 0) === plain ? 'plain' : 'spam'}`)
			.sort();
	const junk = await submit({}, { spamReason: 'honeypot' });
	await storage.submissions.change(form.id, [junk], { isRead: true });
	expect(await toldTo()).toEqual([`${UPDATED} spam`]);
	await storage.submissions.change(form.id, [junk], { isSpam: false });
	expect(await toldTo()).toEqual([`${UPDATED} plain`, `${UPDATED} spam`, `${UPDATED} spam`]);
	await storage.submissions.change(form.id, [junk], { isSpam: true });
	await storage.submissions.remove(form.id, [junk]);
	expect(await toldTo()).toEqual([`${DELETED} plain`, `${DELETED} spam`]);
});

test('conditions hold for changes and removals too', async () => {
	const { hook, submit, storage, form, planned } = await open();
	const { id: sales } = await hook('/sales', [UPDATED, DELETED], { where: [{ field: 'topic', is: 'Sales' }] });
	await hook('/any', [UPDATED]);
	const [meets, other] = [await submit({ topic: 'sales' }), await submit({ topic: 'x' })];
	await storage.submissions.change(form.id, [meets, other], { isRead: true });
	const toSales = async () => (await planned()).filter(({ webhookId }) => encodeId(webhookId ?? 0) === sales);
	expect((await toSales()).map(({ submissionId }) => submissionId)).toEqual([meets]);
	expect((await planned()).length).toBe(3);
	await storage.submissions.remove(form.id, [meets, other]);
	expect((await toSales()).map(({ content }) => content)).toEqual([
		JSON.stringify({ submission: { id: encodeId(meets) } }),
	]);
});

describe('a call about many', () => {
	const MANY = TOLD_SINGLY_MAX + 450;

	test('tells of the first ones each, and of the rest by one event that says how many', async () => {
		const opened = await open();
		const { hook, bulk, storage, form, planned, clock, start, until, received } = opened;
		const ids = (await submitMany(opened, MANY)).map(encodeId);
		await hook('/all', [UPDATED, DELETED]);
		await hook('/chat', [DELETED], { format: 'slack' });
		expect(await bulk.update(encodeId(form.id), all({ ids, set: { isRead: true } }))).toEqual({ updated: MANY });
		const rows = await planned();
		expect(rows.length).toBe(TOLD_SINGLY_MAX + 1);
		expect(rows.flatMap(({ content, submissionId }) => (content === null ? [] : [[content, submissionId]]))).toEqual([
			[JSON.stringify({ submission: null, more: 450 }), null],
		]);
		await bulk.remove(encodeId(form.id), all({ ids }));
		expect((await planned()).filter(({ event }) => event === DELETED).length).toBe(2 * (TOLD_SINGLY_MAX + 1));
		// To send all of them would take its time.
		const [few] = (await planned()).filter(({ content }) => content?.includes(ids[0] ?? ''));
		await storage.batch((tx) => [
			tx.delete(deliveries).where(and(notLike(deliveries.content, '%more%'), ne(deliveries.id, few?.id ?? 0))),
		]);
		await start();
		await until((left) => left.some(({ state }) => state === 'sent'));
		expect((await opened.rows()).filter(({ state }) => state === 'waiting').length).toBe(3);
		clock.ahead = 90_000;
		await until((left) => left.every(({ state }) => state === 'sent'));
		const rests = received.flatMap(({ path, body }) => (path === '/all' && body.data.more !== undefined ? [body] : []));
		expect(rests.map(({ type, data }) => [type, data.submission, data.more]).sort()).toEqual([
			[DELETED, null, 450],
			[UPDATED, null, 450],
		]);
		const chat = received.filter(({ path }) => path === '/chat').map(({ body }) => JSON.stringify(body));
		expect(chat.filter((text) => text.includes('450 more submissions deleted')).length).toBe(1);
	});

	test('begins another event if the one before left meanwhile', async () => {
		const opened = await open();
		const { hook, storage, form, planned } = opened;
		const ids = await submitMany(opened, MANY);
		await hook('/all', [DELETED]);
		const call = {};
		const remove = (from: number, to: number) => storage.submissions.remove(form.id, ids.slice(from, to), { call });
		for (let at = 0; at < TOLD_SINGLY_MAX + 200; at += 200) await remove(at, at + 200);
		const isRest = like(deliveries.content, '%more%');
		await storage.batch((tx) => [tx.update(deliveries).set({ state: 'sending', attempts: 1 }).where(isRest)]);
		await remove(TOLD_SINGLY_MAX + 200, TOLD_SINGLY_MAX + 350);
		await remove(TOLD_SINGLY_MAX + 350, MANY);
		const rests = (await planned()).filter(({ content }) => content?.includes('more'));
		expect(rests.map(({ state, content }) => [state, JSON.parse(content ?? '').more]).sort()).toEqual([
			['sending', 200],
			['waiting', 250],
		]);
	});
});

describe('a delivery that failed', () => {
	test.each([
		['Given up after 8 attempts. Responded with 404: Cannot POST /hooks/SECRET', 'Responded with 404'],
		['The webhook was disabled. The target responded with 410 Gone.', 'Responded with 410'],
		['The server rejected the recipient: 550 5.1.1 <ada@example.com>: User ada unknown', '550 5.1.1'],
		['The server rejected the mail: 552 Message of ada too large', '552'],
		['The name secret.example.com has no address.', null],
		['"ada@example" is not a mail address', null],
		[null, null],
	])('with the error %p has %p of it, and no word of its receiver', (lastError, error) => {
		const row = { id: 1, channel: 'mail', event: CREATED, attempts: 8, submissionId: null, webhookId: null, lastError };
		expect(failureOf(row as DeliveryRow)).toMatchObject({ delivery: { error } });
	});

	test('because the server ended during its last attempt is announced too', async () => {
		const { hook, submit, storage, start, until } = await open();
		await hook('/all', [CREATED]);
		await hook('/log', [FAILED]);
		await submit();
		await storage.batch((tx) => [tx.update(deliveries).set({ state: 'sending', attempts: 99, nextAttemptAt: 1 })]);
		await start();
		const rows = await until((all) => all.length === 2 && all.every(({ finishedAt }) => finishedAt !== null));
		expect(rows.map(({ event, state }) => `${event} ${state}`).sort()).toEqual([`${FAILED} sent`, `${CREATED} failed`]);
	});

	test('because its webhook was disabled as the server ended is announced too', async () => {
		const { hook, submit, storage, start, until, received } = await open();
		const { url } = await hook('/broken', [CREATED]);
		await hook('/log', [FAILED]);
		await submit();
		const gone = { isActive: false, disabledReason: 'The target responded with 410 Gone.' };
		await storage.batch((tx) => [
			tx.update(deliveries).set({ state: 'sending', attempts: 1, nextAttemptAt: 1 }),
			tx.update(webhooks).set(gone).where(eq(webhooks.url, url)),
		]);
		await start();
		const rows = await until((all) => all.length === 2 && all.every(({ finishedAt }) => finishedAt !== null));
		const error = 'The webhook was disabled. The target responded with 410 Gone.';
		expect(rows.map(({ event, state, lastError }) => [event, state, lastError]).sort()).toEqual([
			[FAILED, 'sent', null],
			[CREATED, 'failed', error],
		]);
		expect(received.map(({ path }) => path)).toEqual(['/log']);
	});

	test('is told to the other webhooks that subscribe, never to itself, and when it told of one only if that ended its webhook', async () => {
		const { hook, submit, storage, start, until, received, rows } = await open();
		const broken = await hook('/broken/a', [CREATED, FAILED]);
		await hook('/broken/b', [FAILED]);
		await hook('/log', [FAILED]);
		await hook('/chat', [FAILED], { format: 'slack' });
		const barred = await hook('/barred', [FAILED]);
		const barredPort = { url: 'http://127.0.0.1:99/barred' };
		await storage.batch((tx) => [tx.update(webhooks).set(barredPort).where(eq(webhooks.url, barred.url))]);
		const id = await submit({ a: 'b' });
		await start();
		await until((all) => all.length === 8 && all.every(({ state }) => state === 'sent' || state === 'failed'));
		const [told, ended] = received
			.filter(({ path }) => path === '/log')
			.toSorted((a, b) => JSON.stringify(a.body).localeCompare(JSON.stringify(b.body)));
		expect(ended?.body.data.delivery).toMatchObject({ event: FAILED, error: 'Responded with 410' } as never);
		expect(told?.body.data.delivery).toMatchObject({
			channel: 'webhook',
			event: CREATED,
			webhook: broken.id,
			submission: encodeId(id),
			attempts: 1,
			error: expect.stringContaining('410'),
		} as never);
		expect(JSON.stringify(told?.body)).not.toContain('/broken/a');
		const events = (await rows()).map(
			({ event, state, destination }) => `${event} ${state} ${new URL(destination).pathname}`,
		);
		expect(events.sort()).toEqual([
			`${FAILED} failed /barred`,
			`${FAILED} failed /barred`,
			`${FAILED} failed /broken/b`,
			`${FAILED} sent /chat`,
			`${FAILED} sent /chat`,
			`${FAILED} sent /log`,
			`${FAILED} sent /log`,
			`${CREATED} failed /broken/a`,
		]);
		const [chat] = received.filter(({ path }) => path === '/chat');
		expect(JSON.stringify(chat?.body)).toContain('Contact: a delivery failed');
	});

	test('is told of a mail to a visitor as of others, without the address; no mail to the visitor follows from an event', async () => {
		const peer = await server({ RCPT: '550 5.1.1 <Ada@Example.COM>: no such user' });
		const autoresponder = { field: 'email', subject: null, text: null, delayMinutes: 0 };
		const opened = await open({ captcha: 'altcha', autoresponder }, peer.url);
		const { hook, submit, storage, form, start, until, received } = opened;
		await hook('/log', [UPDATED, DELETED, FAILED]);
		const [id, gone] = [await submit({ email: 'ada@example.com' }), await submit({ email: '' })];
		await storage.submissions.change(form.id, [id], { isRead: true });
		await storage.submissions.remove(form.id, [gone]);
		await start();
		const rows = await until((all) => all.length === 4 && all.every(({ finishedAt }) => finishedAt !== null));
		expect(rows.map(({ channel, event, state }) => `${channel} ${event} ${state}`).sort()).toEqual([
			`visitor ${CREATED} failed`,
			`webhook ${FAILED} sent`,
			`webhook ${DELETED} sent`,
			`webhook ${UPDATED} sent`,
		]);
		const told = received.find(({ body }) => body.type === FAILED);
		expect(told?.body.data.delivery).toMatchObject({
			channel: 'visitor',
			event: CREATED,
			webhook: null,
			submission: encodeId(id),
			error: '550 5.1.1',
		} as never);
		expect(JSON.stringify(told)).not.toMatch(/ada/i);
	});
});
