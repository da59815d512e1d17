/** The outbox at work: what happens to mail while the server is well, ill, and coming back. */

import { afterEach, expect, test } from 'bun:test';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { encodeId } from '../../src/ids.ts';
import { type DeliveryRow, deliveries, forms, submissions, webhooks } from '../../src/storage/tables.ts';
import { tempFolder } from '../temp-folder.ts';
import { type House, type HouseOptions, openHouse } from './house.ts';
import { type ScriptedSmtp, type Stage, startScriptedSmtp } from './scripted-smtp.ts';

const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
	for (const close of closers.splice(0).reverse()) await close();
});

async function server(script: ScriptedSmtp['script'] = {}, port = 0): Promise<ScriptedSmtp> {
	const peer = await startScriptedSmtp(script, port);
	closers.push(peer.close);
	return peer;
}

async function house(options: Partial<HouseOptions>): Promise<House> {
	const opened = await openHouse({ file: join(tempFolder(), 'formsrv.db'), ...options });
	closers.push(opened.close);
	return opened;
}

const all = (state: DeliveryRow['state'], count: number) => (rows: DeliveryRow[]) =>
	rows.length === count && rows.every((row) => row.state === state);
const messageIds = (peer: ScriptedSmtp) =>
	peer.accepted.map(({ content }) => /^Message-ID: <(.*)>/m.exec(content)?.[1] ?? '');

test('a submission is mailed once, and what was sent can be looked at', async () => {
	const peer = await server();
	const { form, submit, start, until, dispatch } = await house({ smtpUrl: peer.url });
	await start();
	const id = await submit({ name: 'Ada' });
	const [row] = await until(all('sent', 1));
	expect(messageIds(peer)).toEqual([`${encodeId(id)}@forms.example.com`]);
	expect(row).toMatchObject({ attempts: 1, nextAttemptAt: null, lastError: null, submissionId: id, formId: form.id });
	const shown = await dispatch.deliveries.get(encodeId(row?.id ?? 0));
	expect(shown.content).toMatchObject({ to: ['owner@example.com'], subject: 'New submission: Contact' });
	expect(shown.content.text).toContain('Ada');
});

test('what was stored before the server started is sent after it', async () => {
	const peer = await server();
	const { submit, start, until } = await house({ smtpUrl: peer.url });
	await submit();
	await submit();
	await start();
	await until(all('sent', 2));
	expect(new Set(messageIds(peer)).size).toBe(2);
});

test('spam is withheld, a test form only shows, and without a mail server mail is kept back', async () => {
	const peer = await server();
	const live = await house({ smtpUrl: peer.url });
	await live.start();
	await live.submit({ a: 'b' }, { spamReason: 'honeypot' });
	await live.submit({ name: 'Tess' }, { to: await live.makeForm({ mode: 'test' }) });
	const [spam, captured] = await live.rows();
	expect(spam).toMatchObject({ state: 'withheld', lastError: 'The submission is spam' });
	expect(captured).toMatchObject({ state: 'captured' });
	const shown = await live.dispatch.deliveries.get(encodeId(captured?.id ?? 0));
	expect(shown.content.html).toContain('Tess');

	const without = await house({ smtpUrl: null });
	await without.start();
	await without.submit();
	expect(await without.rows()).toMatchObject([
		{ state: 'withheld', lastError: expect.stringContaining('FORMSRV_SMTP_URL') },
	]);
	expect(peer.connections).toEqual([]);
});

test('what was withheld is sent once somebody says that it is no spam', async () => {
	const peer = await server();
	const { form, storage, submit, start, until, dispatch } = await house({ smtpUrl: peer.url });
	await start();
	const id = await submit({ a: 'b' }, { spamReason: 'honeypot' });
	const [row] = await until(all('withheld', 1));
	expect(dispatch.retries.retry(encodeId(row?.id ?? 0))).rejects.toThrow('marked as spam');
	await storage.submissions.change(form.id, [id], { isSpam: false });
	expect(await dispatch.retries.release(form.id, [id])).toBe(1);
	await until(all('sent', 1));
	expect(await dispatch.retries.release(form.id, [id])).toBe(0);
});

test('a submission that is marked as spam before its mail went out is not mailed', async () => {
	const peer = await server({ greeting: '421 later' });
	const { form, storage, submit, start, until } = await house({ smtpUrl: peer.url });
	await start();
	const id = await submit();
	await until(([row]) => row?.lastError?.includes('421') === true);
	await storage.submissions.change(form.id, [id], { isSpam: true });
	peer.script = {};
	await until(all('withheld', 1));
	expect(peer.accepted).toEqual([]);
});

test('a permanent refusal is parked at once and kept, and can be tried again', async () => {
	const peer = await server({ RCPT: '550 no such user' });
	const { submit, start, until, dispatch } = await house({ smtpUrl: peer.url });
	await start();
	await submit();
	const [row] = await until(all('failed', 1));
	expect(row).toMatchObject({
		attempts: 1,
		nextAttemptAt: null,
		lastError: expect.stringContaining('550 no such user'),
	});
	peer.script = {};
	await dispatch.retries.retry(encodeId(row?.id ?? 0));
	await until(all('sent', 1));
});

test('many are tried again together, those of spam and of other modes left alone', async () => {
	const peer = await server({ RCPT: '550 no such user' });
	const { form, storage, submit, start, until, dispatch } = await house({ smtpUrl: peer.url });
	await start();
	const ids = [await submit(), await submit(), await submit()];
	await until(all('failed', 3));
	peer.script = {};
	await storage.submissions.change(form.id, [ids[0] ?? 0], { isSpam: true });
	expect(await dispatch.retries.retryMany({}, 'test')).toBe(0);
	expect(await dispatch.retries.retryMany({ state: 'withheld' }, 'live')).toBe(0);
	expect(await dispatch.retries.retryMany({ form: encodeId(form.id) }, 'live')).toBe(2);
	await until((rows) => rows.filter(({ state }) => state === 'sent').length === 2);
	expect(peer.accepted).toHaveLength(2);
});

test('a message that is put off waits, and holds up no other', async () => {
	const peer = await server({
		RCPT: (mail) => (mail.to.includes('full@example.com') ? '452 mailbox full' : undefined),
	});
	const { submit, makeForm, start, until } = await house({ smtpUrl: peer.url });
	const full = await makeForm({ notificationEmail: 'full@example.com' });
	await start();
	const stuck = await submit({}, { to: full });
	for (let i = 0; i < 5; i++) await submit();
	const rows = await until((found) => found.filter(({ state }) => state === 'sent').length === 5);
	const row = rows.find(({ submissionId }) => submissionId === stuck);
	expect(row).toMatchObject({ state: 'waiting', attempts: 1, lastError: expect.stringContaining('452 mailbox full') });
	expect((row?.nextAttemptAt ?? 0) - Date.now()).toBeGreaterThan(30_000);
});

test('recipients whose fates differ part ways, and none gets a mail twice', async () => {
	const fates: Record<string, string> = { 'full@example.com': '452 full', 'gone@example.com': '550 gone' };
	const peer = await server({ RCPT: (mail) => fates[mail.to.at(-1) ?? ''] });
	const everybody = 'owner@example.com, full@example.com, gone@example.com';
	const { submit, start, until, dispatch } = await house({ smtpUrl: peer.url, form: { notificationEmail: everybody } });
	await start();
	const id = await submit();
	const rows = await until((found) => found.length === 3);
	const fateOf = Object.fromEntries(rows.map(({ destination, state }) => [destination, state]));
	expect(fateOf).toEqual({ [everybody]: 'sent', 'full@example.com': 'waiting', 'gone@example.com': 'failed' });
	peer.script = {};
	await dispatch.retries.retryMany({ state: 'waiting' });
	await until((found) => found.find(({ destination }) => destination === 'full@example.com')?.state === 'sent');
	expect(peer.accepted.map(({ to }) => to)).toEqual([['owner@example.com'], ['full@example.com']]);
	expect(new Set(messageIds(peer))).toEqual(new Set([`${encodeId(id)}@forms.example.com`]));
});

const TROUBLES: [Stage, string][] = [
	['greeting', 'drop'],
	['greeting', '554 go away'],
	['EHLO', 'drop'],
	['AUTH', '535 wrong password'],
	['MAIL', '550 sender refused'],
	['MAIL', '451 later'],
];

test.each(TROUBLES)(
	'an ill server (%s: %s) costs no attempts, is probed singly, and gets all in the end',
	async (stage, behaviour) => {
		const peer = await server({ [stage]: behaviour });
		const { submit, start, until, dispatch } = await house({ smtpUrl: peer.url.replace('//', '//robot:secret@') });
		await start();
		for (let i = 0; i < 20; i++) await submit();
		await until((rows) => rows.some(({ lastError }) => lastError !== null));
		await Bun.sleep(400);
		// One attempt, then probes after 120, 240 and 240 ms: whatever the number of messages.
		expect(peer.connections.length).toBeLessThanOrEqual(4);
		const { mail } = await dispatch.deliveries.list({}, { readQuery: () => ({ limit: 1, offset: 0 }) });
		expect(mail).toMatchObject({ isSet: true, heldReason: expect.any(String), nextProbeAt: expect.any(String) });
		peer.script = {};
		const rows = await until(all('sent', 20));
		expect(rows.every(({ attempts }) => attempts === 1)).toBe(true);
		expect(new Set(messageIds(peer)).size).toBe(20);
		expect(peer.accepted).toHaveLength(20);
		expect(
			(await dispatch.deliveries.list({}, { readQuery: () => ({ limit: 1, offset: 0 }) })).mail.heldSince,
		).toBeNull();
	},
);

test('a server that is down gets everything once it is up', async () => {
	const peer = await startScriptedSmtp();
	await peer.close();
	const { submit, start, until } = await house({ smtpUrl: peer.url });
	await start();
	for (let i = 0; i < 5; i++) await submit();
	await until((rows) => rows.some(({ lastError }) => lastError?.includes('refused') === true));
	const revived = await server({}, peer.port);
	await until(all('sent', 5));
	expect(new Set(messageIds(revived)).size).toBe(5);
});

test('dropping every connection in the middle is met with single probes as well', async () => {
	const peer = await server({ content: 'drop' });
	const { submit, start, until, dispatch } = await house({ smtpUrl: peer.url });
	await start();
	for (let i = 0; i < 20; i++) await submit();
	await until((rows) => rows.some(({ lastError }) => lastError !== null));
	await Bun.sleep(400);
	expect(peer.connections.length).toBeLessThanOrEqual(4);
	peer.script = {};
	await dispatch.retries.retryMany({ state: 'waiting' });
	await until(all('sent', 20));
});

test('above the hourly ceiling one digest stands for all the rest', async () => {
	const clock = { now: Date.UTC(2026, 0, 2) };
	const peer = await server();
	const { submit, start, until, rows, dispatch, form } = await house({
		smtpUrl: peer.url,
		mailPerHour: 3,
		now: () => clock.now,
	});
	await start();
	for (let i = 0; i < 10; i++) {
		clock.now += 1;
		await submit({ n: `no ${i}` });
	}
	const count = (found: DeliveryRow[], state: string) => found.filter((row) => row.state === state).length;
	await until((found) => count(found, 'gathered') === 7 && count(found, 'sent') === 3);
	expect(peer.accepted).toHaveLength(3);
	const digest = (await rows()).find(({ event }) => event === 'submissions.digest');
	expect(digest).toMatchObject({ state: 'waiting', formId: form.id, submissionId: null });

	clock.now += 3_600_000;
	await until((found) => found.find(({ id }) => id === digest?.id)?.state === 'sent');
	expect(peer.accepted).toHaveLength(4);
	const last = peer.accepted.at(-1)?.content ?? '';
	expect(last).toContain('Subject: 7 more submissions: Contact');
	for (let i = 3; i < 10; i++) expect(last).toContain(`no ${i}`);
	const gathered = (
		await dispatch.deliveries.list({}, { readQuery: () => ({ state: 'gathered', limit: 50, offset: 0 }) })
	).deliveries;
	expect(gathered).toHaveLength(7);
	expect(new Set(gathered.map((one) => one.digest))).toEqual(new Set([encodeId(digest?.id ?? 0)]));
});

test('the ceiling is one for each form, and counts across restarts', async () => {
	const peer = await server();
	const first = await house({ smtpUrl: peer.url, mailPerHour: 2 });
	await first.start();
	for (let i = 0; i < 2; i++) await first.submit();
	await first.until(all('sent', 2));
	await first.stop();

	const second = await house({ smtpUrl: peer.url, mailPerHour: 2, file: first.file });
	await second.start();
	await second.submit();
	const other = await second.makeForm();
	await second.submit({}, { to: other });
	const rows = await second.until((found) =>
		found.some(({ formId, state }) => formId === other.id && state === 'sent'),
	);
	expect(rows.filter(({ state }) => state === 'sent')).toHaveLength(3);
	await second.until((found) => found.some(({ state }) => state === 'gathered'));
});

test('a flood of 2,000 submissions is 60 mails and one digest that counts the others', async () => {
	const clock = { now: Date.UTC(2026, 0, 2) };
	const peer = await server();
	const { submit, start, until } = await house({ smtpUrl: peer.url, mailPerHour: 60, now: () => clock.now });
	await start();
	await Promise.all(Array.from({ length: 2000 }, (_, i) => submit({ n: i })));
	const count = (rows: DeliveryRow[], state: string) => rows.filter((row) => row.state === state).length;
	await until((rows) => count(rows, 'gathered') === 1940 && count(rows, 'sent') === 60);
	expect(peer.accepted).toHaveLength(60);
	clock.now += 3_600_000;
	await until((rows) => rows.some(({ event, state }) => event === 'submissions.digest' && state === 'sent'));
	expect(peer.accepted).toHaveLength(61);
	expect(peer.accepted.at(-1)?.content).toContain('Subject: 1,940 more submissions: Contact');
});

test('stopping lets what is under way finish', async () => {
	const peer = await server();
	const { submit, start, stop, rows } = await house({ smtpUrl: peer.url });
	await start();
	await submit();
	await stop();
	expect((await rows()).every(({ state }) => state === 'sent' || state === 'waiting')).toBe(true);
	expect(peer.accepted.length).toBe((await rows()).filter(({ state }) => state === 'sent').length);
});

test('stopping breaks off what hangs, and gives it back untouched', async () => {
	const peer = await server({ DATA: 'hang' });
	const { submit, start, stop, until } = await house({ smtpUrl: peer.url });
	await start();
	await submit();
	await until(all('sending', 1));
	await until(() => peer.connections.length === 1);
	await stop(50);
	const [row] = await until(all('waiting', 1));
	expect(row).toMatchObject({ attempts: 0 });
	expect(row?.nextAttemptAt ?? Number.POSITIVE_INFINITY).toBeLessThanOrEqual(Date.now());
});

test('a lease that its holder does not renew falls back, one that is renewed does not', async () => {
	const peer = await server({ DATA: 'hang' });
	const { storage, submit, start, until } = await house({ smtpUrl: peer.url });
	await start();
	await submit({}, { spamReason: 'honeypot' });
	await storage.batch((tx) => [
		tx.update(submissions).set({ isSpam: false }),
		tx.update(deliveries).set({ state: 'sending', attempts: 1, nextAttemptAt: Date.now() + 300 }),
	]);
	const [row] = await until(([found]) => found?.attempts === 2);
	expect(row?.state).toBe('sending');
	await Bun.sleep(1500);
	const [later] = await until(all('sending', 1));
	expect(later?.attempts).toBe(2);
	expect(peer.connections).toHaveLength(1);
});

test('what a process that was killed had under way goes first and at once, unless that was so several times', async () => {
	const peer = await server();
	const { storage, submit, start, until } = await house({ smtpUrl: peer.url });
	const ids: number[] = [];
	for (let i = 0; i < 4; i++) ids.push(await submit());
	const [first, second, suspect] = ids as [number, number, number];
	const interrupt = (submission: number, attempts: number) =>
		storage.batch((tx) => [
			tx
				.update(deliveries)
				.set({ state: 'sending', attempts, nextAttemptAt: Date.now() + 3_600_000 })
				.where(eq(deliveries.submissionId, submission)),
		]);
	await interrupt(first, 1);
	await interrupt(second, 2);
	await interrupt(suspect, 3);
	await start();
	const rows = await until((found) => found.filter(({ state }) => state === 'sent').length === 3);
	expect(rows.map(({ attempts }) => attempts)).toEqual([2, 3, 3, 1]);
	expect(messageIds(peer)[0]).toStartWith(encodeId(first));
	const held = rows.find(({ submissionId }) => submissionId === suspect);
	expect(held).toMatchObject({ state: 'waiting', lastError: expect.stringContaining('may have arrived') });
	expect((held?.nextAttemptAt ?? 0) - Date.now()).toBeGreaterThan(600_000);
});

test('a clock that is set forward ends nothing and starts no storm', async () => {
	const clock = { shift: 0 };
	const peer = await server({ RCPT: '450 later' });
	const { submit, start, until } = await house({ smtpUrl: peer.url, now: () => Date.now() + clock.shift });
	await start();
	for (let i = 0; i < 10; i++) await submit();
	await until((rows) => rows.some(({ attempts }) => attempts > 0));
	clock.shift = 30 * 24 * 3_600_000;
	const before = peer.connections.length;
	await Bun.sleep(300);
	expect(peer.connections.length - before).toBeLessThanOrEqual(8);
	const rows = await until(() => true);
	expect(rows.filter(({ state }) => state === 'failed')).toEqual([]);
});

test('a clock that is set back keeps nothing waiting for the old time', async () => {
	const clock = { shift: 30 * 24 * 3_600_000 };
	const peer = await server({ RCPT: '450 later' });
	const { submit, start, until } = await house({ smtpUrl: peer.url, now: () => Date.now() + clock.shift });
	await start();
	await submit();
	await until(([row]) => row?.attempts === 1 && row.state === 'waiting');
	peer.script = {};
	clock.shift = 0;
	await until(all('sent', 1));
});

test('the waiting mails of a form that is deleted are not sent', async () => {
	const peer = await server({ greeting: '421 later' });
	const { form, storage, submit, start, until } = await house({ smtpUrl: peer.url });
	await start();
	await submit();
	await until(([row]) => row?.lastError !== null);
	await storage.batch((tx) => [tx.update(forms).set({ deletedAt: Date.now() }).where(eq(forms.id, form.id))]);
	peer.script = {};
	await until(all('failed', 1));
	expect(peer.accepted).toEqual([]);
});

test('a submission that is deleted takes its deliveries along, also while one is under way', async () => {
	const peer = await server({ DATA: 'hang' });
	const { form, storage, submit, start, until, stop } = await house({ smtpUrl: peer.url });
	await start();
	const id = await submit();
	await until(all('sending', 1));
	await storage.submissions.remove(form.id, [id]);
	await stop(20);
	expect(await until(() => true)).toEqual([]);
	expect(await storage.db.select().from(submissions)).toEqual([]);
});

test('a mail that cannot be written harms no other', async () => {
	const peer = await server();
	const { storage, submit, start, until } = await house({ smtpUrl: peer.url });
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

test('what was sent is forgotten after 30 days; that it was sent is not', async () => {
	const clock = { now: Date.UTC(2026, 0, 2) };
	const peer = await server();
	const { submit, start, until, dispatch } = await house({ smtpUrl: peer.url, now: () => clock.now });
	await start();
	await submit();
	const [row] = await until(all('sent', 1));
	const id = encodeId(row?.id ?? 0);
	clock.now += 29 * 24 * 3_600_000;
	await dispatch.deliveries.expire();
	expect((await dispatch.deliveries.get(id)).content).not.toBeNull();
	clock.now += 2 * 24 * 3_600_000;
	await dispatch.deliveries.expire();
	expect(await dispatch.deliveries.get(id)).toMatchObject({ state: 'sent', content: null });
});

test('after a restart with the clock set back, new submissions and their mails still find numbers of their own', async () => {
	const first = await house({ smtpUrl: 'smtp://127.0.0.1:1' });
	const hook = {
		id: 1,
		formId: first.form.id,
		url: 'https://hooks.example.com/',
		secret: 's',
		events: ['submission.created'],
	};
	await first.storage.batch((tx) => [tx.insert(webhooks).values(hook)]);
	for (let i = 0; i < 3; i++) await first.submit();
	await first.stop();
	const day = 24 * 3_600_000;
	const second = await house({ smtpUrl: 'smtp://127.0.0.1:1', file: first.file, now: () => Date.now() - day });
	for (let i = 0; i < 3; i++) await second.submit();
	const rows = await second.rows();
	expect(rows).toHaveLength(12);
});
