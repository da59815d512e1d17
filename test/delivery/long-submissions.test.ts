/** Mails about submissions that are far longer than a mail: made from their beginning alone. */

import { expect, test } from 'bun:test';
import { desc } from 'drizzle-orm';
import {
	DIGEST_READS,
	NOTIFICATION_READS,
	type NotifiedSubmission,
	renderDigest,
	renderNotification,
} from '../../src/delivery/mail/email.ts';
import { fillSubject } from '../../src/delivery/mail/subject.ts';
import { encodeId } from '../../src/ids.ts';
import { deliveries, submissions } from '../../src/storage/tables.ts';
import { useDeliveryFixtures } from './fixtures.ts';

const MIB = 2 ** 20;
const HINT = 'This mail contains only the beginning';
const identity = { from: { name: 'Forms', address: 'forms@example.com' }, baseUrl: 'https://forms.example.com' };
const form = { id: 2048, name: 'Contact' };
const receivedAt = new Date(Date.UTC(2026, 0, 2, 3, 4, 5));
const id = receivedAt.getTime() * 2048;
const to = ['owner@example.com'];

const { openFixture } = useDeliveryFixtures();

const submissionOf = (data: string): NotifiedSubmission => ({
	id,
	receivedAt,
	data,
	subject: '{{name}}: {{big}}',
	replyTo: null,
});
const notify = (data: string) => renderNotification(identity, { form, submission: submissionOf(data), to });
const digest = (data: string) =>
	renderDigest(identity, {
		id,
		madeAt: receivedAt,
		form,
		total: 2,
		latest: [submissionOf('{"a":"b"}'), submissionOf(data)],
		to,
	});

const HUGE: [string, string][] = [
	['letters', `"${'x'.repeat(20 * MIB)}"`],
	['controls', `"${'\\u0000'.repeat(4 * MIB)}"`],
	['quotes', `"${'\\"'.repeat(10 * MIB)}"`],
	['pairs', `"${'😀'.repeat(10 * MIB)}"`],
	['a list', `[${'1,'.repeat(10 * MIB)}1]`],
	['an object', `{"a":"${'x'.repeat(20 * MIB)}"}`],
];

test.each(HUGE)('a value of 20 MiB, %s: the rest makes no difference to mail and digest', (_, value) => {
	const json = `{"name":"Ada","email":"ada@example.org","big":${value},"last":"left out"}`;
	const mail = notify(json);
	expect(mail).toEqual(notify(json.slice(0, NOTIFICATION_READS.textMax)));
	expect(digest(json)).toEqual(digest(json.slice(0, DIGEST_READS.textMax)));
	expect(mail.replyTo).toBe('ada@example.org');
	expect(mail.subject).toStartWith('Ada:');
	for (const part of [mail.text, mail.html]) {
		expect(part).toContain(HINT);
		expect(part).not.toContain('left out');
		expect(part.isWellFormed()).toBe(true);
		expect(Buffer.byteLength(part)).toBeLessThan(310_000);
	}
	expect(digest(json).text).toContain('name: Ada · email: ada@example.org · big: ');
});

test('fields behind a long one still give the subject and Reply-To', () => {
	const mail = notify(JSON.stringify({ big: 'x'.repeat(700_000), name: 'Ada', email: 'ada@example.org' }));
	expect(mail.subject).toStartWith('Ada: xxx');
	expect(mail.replyTo).toBe('ada@example.org');
	expect(mail.text).toContain(HINT);
});

test('the beginning of an address is none', () => {
	const json = JSON.stringify({
		big: 'x'.repeat(NOTIFICATION_READS.textMax - 40),
		email: 'ada@example.org.evil.example',
	});
	const cutBehind = json.indexOf('@example.org') + '@example.org'.length;
	const mail = notify(`{${' '.repeat(NOTIFICATION_READS.textMax - cutBehind)}${json.slice(1)}`);
	expect(mail.replyTo).toBeNull();
});

test('a subject takes no more of a value than it can show, however often it is named', () => {
	const long = 'a\u0001'.repeat(MIB);
	const filled = fillSubject('{{a}}'.repeat(40), { fields: [{ name: 'a', text: long }] });
	expect(filled).toBe(fillSubject('{{a}}'.repeat(40), { fields: [{ name: 'a', text: long.slice(0, 4_000) }] }));
	expect(filled).toBe(`${'a '.repeat(100).slice(0, 199)}…`);
});

test('mail and digest of stored submissions of 10 MiB are those of the whole text', async () => {
	const { storage, dispatch, form: stored, submit, rows } = await openFixture({});
	for (const unit of ['x', 'é', '😀'])
		await submit({ name: 'Ada', big: unit.repeat((10 * MIB) / Buffer.byteLength(unit)) });
	const momentOf = (of: number) => new Date(storage.clock.timeline().millisOf(of));
	const found = await storage.db.select().from(submissions).orderBy(desc(submissions.id));
	const whole: NotifiedSubmission[] = found.map((row) => ({ ...row, receivedAt: momentOf(row.id) }));
	const content = async (delivery: number) => (await dispatch.deliveries.get(encodeId(delivery))).content;

	for (const [index, row] of (await rows()).reverse().entries()) {
		const submission = whole[index] as NotifiedSubmission;
		const { subject, text, html } = renderNotification(identity, { form: stored, submission, to });
		expect(text).toContain(HINT);
		expect(await content(row.id)).toMatchObject({ subject, text, html });
	}

	const digestId = storage.nextId();
	const waiting = { formId: stored.id, channel: 'mail', state: 'waiting', destination: 'owner@example.com' } as const;
	await storage.batch((tx) => [
		tx.update(deliveries).set({ state: 'gathered', digestId }),
		tx.insert(deliveries).values({ ...waiting, id: digestId, event: 'submissions.digest' }),
	]);
	const { text, html } = renderDigest(identity, {
		id: digestId,
		madeAt: momentOf(digestId),
		form: stored,
		total: 3,
		latest: whole,
		to,
	});
	expect(text).toContain('name: Ada · big: 😀😀');
	expect(await content(digestId)).toMatchObject({ text, html });
});
