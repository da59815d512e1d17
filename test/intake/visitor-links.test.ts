/** The links in mails to visitors: a page with a button, which acts only when it is pressed. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { decodeId } from '../../src/ids.ts';
import { forms } from '../../src/storage/tables.ts';
import { startScriptedSmtp } from '../delivery/scripted-smtp.ts';
import { openTestServer, type TestServer } from '../server.ts';
import { until } from '../until.ts';

setDefaultTimeout(60_000);

let server: TestServer;
let peer: Awaited<ReturnType<typeof startScriptedSmtp>>;
let url = '';

beforeAll(async () => {
	peer = await startScriptedSmtp();
	server = await openTestServer({
		settings: { FORMSRV_SMTP_URL: peer.url, FORMSRV_MAIL_FROM: 'forms@example.com', FORMSRV_LOG_LEVEL: 'info' },
	});
	const autoresponder = { subject: 'Thank you', text: 'We have it.' };
	// One that robots use may send with a key, so that the test has no captcha to solve.
	await server.call('POST /api/forms', {
		json: { name: 'Contact', slug: 'contact', captcha: 'altcha', autoresponder },
	});
	url = await linkFor('ada@example.com');
});
afterAll(async () => {
	await server.close();
	await peer.close();
});

/** Submits, and resolves with the link of the mail that comes of it. */
async function linkFor(email: string): Promise<string> {
	const before = peer.accepted.length;
	const { status } = await server.submit('contact', { email }, { Authorization: `Bearer ${server.adminKey}` });
	expect(status).toBe(200);
	await until(() => peer.accepted.length > before);
	const content = peer.accepted[before]?.content.replaceAll('\r\n ', ' ') ?? '';
	return /^List-Unsubscribe: <(.*)>\r$/m.exec(content)?.[1] ?? '';
}

const suppressed = async () => (await server.call('GET /api/suppressions')).body;

test('it stands at the submit address', () => {
	expect(url).toStartWith(`${server.submitUrl}/f/contact/stop/`);
});

test('whatever opens it changes nothing; the button, or a mail program by one click, does', async () => {
	for (const method of ['GET', 'HEAD']) expect((await fetch(url, { method })).status).toBe(200);
	const page = await (await fetch(url)).text();
	expect(page).toContain('<form method="post"><button>No more mails from here</button></form>');
	expect(await suppressed()).toEqual({ rejected: 0, asked: 0 });
	for (let times = 0; times < 2; times++) {
		const pressed = await fetch(url, {
			method: 'POST',
			body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
		});
		expect([pressed.status, await pressed.text()]).toEqual([200, expect.stringContaining('No more mails')]);
	}
	expect(await suppressed()).toEqual({ rejected: 0, asked: 1 });
	await server.submit('contact', { email: 'ADA@example.com' }, { Authorization: `Bearer ${server.adminKey}` });
	const read = async () =>
		(await server.call<{ deliveries: { state: string }[] }>('GET /api/deliveries?channel=visitor')).body.deliveries;
	await until(async () => (await read())[0]?.state === 'withheld');
	const removed = await server.call('POST /api/suppressions/remove', { json: { email: 'ada@example.com' } });
	expect(removed.status).toBe(200);
	expect(await suppressed()).toEqual({ rejected: 0, asked: 0 });
	expect((await server.call('POST /api/suppressions/remove', { json: { email: 'ada@example.com' } })).status).toBe(404);
	expect((await server.call('POST /api/suppressions/remove', { json: { email: 'ada' } })).status).toBe(400);
});

test('it works at base too, under another slug, and when the form is gone; in the language of the visitor', async () => {
	const { pathname } = new URL(url);
	const atBase = await fetch(`${server.baseUrl}/api${pathname}`, { headers: { 'Accept-Language': 'ar' } });
	expect(await atBase.text()).toContain('<html lang="ar" dir="rtl"');
	const gone = await fetch(url.replace('/contact/', '/never/'), { method: 'POST' });
	expect(gone.status).toBe(200);
	expect(await suppressed()).toEqual({ rejected: 0, asked: 1 });
});

test('a token that is not ours has a page that says what to do, and other methods are none', async () => {
	for (const token of ['x', `${url.split('/').at(-1)}x`, 'a'.repeat(100)]) {
		for (const method of ['GET', 'POST']) {
			const response = await fetch(`${server.submitUrl}/f/contact/stop/${token}`, { method });
			expect([response.status, await response.text()]).toEqual([
				404,
				expect.stringContaining('This link does not work'),
			]);
		}
	}
	expect((await fetch(`${server.submitUrl}/f/contact/stop/${'a'.repeat(101)}`)).status).toBe(404);
	expect((await fetch(url, { method: 'DELETE' })).status).toBe(405);
});

test.each([
	[{ autoresponder: {} }, 'autoresponder', 'needs a captcha'],
	[{ captcha: 'altcha', autoresponder: { subject: 'Hello {{name}}' } }, 'autoresponder.subject', '{{name}}'],
	[{ captcha: 'altcha', autoresponder: { text: '{{submission.url}}' } }, 'autoresponder.text', '{{submission.url}}'],
	[{ captcha: 'altcha', autoresponder: { text: '{{#if a}}' } }, 'autoresponder.text', 'logic'],
	[{ captcha: 'altcha', autoresponder: { text: '<b>Hi</b>' } }, 'autoresponder.text', 'plain text'],
	[{ captcha: 'altcha', autoresponder: { subject: 'a\nBcc: x@example.com' } }, 'autoresponder.subject', 'one line'],
	[{ captcha: 'altcha', autoresponder: { subject: 'a'.repeat(201) } }, 'autoresponder.subject', '200'],
	[{ captcha: 'altcha', autoresponder: { text: 'a'.repeat(2001) } }, 'autoresponder.text', '2000'],
	[{ captcha: 'altcha', autoresponder: { field: '' } }, 'autoresponder.field', 'name of the field'],
	[
		{ captcha: 'altcha', autoresponder: {}, fields: [{ name: 'email', type: 'file' }] },
		'autoresponder.field',
		'type "file"',
	],
	[{ captcha: 'altcha', autoresponder: {}, spam: { honeypot: 'email' } }, 'autoresponder.field', 'special field'],
	[{ captcha: 'altcha', autoresponder: { delayMinutes: 10_081 } }, 'autoresponder.delayMinutes', '10080'],
	[{ captcha: 'altcha', autoresponder: { delayMinutes: 0.5 } }, 'autoresponder.delayMinutes', 'whole number'],
	[
		{ captcha: 'altcha', autoresponder: { text: '{{topic}}' }, fields: [{ name: 'topic', type: 'select' }] },
		'autoresponder.text',
		'{{topic}}',
	],
] as const)('%j is rejected by the field %s', async (settings, field, words) => {
	const { status, body } = await server.call<{ errors: { field: string; message: string }[] }>('POST /api/forms', {
		json: { name: 'Wrong', ...settings },
	});
	expect([status, body.errors]).toEqual([
		400,
		[expect.objectContaining({ field, message: expect.stringContaining(words) })],
	]);
});

test.each<Partial<typeof forms.$inferInsert>>([
	{ fields: [{ name: 'email', type: 'file' }] },
	{ spam: { threshold: 5, honeypot: ['email'] } },
])(
	'the field of a mail stays one that can have an address: %j is rejected later too; a form that has it is editable',
	async (wrong) => {
		const json = { name: 'Later', captcha: 'altcha', autoresponder: {} };
		const form = await server.createForm<{ id: string }>(json);
		const path = `/api/forms/${form.id}` as const;
		const patch = async (change: object) => (await server.call(`PATCH ${path}`, { json: change })).status;
		expect(await patch(wrong)).toBe(400);
		const { storage } = server.app;
		await storage.batch((tx) => [
			tx
				.update(forms)
				.set(wrong)
				.where(eq(forms.id, decodeId(form.id) ?? -1)),
		]);
		expect((await server.call(`GET ${path}`)).status).toBe(200);
		expect([await patch({ name: 'Other' }), await patch({ autoresponder: { field: 'mail' } })]).toEqual([200, 200]);
		expect(await patch({ autoresponder: { field: 'email' } })).toBe(400);
	},
);

test('the captcha, and the rule of a placeholder, stay as long as the mail needs them', async () => {
	const rule = { name: 'topic', type: 'select', options: ['A', 'B'] };
	const json = { name: 'Kept', captcha: 'altcha', autoresponder: { text: '{{topic}}' }, fields: [rule] };
	const form = await server.createForm<{ id: string }>(json);
	const patch = async (change: object) => (await server.call(`PATCH /api/forms/${form.id}`, { json: change })).status;
	expect(await patch({ captcha: null })).toBe(400);
	expect(await patch({ fields: null })).toBe(400);
	expect(await patch({ fields: [{ ...rule, type: 'text', options: null }] })).toBe(400);
	expect(await patch({ captcha: null, autoresponder: null })).toBe(200);
});

test('the log has no token, not even of a link that was copied badly', async () => {
	const token = url.slice(url.lastIndexOf('/') + 1);
	for (const end of ['', '/', '%3E']) await fetch(url + end);
	await fetch(url.replace('/stop/', '/confirm/'));
	const logged = () => server.logLines.filter((line) => line.includes('/f/contact/confirm/…'));
	await until(() => logged().length > 0);
	const lines = server.logLines.join('\n');
	expect(lines).toContain('"path":"/f/contact/stop/…","status":404');
	expect(lines).not.toContain(token);
});
