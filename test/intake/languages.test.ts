/** Pages, sentences for scripts and mails are in the language of who reads them, and in the owner's words. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Form } from '../../src/forms/schema.ts';
import { openTestServer, type TestServer } from '../server.ts';

let server: TestServer;
beforeAll(async () => {
	server = await openTestServer({ settings: { FORMSRV_LANGUAGE: 'nl', FORMSRV_RATE_SUBMIT: '10000' } });
});
afterAll(() => server.close());

const makeForm = (json: object = {}) => server.createForm<Form>({ name: 'Contact', ...json });

interface Body {
	message: string;
	error: string;
	code: string;
	errors: { field: string; code: string; message: string }[];
}

const send = (form: Form, data: object, headers: Record<string, string> = {}) =>
	fetch(`${server.submitUrl}/f/${form.slug}`, {
		method: 'POST',
		redirect: 'manual',
		headers: { 'Content-Type': 'application/json', ...headers },
		body: JSON.stringify(data),
	});
const JSON_IN = (language: string) => ({ Accept: 'application/json', 'Accept-Language': language });
const PAGE_IN = (language: string) => ({ Accept: 'text/html', 'Accept-Language': language });
const RULES = [
	{ name: 'age', type: 'number', label: 'Alter', min: 1000.5 },
	{ name: 'day', type: 'date', max: '2026-01-31' },
	{ name: 'email', type: 'email', required: true, message: 'We need an address of yours.' },
];

describe('sentences for scripts', () => {
	test('the message is in the language of the visitor, the error and the codes stay', async () => {
		const form = await makeForm({ fields: RULES });
		const response = await send(form, { age: '7', day: '2027-01-01' }, JSON_IN('de-AT, en;q=0.5'));
		const body = (await response.json()) as Body;
		expect([response.status, response.headers.get('Content-Language')]).toEqual([400, 'de']);
		expect(response.headers.get('Vary')).toContain('Accept-Language');
		expect(body.message).toBe('3 Felder müssen korrigiert werden.');
		expect([body.error, body.code]).toEqual(['3 fields need to be corrected.', 'VALIDATION_ERROR']);
		expect(body.errors).toEqual([
			{ field: 'age', code: 'TOO_SMALL', message: '„Alter“ muss mindestens 1.000,5 sein.' },
			{ field: 'day', code: 'TOO_LARGE', message: '„day“ darf nicht nach dem 31. Januar 2026 liegen.' },
			{ field: 'email', code: 'REQUIRED', message: 'We need an address of yours.' },
		]);
	});

	test('a sentence of the owner’s stands alone in every language', async () => {
		const form = await makeForm({ fields: RULES });
		const body = (await (await send(form, { email: 'x' }, JSON_IN('ja'))).json()) as Body;
		expect([body.message, body.error]).toEqual(['We need an address of yours.', 'We need an address of yours.']);
	});

	test('success is told in the language, and bodies in English are what they were', async () => {
		const form = await makeForm();
		const told = async (headers: Record<string, string>) => (await send(form, { a: 1 }, headers)).text();
		expect(await told(JSON_IN('en'))).toBe('{"success":true,"message":"Form submitted successfully"}');
		expect(await told(JSON_IN('fr'))).toBe('{"success":true,"message":"Le formulaire a été envoyé"}');
		expect(await told({ Accept: 'application/json' })).toBe('{"success":true,"message":"Het formulier is verzonden"}');
	});

	test('what only programmers can mend has the title of its page in other languages', async () => {
		const form = await makeForm();
		const ask = async (language: string) => {
			const headers = { 'Content-Type': 'application/json', ...JSON_IN(language) };
			const response = await fetch(`${server.submitUrl}/f/${form.slug}`, { method: 'POST', headers, body: '{' });
			return (await response.json()) as Body;
		};
		expect((await ask('de')).message).toBe('Das Formular wurde nicht verstanden');
		const { message, error } = await ask('en');
		expect(message).toBe(error);
	});

	test('the status says in the language when it opens, and in the owner’s words if there are any', async () => {
		const opensAt = '2090-02-01T09:30:00.000Z';
		const status = async (form: Form) => {
			const response = await fetch(`${server.submitUrl}/f/${form.slug}/status`, { headers: JSON_IN('de') });
			expect(response.headers.get('Content-Language')).toBe('de');
			return ((await response.json()) as Body).message;
		};
		expect(await status(await makeForm({ opensAt }))).toMatch(/noch nicht geöffnet.* 1\. Feb\.? 2090/);
		expect(await status(await makeForm({ opensAt, closedText: 'Later.' }))).toBe('Later.');
	});

	test('clients of Formspree read it too', async () => {
		const form = await makeForm({ fields: RULES });
		const response = await send(
			form,
			{ age: '7', email: 'a@b.example' },
			{ 'Formspree-Client': 'x', 'Accept-Language': 'it' },
		);
		const { errors } = (await response.json()) as Body;
		expect(errors).toEqual([{ field: 'age', code: 'TOO_SMALL', message: '«Alter» deve essere almeno 1000,5.' }]);
	});
});

describe('pages', () => {
	test('name their language and direction, and say that they depend on the header', async () => {
		const form = await makeForm({ fields: RULES });
		const response = await fetch(`${server.submitUrl}/f/${form.slug}`, {
			method: 'POST',
			headers: PAGE_IN('ar-EG'),
			body: new URLSearchParams({ age: '7' }),
		});
		const text = await response.text();
		expect(text).toContain('<html lang="ar" dir="rtl"');
		expect(response.headers.get('Content-Language')).toBe('ar');
		expect(response.headers.get('Vary')).toContain('Accept-Language');
		const nothing = await fetch(`${server.submitUrl}/nothing`, { headers: PAGE_IN('pl') });
		expect(await nothing.text()).toContain('<h1>Nic tu nie ma</h1>');
	});

	test('a form with a language of its own speaks it, and the server’s default counts without a wish', async () => {
		const german = await makeForm({ language: 'de' });
		const thanks = async (form: Form, headers: Record<string, string>) => {
			const sent = await send(form, { a: 1 }, headers);
			expect([sent.status, sent.headers.get('Location')]).toEqual([303, `/f/${form.slug}/thanks`]);
			return (await fetch(`${server.submitUrl}${sent.headers.get('Location')}`, { headers })).text();
		};
		expect(await thanks(german, PAGE_IN('fr'))).toContain('<h1>Vielen Dank</h1>');
		expect(await thanks(await makeForm(), PAGE_IN('fr'))).toContain('<h1>Merci</h1>');
		expect(await thanks(await makeForm(), PAGE_IN('xx'))).toContain('<h1>Bedankt</h1>');
	});

	test('hostile wishes change nothing but the language', async () => {
		const form = await makeForm();
		for (const wish of ['"><script>', '../../etc/passwd', '__proto__', 'de;q=1e9', `${'a-'.repeat(3000)}`]) {
			const response = await fetch(`${server.submitUrl}/f/${form.slug}/thanks`, { headers: PAGE_IN(wish) });
			expect(response.status).toBe(200);
			expect(await response.text()).toContain('<html lang="nl" dir="ltr"');
		}
	});

	test('the thank-you page has the owner’s words, as text, and nothing else of ours', async () => {
		const thanks = {
			title: '<b>Done</b>',
			text: 'See you.\nAda',
			linkUrl: 'https://example.com/?a=1&b=2',
			linkLabel: 'On',
		};
		const form = await makeForm({ pages: { thanks, accent: '#1d4ed8' } });
		expect(form.pages).toEqual({ thanks, accent: '#1d4ed8' });
		const at = (slug: string) => fetch(`${server.baseUrl}/api/f/${slug}/thanks`, { headers: PAGE_IN('de') });
		const response = await at(form.slug);
		const text = await response.text();
		expect(text).toContain('<h1>&lt;b&gt;Done&lt;/b&gt;</h1>\n<p class="lead" dir="auto">See you.\nAda</p>');
		expect(text).toContain('<a href="https://example.com/?a=1&amp;b=2">On</a>');
		expect(text).not.toContain('schließen');
		expect(text).toContain('{--tone:#1d4ed8}');
		const [, css = ''] = /<style>([\s\S]*)<\/style>/.exec(text) ?? [];
		const hash = new Bun.CryptoHasher('sha256').update(css).digest('base64');
		expect(response.headers.get('Content-Security-Policy')).toContain(`style-src 'sha256-${hash}'`);
		expect((await at('nobody')).status).toBe(404);
		const inArabic = await fetch(`${server.baseUrl}/api/f/${form.slug}/thanks`, { headers: PAGE_IN('ar') });
		expect(await inArabic.text()).toContain('>\u2068On\u2069</a>');
	});

	test.each([
		[{ accent: '#ffff00' }, 'pages.accent', 'its contrast with the page is 1.'],
		[{ accent: 'red' }, 'pages.accent', 'a colour such as #1d6b57'],
		[{ accent: '#12345' }, 'pages.accent', 'a colour such as #1d6b57'],
		[{ thanks: { linkUrl: 'javascript:alert(1)' } }, 'pages.thanks.linkUrl', 'an absolute http or https address'],
		[{ thanks: { linkLabel: 'On' } }, 'pages.thanks.linkUrl', 'set where thanks.linkLabel is'],
		[{ thanks: { title: 'a\nb' } }, 'pages.thanks.title', 'on one line'],
		[{ thanks: { text: 'x'.repeat(1001) } }, 'pages.thanks.text', 'at most 1000 characters'],
		[{ thanks: { html: 'x' } }, 'pages.thanks.html', ''],
	])('%p is refused at %p', async (pages, field, words) => {
		const { status, body } = await server.call<Body>('POST /api/forms', { json: { name: 'x', pages } });
		expect(status).toBe(400);
		expect(body.errors.map((error) => error.field)).toContain(field);
		expect(body.error).toContain(words);
	});

	test('an accent is shortened to what it says, and words of nothing are none', async () => {
		expect((await makeForm({ pages: { accent: ' #A00 ' } })).pages).toEqual({ thanks: null, accent: '#aa0000' });
		expect((await makeForm({ pages: { thanks: { title: ' ' }, accent: '' } })).pages).toBeNull();
	});
});

test.each([['xx'], ['DE'], ['']])('the language %p is refused', async (language) => {
	const { status, body } = await server.call<Body>('POST /api/forms', { json: { name: 'x', language } });
	expect([status, body.errors[0]?.field]).toEqual([400, 'language']);
});

test.each([['a'.repeat(201)], ['two\nlines'], [' ']])('the sentence %p for a field is refused', async (message) => {
	const json = { name: 'x', fields: [{ name: 'a', type: 'text', message }] };
	const { status, body } = await server.call<Body>('POST /api/forms', { json });
	expect([status, body.errors[0]?.field]).toEqual([400, 'fields.0.message']);
});

describe('mails', () => {
	const mailOf = async (form: Form) => {
		await send(form, { note: 'Hi' });
		const list = await server.call<{ deliveries: { id: string }[] }>(`GET /api/forms/${form.id}/deliveries`);
		const path = `GET /api/deliveries/${list.body.deliveries[0]?.id}` as const;
		return (await server.call<{ content: { subject: string; text: string; html: string } }>(path)).body.content;
	};

	test('are in the language of the form, else of the server', async () => {
		const notificationEmail = 'ada@example.com';
		const arabic = await mailOf(await makeForm({ notificationEmail, language: 'ar' }));
		expect(arabic.subject).toContain('رسالة جديدة من النموذج');
		expect(arabic.html).toContain('<html lang="ar" dir="rtl">');
		const dutch = await mailOf(await makeForm({ notificationEmail }));
		expect(dutch.subject).toBe('Nieuwe inzending: Contact');
		expect(dutch.text).toContain('Openen: http');
	});
});
