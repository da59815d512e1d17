/** The mails by which addresses are confirmed: how many one victim gets, and what they say. */

import { expect, setDefaultTimeout, test } from 'bun:test';
import { OVER_BOUND, SUPPRESSED } from '../../../src/delivery/visitor/mail-bounds.ts';
import { type FormRow, webhooks } from '../../../src/storage/tables.ts';
import { DAY_MS } from '../../../src/tasks/durations.ts';
import { useDeliveryFixtures } from '../fixtures.ts';

setDefaultTimeout(60_000);
const { server, openFixture } = useDeliveryFixtures();

const CONFIRM = { field: 'email', subject: null, text: null };
const FORM = { notificationEmail: null, confirm: CONFIRM } as const;

/** A fixture that sends to a mail server, by a clock that the test sets. */
async function openSender(form: Partial<FormRow> = FORM) {
	const peer = await server();
	let at = Date.UTC(2026, 0, 2, 12, 34, 56, 789);
	const fixture = await openFixture({ smtpUrl: peer.url, now: () => at, form });
	await fixture.start();
	const settled = () => fixture.until((rows) => rows.every(({ state }) => state !== 'sending' && state !== 'waiting'));
	return {
		...fixture,
		peer,
		settled,
		advance: (ms: number) => {
			at += ms;
		},
	};
}

test('an attack by fifty ways to write one address on five forms sends one mail a day from a form, and three in all', async () => {
	const sender = await openSender();
	const forms = [sender.form, ...(await Promise.all([1, 2, 3, 4].map(() => sender.makeForm(FORM))))];
	for (let day = 1; day <= 2; day++) {
		for (let i = 0; i < 50; i++)
			await Promise.all(
				forms.map((to) => sender.submit({ email: i % 2 ? `ada+${i}@example.com` : 'ADA@Example.com' }, { to })),
			);
		await sender.settled();
		expect(sender.peer.accepted).toHaveLength(3 * day);
		const today = sender.peer.accepted.slice(-3).map(({ content }) => /\/f\/(\w+)\/confirm\//.exec(content)?.[1]);
		expect(new Set(today).size).toBe(3);
		sender.advance(DAY_MS + 1);
	}
	const rows = await sender.rows();
	expect(rows).toHaveLength(500);
	expect(rows.filter(({ lastError }) => lastError === OVER_BOUND)).toHaveLength(494);
});

test('who confirmed can be asked again on the same day, and so can one whose link leads nowhere, within three mails', async () => {
	const sender = await openSender();
	const { storage, form, peer } = sender;
	const submit = async () => {
		const id = await sender.submit({ email: 'ada@example.com' });
		await sender.settled();
		return id;
	};
	const first = await submit();
	await submit();
	expect(peer.accepted).toHaveLength(1);
	await storage.submissions.confirm(form.id, [{ id: first, uniqueHashes: [], deliveries: [] }], 1);
	const second = await submit();
	await submit();
	expect(peer.accepted).toHaveLength(2);
	await storage.submissions.remove(form.id, [second]);
	const third = await submit();
	expect(peer.accepted).toHaveLength(3);
	await storage.submissions.change(form.id, [third], { isSpam: true });
	await submit();
	expect(peer.accepted).toHaveLength(3);
});

test('an address that asked for no mails gets none, and none goes out for what waits no more', async () => {
	const sender = await openSender();
	const { dispatch, storage, form } = sender;
	await dispatch.visitors.bounds.stop(await dispatch.visitors.keys.keyOf('ada@example.com'));
	await sender.submit({ email: 'ada@example.com' });
	expect(await sender.settled()).toMatchObject([{ state: 'withheld', lastError: SUPPRESSED }]);
	await sender.stop();
	const id = await sender.submit({ email: 'bob@example.com' });
	await storage.submissions.confirm(form.id, [{ id, uniqueHashes: [], deliveries: [] }], 1);
	await sender.submit({ email: 'eve@example.com' });
	sender.advance(7 * DAY_MS);
	await sender.start();
	const rows = await sender.settled();
	expect(rows.slice(1).map(({ state }) => state)).toEqual(['failed', 'failed']);
	expect(sender.peer.accepted).toEqual([]);
});

test('while the mail server is unavailable, the owner is told so even if no other mail waits', async () => {
	const sender = await openSender();
	await sender.peer.close();
	await sender.submit({ email: 'ada@example.com' });
	await sender.until((rows) => rows.every(({ lastError }) => lastError !== null));
	const { mail } = await sender.dispatch.deliveries.list({}, { readQuery: () => ({ limit: 1, offset: 0 }) });
	expect(mail.heldReason).toContain('refused');
});

test('it is in the words of the owner and the language of the visitor, with nothing of what was submitted', async () => {
	const sender = await openSender();
	const { dispatch, storage, peer } = sender;
	const own = { field: 'email', subject: 'One step to {{form.name}}', text: 'Hello, this is {{form.name}}.' };
	const forms = [sender.form, await sender.makeForm({ ...FORM, name: 'News', confirm: own })];
	for (const [i, form] of forms.entries()) {
		const data = JSON.stringify({ email: `ada${i}@example.com`, name: 'BUY https://evil.example/ NOW' });
		const submission = { formId: form.id, data, names: ['email', 'name'], spamReason: null, addressKey: 'k' };
		const rows = await dispatch.outbox.plan({ form, submission, language: 'de' });
		await storage.submissions.append({ ...submission, deliveries: rows });
		dispatch.outbox.wake(rows);
		await sender.settled();
	}
	const [ours = '', owners = ''] = peer.accepted.map(({ content }) => content.replaceAll('=\r\n', ''));
	expect(ours).toMatch(/^Subject: =\?UTF-8\?Q\?Bitte_best=C3=A4tigen_Sie/m);
	expect(ours).toContain('Adresse best=C3=A4tigen</a>');
	expect(owners).toContain('Subject: One step to News\r\n');
	expect(owners).toContain('Hello, this is News.');
	for (const mail of [ours, owners]) {
		expect(mail).toMatch(/^Auto-Submitted: auto-replied\r$/m);
		expect(mail).toMatch(/^X-Auto-Response-Suppress: All\r$/m);
		expect(mail).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m);
		expect(mail).toMatch(/https:\/\/forms\.example\.com\/f\/\w+\/confirm\/[\w.-]{60,}/);
		expect(mail).not.toMatch(/BUY|evil/);
	}
});

test('a mail that cannot be sent tells no webhook: what is pending is known to its owner alone', async () => {
	const sender = await openSender();
	const { storage, form } = sender;
	await storage.batch((tx) => [
		tx.insert(webhooks).values({
			id: storage.nextId(),
			formId: form.id,
			url: 'https://hooks.example.com/',
			secret: 'whsec_c2VjcmV0',
			events: ['delivery.failed', 'submission.created', 'submission.deleted', 'submission.updated'],
		}),
	]);
	sender.peer.script = { RCPT: '550 5.1.1 no such user' };
	const id = await sender.submit({ email: 'ada@example.com' });
	expect(await sender.settled()).toMatchObject([{ channel: 'visitor', state: 'failed' }]);
	await storage.submissions.change(form.id, [id], { isRead: true });
	await storage.submissions.remove(form.id, [id]);
	expect(await sender.rows()).toEqual([]);
});
