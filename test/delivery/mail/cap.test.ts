/** The hourly mail cap: a digest covers the submissions above it. */

import { expect, setDefaultTimeout, test } from 'bun:test';
import { encodeId } from '../../../src/ids.ts';
import { type DeliveryRow, deliveries } from '../../../src/storage/tables.ts';
import { allIn, useDeliveryFixtures } from '../fixtures.ts';

const { openFixture, server } = useDeliveryFixtures();

setDefaultTimeout(30_000);

/** A form that has had its one mail of this hour, and a digest of two more that waits for the next. */
async function openGathered(texts: readonly [string, string], options: { form?: { notificationEmail: string } } = {}) {
	const clock = { now: Date.UTC(2026, 0, 2) };
	const peer = await server();
	const fixture = await openFixture({ smtpUrl: peer.url, mailPerHour: 1, now: () => clock.now, ...options });
	const { submit, start, until } = fixture;
	await start();
	await submit({ n: 'first' });
	await until(allIn('sent', 1));
	const ids: [number, number] = [await submit({ n: texts[0] }), await submit({ n: texts[1] })];
	await until((found) => count(found, 'gathered') === 2);
	return { ...fixture, clock, peer, ids };
}

const count = (rows: DeliveryRow[], state: string) => rows.filter((row) => row.state === state).length;

test('above the hourly cap one digest covers the remaining submissions', async () => {
	const clock = { now: Date.UTC(2026, 0, 2) };
	const peer = await server();
	const { submit, start, until, rows, dispatch, form } = await openFixture({
		smtpUrl: peer.url,
		mailPerHour: 3,
		now: () => clock.now,
	});
	await start();
	for (let i = 0; i < 10; i++) {
		clock.now += 1;
		await submit({ n: `no ${i}` });
	}
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
	const batched = (
		await dispatch.deliveries.list({}, { readQuery: () => ({ state: 'gathered', limit: 50, offset: 0 }) })
	).deliveries;
	expect(batched).toHaveLength(7);
	expect(new Set(batched.map((one) => one.digest))).toEqual(new Set([encodeId(digest?.id ?? 0)]));
});

test('a submission marked as spam after batching is not in the digest', async () => {
	const { rows, storage, form, dispatch, ids } = await openGathered(['wanted', 'junk']);
	const [, junk] = ids;
	await storage.submissions.change(form.id, [junk], { isSpam: true });
	const digest = (await rows()).find(({ event }) => event === 'submissions.digest');
	const { content } = await dispatch.deliveries.get(encodeId(digest?.id ?? 0));
	const { subject, text } = content as { subject: string; text: string };
	expect(subject).toBe('1 more submission: Contact');
	expect(text).toContain('wanted');
	expect(text).not.toContain('junk');
});

test('a digest that one recipient did not get is whole when its owner has it sent again', async () => {
	const form = { notificationEmail: 'owner@example.com, other@example.com' };
	const { until, dispatch, clock, peer } = await openGathered(['no 1', 'no 2'], { form });
	peer.script = { RCPT: (mail) => (mail.to.at(-1)?.startsWith('other') ? '550 5.1.1 no such user' : undefined) };
	clock.now += 3_600_000;
	const failed = await until((found) => count(found, 'failed') === 1);
	peer.script = {};
	clock.now += 3_600_000;
	await dispatch.retries.retry(encodeId(failed.find(({ state }) => state === 'failed')?.id ?? 0));
	await until((found) => count(found, 'sent') === 3);
	expect(peer.accepted.map(({ to }) => to)).toEqual([
		['owner@example.com', 'other@example.com'],
		['owner@example.com'],
		['other@example.com'],
	]);
	for (const n of ['no 1', 'no 2']) expect(peer.accepted.at(-1)?.content).toContain(n);
});

test('a digest of which nothing is left is withheld, and no failure', async () => {
	const { until, rows, storage, form, clock, peer, ids } = await openGathered(['junk', 'gone']);
	const [junk, gone] = ids;
	await storage.submissions.change(form.id, [junk], { isSpam: true });
	await storage.submissions.remove(form.id, [gone]);
	clock.now += 3_600_000;
	await until((found) => count(found, 'withheld') === 2);
	const digest = (await rows()).find(({ event }) => event === 'submissions.digest');
	expect(digest).toMatchObject({ state: 'withheld', nextAttemptAt: null });
	expect(peer.accepted).toHaveLength(1);
});

test('what was spam when its digest went is sent by itself once its owner has it released', async () => {
	const { until, storage, form, dispatch, clock, peer, ids } = await openGathered(['wanted', 'mistaken']);
	const [, mistaken] = ids;
	await storage.submissions.change(form.id, [mistaken], { isSpam: true });
	clock.now += 3_600_000;
	await until((found) => count(found, 'sent') === 2);
	expect(peer.accepted.at(-1)?.content).not.toContain('mistaken');
	await storage.submissions.change(form.id, [mistaken], { isSpam: false });
	clock.now += 3_600_000;
	expect(await dispatch.retries.release(form.id, [mistaken])).toBe(1);
	await until((found) => count(found, 'sent') === 3);
	expect(peer.accepted.at(-1)?.content).toContain('mistaken');
});

test('each form has its own cap, which survives restarts', async () => {
	const peer = await server();
	const first = await openFixture({ smtpUrl: peer.url, mailPerHour: 2 });
	await first.start();
	for (let i = 0; i < 2; i++) await first.submit();
	await first.until(allIn('sent', 2));
	await first.stop();

	const second = await openFixture({ smtpUrl: peer.url, mailPerHour: 2, file: first.file });
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

test('a digest goes to the addresses at the time of submission, also when they change within the hour', async () => {
	const clock = { now: Date.UTC(2026, 0, 2) };
	const peer = await server();
	const { submit, start, until, form } = await openFixture({ smtpUrl: peer.url, mailPerHour: 2, now: () => clock.now });
	const moved = { ...form, notificationEmail: 'new@example.com' };
	await start();
	for (let i = 0; i < 4; i++) await submit({ n: `old ${i}` });
	await until((found) => count(found, 'gathered') === 2 && count(found, 'sent') === 2);
	for (let i = 0; i < 3; i++) await submit({ n: `new ${i}` }, { to: moved });
	await until((found) => count(found, 'gathered') === 5);

	clock.now += 3_600_000;
	await until((found) => found.every(({ state }) => state === 'sent' || state === 'gathered'));
	const digests = peer.accepted.slice(2);
	expect(digests.map(({ to }) => to[0]).sort()).toEqual(['new@example.com', 'owner@example.com']);
	for (const { to, content } of digests) {
		expect(content.includes('new 0')).toBe(to[0] === 'new@example.com');
		expect(content.includes('old 3')).toBe(to[0] === 'owner@example.com');
	}
});

test('a flood of 2,000 submissions is 60 mails and one digest that counts the others', async () => {
	const clock = { now: Date.UTC(2026, 0, 2) };
	const peer = await server();
	const { submit, start, until, dispatch, form, logLines } = await openFixture({
		smtpUrl: peer.url,
		mailPerHour: 60,
		now: () => clock.now,
	});
	const digests = async () =>
		(await dispatch.deliveries.list({}, { readQuery: () => ({ limit: 1, offset: 0 }) })).digests;
	await start();
	expect(await digests()).toEqual([]);
	await Promise.all(Array.from({ length: 2000 }, (_, i) => submit({ n: i })));
	await until((rows) => count(rows, 'gathered') === 1940 && count(rows, 'sent') === 60);
	expect(peer.accepted).toHaveLength(60);
	const goesAt = new Date(clock.now + 3_600_000).toISOString();
	// It is deferred once all sixty are counted.
	await until((rows) =>
		rows.some(
			({ event, nextAttemptAt }) =>
				event === 'submissions.digest' && nextAttemptAt !== null && nextAttemptAt > clock.now,
		),
	);
	const since = expect.stringMatching(/^2026-01-02T00:00:0/);
	expect(await digests()).toEqual([{ delivery: expect.any(String), form: encodeId(form.id), since, goesAt }]);
	expect(logLines.join('').match(/further submissions go into one digest/g)).toHaveLength(1);
	clock.now += 3_600_000;
	await until((rows) => rows.some(({ event, state }) => event === 'submissions.digest' && state === 'sent'));
	expect(peer.accepted).toHaveLength(61);
	expect(peer.accepted.at(-1)?.content).toContain('Subject: 1,940 more submissions: Contact');
	expect(await digests()).toEqual([]);
});

test('without a mail server the notice of changed addresses is withheld, and delays nothing', async () => {
	const { start, until, storage, dispatch, form } = await openFixture({ smtpUrl: null });
	await start();
	const notices = dispatch.outbox.planAddressNotice(form);
	await storage.batch((tx) => notices.map((notice) => tx.insert(deliveries).values(notice)));
	dispatch.outbox.wake(notices);
	const [row] = await until(allIn('withheld', 1));
	expect(row?.lastError).toBe('No mail server is set: FORMSRV_SMTP_URL');
	const { mail } = await dispatch.deliveries.list({}, { readQuery: () => ({ limit: 1, offset: 0 }) });
	expect(mail).toEqual({ isSet: false, heldSince: null, heldReason: null, nextProbeAt: null });
});

test('above the cap the notice of changed addresses waits, and goes into no digest', async () => {
	const clock = { now: Date.UTC(2026, 0, 2) };
	const peer = await server();
	const { submit, start, until, storage, dispatch, form } = await openFixture({
		smtpUrl: peer.url,
		mailPerHour: 1,
		now: () => clock.now,
	});
	await start();
	await submit();
	await until(allIn('sent', 1));
	const notices = dispatch.outbox.planAddressNotice(form);
	await storage.batch((tx) => notices.map((notice) => tx.insert(deliveries).values(notice)));
	dispatch.outbox.wake(notices);
	const noticeIn = (rows: DeliveryRow[]) => rows.find(({ id }) => id === notices[0]?.id);
	await until((rows) => (noticeIn(rows)?.nextAttemptAt ?? 0) > clock.now);
	clock.now += 3_600_000;
	await until((rows) => noticeIn(rows)?.state === 'sent');
	expect(peer.accepted.at(-1)?.content).toContain('Subject: Notification address changed: Contact');
	expect(peer.accepted).toHaveLength(2);
});

test('attempts that a full mailbox puts off count towards a cap of its own, and leave the mails to others alone', async () => {
	const clock = { now: Date.UTC(2026, 0, 2) };
	let tries = 0;
	const peer = await server({
		RCPT: ({ to }) => {
			if (to.at(-1) !== 'owner@example.com') return undefined;
			tries++;
			return '452 4.2.2 mailbox full';
		},
	});
	const { submit, start, until, form } = await openFixture({ smtpUrl: peer.url, mailPerHour: 3, now: () => clock.now });
	const moved = { ...form, notificationEmail: 'new@example.com' };
	await start();
	for (let i = 0; i < 10; i++) await submit({ n: `full ${i}` });
	const hasTried = (found: DeliveryRow[]) => found.filter(({ attempts }) => attempts === 1).length === 3;
	await until((found) => count(found, 'gathered') === 7 && hasTried(found));
	for (let i = 0; i < 3; i++) await submit({ n: `new ${i}` }, { to: moved });
	await until((found) => count(found, 'sent') === 3);

	clock.now += 5 * 60_000;
	await until((found) => count(found, 'gathered') === 10);
	expect(tries).toBe(3);

	peer.script = {};
	clock.now += 3_600_000;
	await until((found) => count(found, 'sent') === 4);
	const last = peer.accepted.at(-1);
	expect(last?.to).toEqual(['owner@example.com']);
	expect(last?.content).toContain('Subject: 10 more submissions: Contact');
});

test('what a full mailbox has put off goes at once when the owner wants it, and not as a digest', async () => {
	const peer = await server({ RCPT: '452 4.2.2 mailbox full' });
	const { submit, start, until, dispatch } = await openFixture({ smtpUrl: peer.url, mailPerHour: 3 });
	await start();
	for (let i = 0; i < 3; i++) await submit();
	await until(
		(found) => found.length === 3 && found.every(({ state, attempts }) => state === 'waiting' && attempts === 1),
	);
	peer.script = {};
	await dispatch.retries.retryMany({ state: 'waiting' });
	await until(allIn('sent', 3));
});
