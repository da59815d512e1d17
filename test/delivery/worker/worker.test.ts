/** The delivery worker with mail: every state that a delivery can reach. */

import { expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { expireSentContent, SENT_CONTENT_DAYS } from '../../../src/delivery/sent-content.ts';
import { encodeId } from '../../../src/ids.ts';
import { deliveries, forms, submissions } from '../../../src/storage/tables.ts';
import { allIn, messageIds, useDeliveryFixtures } from '../fixtures.ts';

const { openFixture, server } = useDeliveryFixtures();

test('a submission is mailed once, and its content can be viewed', async () => {
	const peer = await server();
	const { form, submit, start, until, dispatch } = await openFixture({ smtpUrl: peer.url });
	await start();
	const id = await submit({ name: 'Ada' });
	const [row] = await until(allIn('sent', 1));
	expect(messageIds(peer)).toEqual([`${encodeId(id)}@forms.example.com`]);
	expect(row).toMatchObject({ attempts: 1, nextAttemptAt: null, lastError: null, submissionId: id, formId: form.id });
	const shown = await dispatch.deliveries.get(encodeId(row?.id ?? 0));
	expect(shown.content).toMatchObject({ to: ['owner@example.com'], subject: 'New submission: Contact' });
	expect(shown.content.text).toContain('Ada');
});

test('deliveries stored before the worker starts are sent afterwards', async () => {
	const peer = await server();
	const { submit, start, until } = await openFixture({ smtpUrl: peer.url });
	await submit();
	await submit();
	await start();
	await until(allIn('sent', 2));
	expect(new Set(messageIds(peer)).size).toBe(2);
});

test('spam is withheld, mail of a test form captured, and without a mail server mail is withheld', async () => {
	const peer = await server();
	const live = await openFixture({ smtpUrl: peer.url });
	await live.start();
	await live.submit({ a: 'b' }, { spamReason: 'honeypot' });
	await live.submit({ name: 'Tess' }, { to: await live.makeForm({ mode: 'test' }) });
	const [spam, captured] = await live.rows();
	expect(spam).toMatchObject({ state: 'withheld', lastError: 'The submission is spam' });
	expect(captured).toMatchObject({ state: 'captured' });
	const shown = await live.dispatch.deliveries.get(encodeId(captured?.id ?? 0));
	expect(shown.content.html).toContain('Tess');

	const without = await openFixture({ smtpUrl: null });
	await without.start();
	await without.submit();
	expect(await without.rows()).toMatchObject([
		{ state: 'withheld', lastError: expect.stringContaining('FORMSRV_SMTP_URL') },
	]);
	expect(peer.connections).toEqual([]);
});

test('withheld mail is sent once its submission is marked as not spam', async () => {
	const peer = await server();
	const { form, storage, submit, start, until, dispatch } = await openFixture({ smtpUrl: peer.url });
	await start();
	const id = await submit({ a: 'b' }, { spamReason: 'honeypot' });
	const [row] = await until(allIn('withheld', 1));
	expect(dispatch.retries.retry(encodeId(row?.id ?? 0))).rejects.toThrow('marked as spam');
	await storage.submissions.change(form.id, [id], { isSpam: false });
	expect(await dispatch.retries.release(form.id, [id])).toBe(1);
	await until(allIn('sent', 1));
	expect(await dispatch.retries.release(form.id, [id])).toBe(0);
});

test('a submission that is marked as spam before its mail went out is not mailed', async () => {
	const peer = await server({ greeting: '421 later' });
	const { form, storage, submit, start, until } = await openFixture({ smtpUrl: peer.url });
	await start();
	const id = await submit();
	await until(([row]) => row?.lastError?.includes('421') === true);
	await storage.submissions.change(form.id, [id], { isSpam: true });
	peer.script = {};
	await until(allIn('withheld', 1));
	expect(peer.accepted).toEqual([]);
});

test('a permanent failure is stored at once, and can be retried', async () => {
	const peer = await server({ RCPT: '550 no such user' });
	const { submit, start, until, dispatch } = await openFixture({ smtpUrl: peer.url });
	await start();
	await submit();
	const [row] = await until(allIn('failed', 1));
	expect(row).toMatchObject({
		attempts: 1,
		nextAttemptAt: null,
		lastError: expect.stringContaining('550 no such user'),
	});
	peer.script = {};
	await dispatch.retries.retry(encodeId(row?.id ?? 0));
	await until(allIn('sent', 1));
});

test('a bulk retry skips spam and other modes', async () => {
	const peer = await server({ RCPT: '550 no such user' });
	const { form, storage, submit, start, until, dispatch } = await openFixture({ smtpUrl: peer.url });
	await start();
	const ids = [await submit(), await submit(), await submit()];
	await until(allIn('failed', 3));
	peer.script = {};
	await storage.submissions.change(form.id, [ids[0] ?? 0], { isSpam: true });
	expect(await dispatch.retries.retryMany({}, 'test')).toBe(0);
	expect(await dispatch.retries.retryMany({ state: 'withheld' }, 'live')).toBe(0);
	expect(await dispatch.retries.retryMany({ form: encodeId(form.id) }, 'live')).toBe(2);
	await until((rows) => rows.filter(({ state }) => state === 'sent').length === 2);
	expect(peer.accepted).toHaveLength(2);
});

test('a deferred message waits, and delays no other', async () => {
	const peer = await server({
		RCPT: (mail) => (mail.to.includes('full@example.com') ? '452 mailbox full' : undefined),
	});
	const { submit, makeForm, start, until } = await openFixture({ smtpUrl: peer.url });
	const full = await makeForm({ notificationEmail: 'full@example.com' });
	await start();
	const stuck = await submit({}, { to: full });
	for (let i = 0; i < 5; i++) await submit();
	const rows = await until((found) => found.filter(({ state }) => state === 'sent').length === 5);
	const row = rows.find(({ submissionId }) => submissionId === stuck);
	expect(row).toMatchObject({ state: 'waiting', attempts: 1, lastError: expect.stringContaining('452 mailbox full') });
	expect((row?.nextAttemptAt ?? 0) - Date.now()).toBeGreaterThan(30_000);
});

test('a full mailbox for which many mails wait delays no other', async () => {
	const peer = await server({ RCPT: (mail) => (mail.to.includes('full@example.com') ? '452 4.2.2 full' : undefined) });
	const { submit, makeForm, start, until, logLines } = await openFixture({ smtpUrl: peer.url });
	const full = await makeForm({ notificationEmail: 'full@example.com' });
	for (let i = 0; i < 10; i++) await submit({}, { to: full });
	await submit();
	await start();
	const rows = await until((found) => found.some(({ state }) => state === 'sent'));
	expect(rows.filter(({ lastError }) => lastError?.includes('452 4.2.2 full'))).toHaveLength(10);
	expect(logLines.filter((line) => line.includes('paused'))).toEqual([]);
});

test('what a mail server repeats of an address is shown to the owner, and is not in the log', async () => {
	const peer = await server({ RCPT: '450 4.7.1 <owner@example.com>: not now' });
	const { submit, start, until, logLines } = await openFixture({ smtpUrl: peer.url });
	for (let i = 0; i < 3; i++) await submit();
	await start();
	await until((rows) => rows.every(({ lastError }) => lastError?.endsWith('<owner@example.com>: not now')));
	await until(() => logLines.join('').includes('Mail is paused: The server rejected the recipient'));
	expect(logLines.join('')).not.toContain('owner@');
});

test('recipients with different outcomes continue separately, and none gets a mail twice', async () => {
	const replies: Record<string, string> = { 'full@example.com': '452 full', 'gone@example.com': '550 gone' };
	const peer = await server({ RCPT: (mail) => replies[mail.to.at(-1) ?? ''] });
	const recipients = 'owner@example.com, full@example.com, gone@example.com';
	const { submit, start, until, dispatch } = await openFixture({
		smtpUrl: peer.url,
		form: { notificationEmail: recipients },
	});
	await start();
	const id = await submit();
	const rows = await until((found) => found.length === 3);
	const stateOf = Object.fromEntries(rows.map(({ destination, state }) => [destination, state]));
	expect(stateOf).toEqual({ [recipients]: 'sent', 'full@example.com': 'waiting', 'gone@example.com': 'failed' });
	peer.script = {};
	await dispatch.retries.retryMany({ state: 'waiting' });
	await until((found) => found.find(({ destination }) => destination === 'full@example.com')?.state === 'sent');
	expect(peer.accepted.map(({ to }) => to)).toEqual([['owner@example.com'], ['full@example.com']]);
	expect(new Set(messageIds(peer))).toEqual(new Set([`${encodeId(id)}@forms.example.com`]));
});

test('the waiting mails of a form that is deleted are not sent', async () => {
	const peer = await server({ greeting: '421 later' });
	const { form, storage, submit, start, until } = await openFixture({ smtpUrl: peer.url });
	await start();
	await submit();
	await until(([row]) => row?.lastError !== null);
	await storage.batch((tx) => [tx.update(forms).set({ deletedAt: Date.now() }).where(eq(forms.id, form.id))]);
	peer.script = {};
	await until(allIn('failed', 1));
	expect(peer.accepted).toEqual([]);
});

test('a submission that is deleted takes its deliveries along, also while one is being sent', async () => {
	const peer = await server({ DATA: 'hang' });
	const { form, storage, submit, start, until, stop } = await openFixture({ smtpUrl: peer.url });
	await start();
	const id = await submit();
	await until(allIn('sending', 1));
	await storage.submissions.remove(form.id, [id]);
	await stop(20);
	expect(await until(() => true)).toEqual([]);
	expect(await storage.db.select().from(submissions)).toEqual([]);
});

test('deleting a submission also removes the delivery to its remaining recipient', async () => {
	const peer = await server();
	const recipients = 'owner@example.com, full@example.com';
	const opened = await openFixture({ smtpUrl: peer.url, form: { notificationEmail: recipients } });
	const { form, storage, submit, start, stop, until, rows, logLines } = opened;
	const id = await submit();
	let removal: Promise<unknown> | undefined;
	peer.script = {
		RCPT: ({ to }) => (to.at(-1) === 'full@example.com' ? '452 full' : undefined),
		content: () => {
			removal = storage.submissions.remove(form.id, [id]);
			return undefined;
		},
	};
	await start();
	await until(() => peer.accepted.length === 1);
	await removal;
	await stop();
	expect(await rows()).toEqual([]);
	expect(logLines.join('')).not.toContain('cannot be stored');
});

test('a mail that cannot be rendered affects no other', async () => {
	const peer = await server();
	const { storage, submit, start, until } = await openFixture({ smtpUrl: peer.url });
	const broken = await submit();
	await storage.batch((tx) => [
		tx.update(deliveries).set({ destination: 'no address' }).where(eq(deliveries.submissionId, broken)),
	]);
	await submit();
	await start();
	const rows = await until((found) => found.every(({ state }) => state === 'sent' || state === 'failed'));
	expect(rows.find(({ submissionId }) => submissionId === broken)).toMatchObject({
		state: 'failed',
		lastError: '"no address" is not a mail address',
	});
	expect(peer.accepted).toHaveLength(1);
});

test('sent content is deleted after 30 days; the delivery stays', async () => {
	const clock = { now: Date.UTC(2026, 0, 2) };
	const peer = await server();
	const { submit, start, until, dispatch, storage } = await openFixture({ smtpUrl: peer.url, now: () => clock.now });
	const expire = () =>
		expireSentContent(storage, { pause: async () => true, before: clock.now - SENT_CONTENT_DAYS * 86_400_000 });
	await start();
	await submit();
	const [row] = await until(allIn('sent', 1));
	const id = encodeId(row?.id ?? 0);
	clock.now += 29 * 24 * 3_600_000;
	await expire();
	expect((await dispatch.deliveries.get(id)).content).not.toBeNull();
	clock.now += 2 * 24 * 3_600_000;
	await expire();
	expect(await dispatch.deliveries.get(id)).toMatchObject({ state: 'sent', content: null });
});
