/** Mails as a form's notification and routes say, to a mail server: who gets one, what it says, and never twice. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import PostalMime from 'postal-mime';
import type { DeliveryList } from '../../../src/delivery/schema.ts';
import type { Form } from '../../../src/forms/schema.ts';
import { openTestServer, type TestServer } from '../../server.ts';
import { until } from '../../until.ts';
import { type ReceivedMail, type ScriptedSmtp, startScriptedSmtp } from '../scripted-smtp.ts';

setDefaultTimeout(30_000);

const startedAt = performance.now();
let peer: ScriptedSmtp;
let server: TestServer;

beforeAll(async () => {
	peer = await startScriptedSmtp();
	server = await openTestServer({
		settings: {
			FORMSRV_SMTP_URL: peer.url,
			FORMSRV_MAIL_FROM: 'Forms <forms@example.com>',
			FORMSRV_TIME_ZONE: 'America/New_York',
		},
		now: () => Date.UTC(2026, 0, 2, 3) + Math.round(performance.now() - startedAt),
		elapsed: () => performance.now(),
	});
});
afterAll(async () => {
	await server.close();
	await peer.close();
});

async function make(json: object): Promise<Form> {
	const { body, text } = await server.call<Form>('POST /api/forms', { json: { name: 'Contact', ...json } });
	if (!body.id) throw new Error(text);
	return body;
}

async function mailOf(marker: string): Promise<ReceivedMail & { mail: Awaited<ReturnType<typeof PostalMime.parse>> }> {
	const found = await until(() => peer.accepted.find(({ content }) => content.includes(marker)));
	return { ...found, mail: await PostalMime.parse(Buffer.from(found.content, 'latin1')) };
}

const addressesIn = (list: { address?: string }[] | undefined) => list?.map(({ address }) => address);

test('a mail says what the owner wrote, and goes to copies as well; hidden ones stand in no header', async () => {
	const form = await make({
		notification: {
			to: 'Ada <ada@example.com>',
			cc: 'bob@example.com, ADA@example.com',
			bcc: ['e-ve@example.com', 'bob@example.com'],
			subject: '{{form.name}}: {{name}} on {{submission.createdAt}}',
			intro: 'A new lead: {{name}}.\nCall within a day.',
			fields: ['message', 'name'],
			replyTo: 'contact',
			fromName: 'Sales, Inc.',
		},
		fields: [{ name: 'message', type: 'text', label: 'Your message' }],
		timeZone: 'Europe/Berlin',
	});
	await server.submit(form.slug, {
		name: 'Grace',
		message: 'words-marker',
		secret: 'not shown',
		email: 'other@example.org',
		contact: 'grace@example.org',
		_subject: 'of the page',
	});
	const { to, content, mail } = await mailOf('words-marker');
	expect(to).toEqual(['ada@example.com', 'bob@example.com', 'e-ve@example.com']);
	expect([addressesIn(mail.to), addressesIn(mail.cc), mail.bcc]).toEqual([
		['ada@example.com'],
		['bob@example.com'],
		undefined,
	]);
	expect(content).not.toContain('e-ve@');
	expect(mail.from).toMatchObject({ name: 'Sales, Inc.', address: 'forms@example.com' });
	expect(addressesIn(mail.replyTo)).toEqual(['grace@example.org']);
	expect(mail.subject).toMatch(/^Contact: Grace on 2 Jan 2026, 04:\d\d CET$/);
	expect(mail.text).toContain(
		'A new lead: Grace.\nCall within a day.\n\nYour message:\nwords-marker\n\nname:\nGrace\n',
	);
	for (const part of [mail.text, mail.html]) {
		expect(part).toMatch(/Received 2 Jan 2026, 04:\d\d CET/);
		expect(part).not.toContain('not shown');
	}
});

test('without words of the owner a mail is as before, in the time zone of the server', async () => {
	const form = await make({ notificationEmail: 'plain@example.com' });
	await server.submit(form.slug, { a: 'plain-marker', email: 'ada@example.org', _subject: '{{form.name}} {{email}}' });
	const { mail, to } = await mailOf('plain-marker');
	expect(to).toEqual(['plain@example.com']);
	expect(mail.subject).toBe('ada@example.org');
	expect(mail.text).toMatch(/Received 1 Jan 2026, 22:\d\d GMT-5/);
});

test.each([
	[{ topic: 'SALES' }, ['sales@example.com', 'copy@example.com']],
	[{ topic: ['Help', ' sales '] }, ['sales@example.com', 'copy@example.com']],
	[{ topic: 'sales', note: 'URGENT!' }, ['sales@example.com', 'boss@example.com', 'copy@example.com']],
	[{ topic: 'other' }, ['all@example.com', 'copy@example.com']],
	[
		{ topic: 'thief@example.org', email: 'thief@example.org', to: 'thief@example.org' },
		['all@example.com', 'copy@example.com'],
	],
	[{ topic: '', note: 'urgent' }, ['boss@example.com', 'copy@example.com']],
])('by its routes %j goes to %j', async (data, expected) => {
	const form = await make({
		notification: { to: 'all@example.com', cc: 'copy@example.com' },
		routes: [
			{ where: [{ field: 'topic', is: 'Sales' }], to: 'sales@example.com' },
			{ where: [{ field: 'note', contains: 'urgent' }], to: 'Boss <boss@example.com>, sales@example.com' },
			{
				where: [
					{ field: 'topic', is: 'x' },
					{ field: 'note', exists: true },
				],
				to: 'never@example.com',
			},
		].map((route, at) =>
			at === 1 && !('note' in data) ? { ...route, where: [{ field: 'no', exists: true }] } : route,
		),
	});
	const marker = crypto.randomUUID();
	await server.submit(form.slug, { ...data, marker });
	expect((await mailOf(marker)).to.toSorted()).toEqual(
		[...new Set([...expected, ...('note' in data ? ['sales@example.com'] : [])])].toSorted(),
	);
});

test('a route without a recipient for the rest sends no mail for the rest', async () => {
	const form = await make({
		notification: { to: null, cc: 'copy@example.com' },
		routes: [{ where: [{ field: 'a', is: '1' }], to: 'one@example.com' }],
	});
	await server.submit(form.slug, { a: '2' });
	await server.submit(form.slug, { a: '1', marker: 'only-marker' });
	expect((await mailOf('only-marker')).to).toEqual(['one@example.com', 'copy@example.com']);
	const { body } = await server.call<DeliveryList>(`GET /api/forms/${form.id}/deliveries`);
	expect(body.deliveries.map(({ destination }) => destination)).toEqual(['one@example.com; Cc: copy@example.com']);
});

test('recipients that fare differently go on by themselves: nobody gets it twice, hidden ones stay hidden', async () => {
	const form = await make({
		notification: { to: 'a@example.com', cc: 'later@example.com', bcc: 'go-ne@example.com, hid-den@example.com' },
	});
	peer.script.RCPT = ({ to }) => {
		if (to.at(-1) === 'later@example.com') return '451 4.2.2 try later';
		return to.at(-1) === 'go-ne@example.com' ? '550 5.1.1 no such mailbox' : undefined;
	};
	await server.submit(form.slug, { marker: 'split-marker' });
	const list = async () => (await server.call<DeliveryList>(`GET /api/forms/${form.id}/deliveries`)).body.deliveries;
	await until(async () => (await list()).length >= 3);
	expect(Object.fromEntries((await list()).map(({ destination, state }) => [destination, state]))).toEqual({
		'a@example.com; Cc: later@example.com; Bcc: go-ne@example.com, hid-den@example.com': 'sent',
		'later@example.com': 'waiting',
		'go-ne@example.com': 'failed',
	});
	delete peer.script.RCPT;
	const waiting = (await list()).find(({ state }) => state === 'waiting');
	await server.call(`POST /api/deliveries/${waiting?.id}/retry`);
	await until(async () => (await list()).every(({ state }) => state !== 'waiting' && state !== 'sending'));
	const mails = peer.accepted.filter(({ content }) => content.includes('split-marker'));
	expect(mails.map(({ to }) => to)).toEqual([['a@example.com', 'hid-den@example.com'], ['later@example.com']]);
	for (const { content } of mails) expect(content).not.toMatch(/hid-den@|go-ne@/);
});

test('former addresses are told, those that did not show each by itself', async () => {
	const form = await make({
		notification: { to: 'a@example.com', cc: 'b@example.com', bcc: 'c-c@example.com' },
		routes: [{ where: [{ field: 'x', exists: true }], to: 'd@example.com, a@example.com' }],
	});
	await server.call(`PATCH /api/forms/${form.id}`, { json: { notification: { bcc: 'thief@example.com' } } });
	const told = () => peer.accepted.filter(({ content }) => content.includes('Notification address changed'));
	await until(() => told().length >= 3);
	expect(
		told()
			.map(({ to }) => to)
			.toSorted(),
	).toEqual([['a@example.com', 'b@example.com'], ['c-c@example.com'], ['d@example.com']]);
	for (const { to, content } of told()) expect(content.includes('c-c@example.com')).toBe(to[0] === 'c-c@example.com');
	await server.call(`PATCH /api/forms/${form.id}`, {
		json: { notification: { bcc: 'thief@example.com', subject: 'New' } },
	});
	const { body } = await server.call<DeliveryList>(`GET /api/forms/${form.id}/deliveries`);
	expect(body.deliveries).toHaveLength(3);
});
