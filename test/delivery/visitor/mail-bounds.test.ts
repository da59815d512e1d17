/** How many mails visitors get: the bounds of an address and of a form, the suppression list, and what the mails are. */

import { expect, setDefaultTimeout, test } from 'bun:test';
import { folded } from '../../../src/delivery/visitor/address-keys.ts';
import { OVER_BOUND, SUPPRESSED } from '../../../src/delivery/visitor/mail-bounds.ts';
import { encodeId } from '../../../src/ids.ts';
import type { FormRow } from '../../../src/storage/tables.ts';
import { suppressions, visitorMails } from '../../../src/storage/visitor-tables.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/tasks/durations.ts';
import { useDeliveryFixtures } from '../fixtures.ts';

setDefaultTimeout(60_000);
const { server, openFixture } = useDeliveryFixtures();

const RESPONSE = { field: 'email', subject: 'Thank you', text: 'We have it.', delayMinutes: 0 };
const FORM = { notificationEmail: null, captcha: 'altcha', autoresponder: RESPONSE } as const;
const VICTIM = 'ada@example.com';

/** A fixture that sends to a mail server, by a clock that the test sets. */
async function openSender(form: Partial<FormRow> = FORM) {
	const peer = await server();
	let at = Date.UTC(2026, 0, 2, 12, 34, 56, 789);
	const fixture = await openFixture({ smtpUrl: peer.url, now: () => at, form });
	await fixture.start();
	const settled = () =>
		fixture.until((rows) =>
			rows.every(
				({ state, nextAttemptAt }) => state !== 'sending' && !(state === 'waiting' && Number(nextAttemptAt) <= at),
			),
		);
	return {
		...fixture,
		peer,
		advance: (ms: number) => {
			at += ms;
		},
		settled,
		/** How many there are in each state; several are tried at one time, so which of them goes is left to chance. */
		states: async () => {
			const rows = await settled();
			return Object.fromEntries(
				Map.groupBy(rows, ({ state }) => state)
					.entries()
					.map(([state, { length }]) => [state, length]),
			);
		},
	};
}

test.each([
	['Ada@Example.COM', 'ada@example.com'],
	['ada+news@example.com', 'ada@example.com'],
	['+news@example.com', '+news@example.com'],
	['A.D.A+x@googlemail.com', 'ada@gmail.com'],
	['a.da@example.com', 'a.da@example.com'],
	['ada@bücher.example', 'ada@xn--bcher-kva.example'],
	['ada@ＥＸＡＭＰＬＥ.com', 'ada@example.com'],
])('%s counts as %s', (address, counted) => {
	expect(folded(address)).toBe(counted);
});

test('an address gets one a day from a form, however it is written, and three in all', async () => {
	const sender = await openSender();
	const forms = [sender.form, ...(await Promise.all([1, 2, 3, 4].map(() => sender.makeForm(FORM))))];
	for (const email of [VICTIM, 'ADA@example.com', 'ada+1@example.com', 'Ada+2@EXAMPLE.com'])
		await sender.submit({ email });
	expect(await sender.states()).toEqual({ sent: 1, withheld: 3 });
	for (const form of forms) await sender.submit({ email: VICTIM }, { to: form });
	expect(await sender.states()).toEqual({ sent: 3, withheld: 6 });
	expect(sender.peer.accepted.map(({ to }) => to)).toEqual([[VICTIM], [VICTIM], [VICTIM]]);
	await sender.submit({ email: 'grace@example.com' });
	await sender.settled();
	sender.advance(DAY_MS + 1);
	await sender.submit({ email: VICTIM });
	await sender.settled();
	expect(sender.peer.accepted.map(({ to }) => to[0])).toEqual([VICTIM, VICTIM, VICTIM, 'grace@example.com', VICTIM]);
	const withheld = (await sender.rows()).filter(({ state }) => state === 'withheld');
	expect(withheld.every(({ lastError }) => lastError === OVER_BOUND)).toBe(true);
});

test('a form sends a hundred an hour, each hour that they were planned for counted by itself', async () => {
	const sender = await openSender();
	for (let i = 0; i < 105; i++) await sender.submit({ email: `a${i}@example.com` });
	const count = async (state: string) => (await sender.settled()).filter((row) => row.state === state).length;
	expect([await count('sent'), await count('withheld')]).toEqual([100, 5]);
	sender.advance(HOUR_MS);
	for (let i = 0; i < 5; i++) await sender.submit({ email: `b${i}@example.com` });
	expect([await count('sent'), await count('withheld')]).toEqual([105, 5]);
});

test('no address is stored but in the delivery, and what no bound counts any more is forgotten', async () => {
	const sender = await openSender();
	await sender.submit({ email: VICTIM });
	await sender.settled();
	await sender.dispatch.visitors.bounds.reject('bob@example.com');
	const rows = JSON.stringify([
		await sender.storage.db.select().from(visitorMails),
		await sender.storage.db.select().from(suppressions),
	]);
	expect(rows).not.toMatch(/ada|bob|example/);
	sender.advance(HOUR_MS);
	await sender.dispatch.visitors.bounds.expire();
	expect(await sender.storage.db.select().from(visitorMails)).toHaveLength(1);
	sender.advance(3 * DAY_MS);
	await sender.dispatch.visitors.bounds.expire();
	expect(await sender.storage.db.select().from(visitorMails)).toEqual([]);
	expect(await sender.storage.db.select().from(suppressions)).toHaveLength(1);
});

test('an address that its mail server rejects gets no more; a rejected sender or relay says nothing of it', async () => {
	const sender = await openSender();
	const reply = async (text: string, email: string) => {
		sender.peer.script = { RCPT: text };
		await sender.submit({ email });
		await sender.settled();
		sender.peer.script = {};
		sender.advance(DAY_MS + 1);
		await sender.submit({ email });
		return (await sender.settled()).slice(-2).map(({ state, lastError }) => [state, lastError]);
	};
	expect(await reply('550 5.1.1 no such user', VICTIM)).toMatchObject([
		['failed', expect.any(String)],
		['withheld', SUPPRESSED],
	]);
	for (const [i, policy] of ['554 5.7.1 denied', '550 relay not permitted'].entries())
		expect((await reply(policy, `grace${i}@example.com`)).map(([state]) => state)).toEqual(['failed', 'sent']);
	const { bounds } = sender.dispatch.visitors;
	expect(await bounds.suppressed()).toEqual({ rejected: 1, asked: 0 });
	expect(bounds.release('nobody@example.com')).rejects.toThrow('not among those');
	expect(bounds.release('nobody')).rejects.toThrow('one mail address');
	await bounds.release('Ada+x@Example.com');
	expect(await bounds.suppressed()).toEqual({ rejected: 0, asked: 0 });
});

test('a failure that passes takes no second place, and its own mail goes once it is over', async () => {
	const sender = await openSender();
	sender.peer.script = { RCPT: '451 later' };
	await sender.submit({ email: VICTIM });
	await sender.until(([row]) => row?.state === 'waiting' && row.attempts === 1);
	sender.peer.script = {};
	await sender.submit({ email: VICTIM });
	sender.advance(5 * MINUTE_MS);
	expect(await sender.states()).toEqual({ sent: 1, withheld: 1 });
	expect(sender.peer.accepted).toHaveLength(1);
});

test('one that was sent goes again by a retry of its owner, one beyond the bounds does not, and neither to an address that wants none', async () => {
	const sender = await openSender();
	const retryAll = async () => {
		for (const { id } of await sender.rows()) await sender.dispatch.retries.retry(encodeId(id));
	};
	for (let i = 0; i < 2; i++) await sender.submit({ email: VICTIM });
	expect(await sender.states()).toEqual({ sent: 1, withheld: 1 });
	await retryAll();
	expect(await sender.states()).toEqual({ sent: 1, withheld: 1 });
	const ids = sender.peer.accepted.map(({ content }) => /^Message-ID: (.*)\r$/im.exec(content)?.[1]);
	expect(ids[0]).toStartWith('<');
	expect(ids).toEqual([ids[0], ids[0]]);
	await sender.dispatch.visitors.bounds.stop(await sender.dispatch.visitors.keys.keyOf(VICTIM));
	await retryAll();
	expect(await sender.states()).toEqual({ withheld: 2 });
	expect(sender.peer.accepted).toHaveLength(2);
});

test('it waits as long as the owner says, spam until it is genuine, and nothing goes to a value that is no address', async () => {
	const sender = await openSender({ ...FORM, autoresponder: { ...RESPONSE, delayMinutes: 10_080 } });
	for (const email of [
		[VICTIM],
		'Ada <ada@example.com>',
		'a@b',
		`${VICTIM}, bob@example.com`,
		`${VICTIM}\r\nBcc: x@example.com`,
		'=?utf-8?q?a?=@example.com',
		7,
		null,
	])
		await sender.submit({ email });
	await sender.submit({});
	expect(await sender.rows()).toEqual([]);
	await sender.submit({ email: VICTIM });
	sender.advance(7 * DAY_MS - MINUTE_MS);
	await Bun.sleep(200);
	expect(await sender.states()).toEqual({ waiting: 1 });
	sender.advance(MINUTE_MS);
	expect(await sender.states()).toEqual({ sent: 1 });
	const id = await sender.submit({ email: 'grace@example.com' }, { spamReason: 'marked' });
	expect(await sender.states()).toEqual({ sent: 1, withheld: 1 });
	await sender.storage.submissions.change(sender.form.id, [id], { isSpam: false });
	await sender.dispatch.retries.release(sender.form.id, [id]);
	expect(await sender.states()).toEqual({ sent: 2 });
});

test('a test form captures it, and a form without a mail server withholds it', async () => {
	const sender = await openSender({ ...FORM, mode: 'test' });
	await sender.submit({ email: VICTIM });
	const [row] = await sender.settled();
	expect(row).toMatchObject({ state: 'captured', channel: 'visitor', destination: VICTIM });
	const fixture = await openFixture({ form: FORM });
	await fixture.submit({ email: VICTIM });
	expect(await fixture.rows()).toMatchObject([{ state: 'withheld' }]);
});

test('it says why it comes and how to stop it, in the language of the visitor', async () => {
	const sender = await openSender({ ...FORM, autoresponder: { ...RESPONSE, subject: null, text: null } });
	const { form, storage, dispatch } = sender;
	const submission = { formId: form.id, data: JSON.stringify({ email: VICTIM }), names: ['email'], spamReason: null };
	const rows = await dispatch.outbox.plan({ form, submission, language: 'de' });
	await storage.submissions.append({ ...submission, deliveries: rows });
	dispatch.outbox.wake(rows);
	expect(await sender.states()).toEqual({ sent: 1 });
	const content = sender.peer.accepted[0]?.content.replaceAll('\r\n ', ' ') ?? '';
	expect(content).toContain('Subject: Wir haben Ihre Nachricht\r\n');
	expect(content).toMatch(/^Auto-Submitted: auto-replied\r$/m);
	expect(content).toMatch(/^X-Auto-Response-Suppress: All\r$/m);
	expect(content).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m);
	expect(content).toContain('Keine weiteren E-Mails von hier');
	const [, token = ''] =
		/^List-Unsubscribe: <https:\/\/forms\.example\.com\/f\/[^/]+\/stop\/([\w.-]+)>\r$/m.exec(content) ?? [];
	const { links } = dispatch.visitors;
	expect(await links.readStop(token)).toBeDefined();
	const other = token.replace(/^./, (first) => (first === 'a' ? 'b' : 'a'));
	for (const wrong of [`${token}x`, other, token.slice(0, -1), token.replace('.', ''), ''])
		expect(await links.readStop(wrong)).toBeUndefined();
});
