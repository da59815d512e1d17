/** The page on which a visitor without script corrects what broke a rule, in a real browser without script. */

import { afterAll, afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { FieldRule } from '../../../src/field-rules/rules.ts';
import type { CreateForm } from '../../../src/forms/schema.ts';
import { LANGUAGES } from '../../../src/languages/languages.ts';
import { translationOf } from '../../../src/languages/translations.ts';
import { findAccessibilityFaults, openBrowser } from '../../browser.ts';
import { openTestServer } from '../../server.ts';
import { openSite } from '../../site.ts';

setDefaultTimeout(30_000);

const [server, browser] = await Promise.all([openTestServer(), openBrowser()]);
const site = openSite();
const context = await browser.newContext({ javaScriptEnabled: false });
const tab = await context.newPage();
const complaints: string[] = [];
tab.on('console', (message) => complaints.push(message.text()));
afterAll(async () => {
	await browser.close();
	await server.close();
	await site.close();
});
afterEach(() => {
	const others = complaints.splice(0).filter((text) => !/responded with a status of 40[03]/.test(text));
	expect(others).toEqual([]);
});

const RULES: FieldRule[] = [
	{ name: 'email', type: 'email', label: 'Your e-mail', required: true },
	{ name: 'zip', type: 'text', label: 'Postcode', pattern: '\\d{5}' },
	{ name: 'message', type: 'text', label: 'Message', maxLength: 2000, minLength: 10 },
	{ name: 'topic', type: 'select', label: 'Topic', options: ['Sales', ' Help  & more'], required: true },
	{ name: 'days', type: 'checkbox', label: 'Days', options: ['Monday', 'Tuesday'], required: true },
	{ name: 'terms', type: 'checkbox', label: 'I agree', required: true },
];
/** Everything that HTML and encodings could change on the way. */
const ODD = `"><b>'&amp; ü 😀\n\n  two lines\t`;

let count = 0;
async function openForm(inputs: string, settings: Partial<CreateForm> = {}, attributes = '') {
	count++;
	const name = `Correct ${count}`;
	const form = await server.app.forms.create('live', { name, slug: `correct-${count}`, fields: RULES, ...settings });
	site.setPage(
		`<form method="post" action="${server.submitUrl}/f/${form.slug}" ${attributes}>${inputs}<button>Send</button></form>`,
	);
	await tab.goto(`${site.url}contact`);
	return form;
}

async function stored(id: string) {
	const { body } = await server.call<{ submissions: { data: Record<string, unknown>; isSpam: boolean }[] }>(
		`GET /api/forms/${id}/submissions`,
	);
	return body.submissions.map(({ data }) => data);
}

const FIELDS = `<input name="email"><input name="zip"><textarea name="message"></textarea><input name="odd"><textarea name="kept"></textarea>
	<input name="twice" value="1"><input name="twice" value="2">`;

async function fillIn() {
	await tab.locator('[name=email]').fill('ann');
	await tab.locator('[name=zip]').fill('1234');
	await tab.locator('[name=message]').fill('\n short');
	await tab.locator('[name=kept]').fill(ODD);
	await tab.getByRole('button', { name: 'Send' }).click();
	await tab.getByRole('heading', { name: 'Please look again' }).waitFor();
}

async function correct() {
	await tab.getByLabel('Your e-mail').fill('ann@example.com');
	await tab.getByLabel('Postcode').fill('12345');
	await tab.getByLabel('Message').fill('\n\n long enough\n');
	await tab.getByLabel('Topic').selectOption(' Help  & more');
	await tab.getByLabel('Monday').check();
	await tab.getByLabel('Tuesday').check();
	await tab.getByLabel('I agree').check();
	await tab.getByRole('button', { name: 'Send again' }).click();
}

const CORRECTED = {
	odd: '',
	kept: ODD.replaceAll('\n', '\r\n'),
	twice: ['1', '2'],
	email: 'ann@example.com',
	zip: '12345',
	message: '\r\n\r\n long enough\r\n',
	topic: ' Help  & more',
	days: ['Monday', 'Tuesday'],
	terms: 'on',
};

test.each([...LANGUAGES])(
	'in %s a visitor without script reads what is wrong, corrects it and is thanked',
	async (language) => {
		const { say } = await translationOf(language);
		const { slug, id } = await server.app.forms.create('live', {
			name: 'Contact',
			slug: `in-${language}`,
			fields: RULES,
		});
		site.setPage(`<form method="post" action="${server.submitUrl}/f/${slug}">${FIELDS}<button>Send</button></form>`);
		const visitor = await browser.newContext({ javaScriptEnabled: false, locale: language });
		const page = await visitor.newPage();
		await page.goto(`${site.url}contact`);
		await page.locator('[name=email]').fill('ann');
		await page.getByRole('button', { name: 'Send' }).click();
		await page.getByRole('heading', { name: say('correctTitle') }).waitFor();
		const messages = await page.locator('.error').allTextContents();
		expect(messages).toContain(say('badEmail', { label: 'Your e-mail' }));
		expect(messages).toContain(say('requiredChoice', { label: 'Topic' }));
		await page.getByLabel('Your e-mail').fill('ann@example.com');
		await page.getByLabel('Topic').selectOption('Sales');
		await page.getByLabel('Monday').check();
		await page.getByLabel('I agree').check();
		await page.getByRole('button', { name: say('sendAgain') }).click();
		await page.getByRole('heading', { name: say('thanksTitle') }).waitFor();
		expect((await stored(id))[0]).toMatchObject({ email: 'ann@example.com', topic: 'Sales' });
		await visitor.close();
	},
);

describe('the page for a submission that breaks rules', () => {
	test('has the fields at fault to correct, and keeps everything else as it was typed', async () => {
		const form = await openForm(FIELDS);
		await fillIn();
		expect(await tab.getByText('6 fields need to be corrected.').count()).toBe(1);
		expect(await tab.getByLabel('Your e-mail').inputValue()).toBe('ann');
		expect(await tab.getByLabel('Message').inputValue()).toBe('\n short');
		const described = await tab.getByLabel('Postcode').getAttribute('aria-describedby');
		expect(await tab.locator(`#${described}`).textContent()).toBe('“Postcode” does not have the required format.');
		await correct();
		await tab.getByRole('heading', { name: 'Thank you' }).waitFor();
		expect(await stored(form.id)).toEqual([CORRECTED]);
		// The page before was the server's own.
		expect(await tab.getByRole('link').count()).toBe(0);
	});

	test('sends a special field that is stored too once, as it was sent', async () => {
		const inputs = `<input name="_replyto"><input name="subject" value="Hi"><input name="message">`;
		const fields: FieldRule[] = [{ name: 'message', type: 'text', label: 'Message', required: true }];
		const form = await openForm(inputs, { aliases: ['formspree'], confirm: { field: '_replyto' }, fields });
		await tab.locator('[name=_replyto]').fill('ann@example.com');
		await tab.getByRole('button', { name: 'Send' }).click();
		await tab.getByLabel('Message').fill('Hello');
		await tab.getByRole('button', { name: 'Send again' }).click();
		await tab.waitForURL(/thanks/);
		const { body } = await server.call<{ submissions: { data: object }[] }>(
			`GET /api/forms/${form.id}/submissions?filter=pending`,
		);
		const data = { _replyto: 'ann@example.com', subject: 'Hi', message: 'Hello' };
		expect(body.submissions.map((one) => one.data)).toEqual([data]);
	});

	test('leads to the same page as an accepted submission, wherever that is, also for a form of allowed domains', async () => {
		const settings = { allowedDomains: [site.host] };
		const form = await openForm(`${FIELDS}<input type="hidden" name="_next" value="thanks">`, settings);
		await fillIn();
		await correct();
		await tab.waitForURL(`${site.url}thanks`);
		expect(await stored(form.id)).toEqual([CORRECTED]);

		await openForm(FIELDS, { ...settings, redirectUrl: `${site.url}sent` });
		await fillIn();
		await correct();
		await tab.waitForURL(`${site.url}sent`);
	});

	test('leads to a page whose site sends visitors on to another of its hosts', async () => {
		const target = `http://localhost:${new URL(site.url).port}/sent`;
		const apex = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => Response.redirect(target, 301) });
		await openForm(FIELDS, { redirectUrl: apex.url.href });
		await fillIn();
		await correct();
		await tab.waitForURL(target);
		await apex.stop(true);
	});

	test('has no link to itself behind it if the form takes nothing any more', async () => {
		const { id } = await openForm(FIELDS);
		await fillIn();
		await server.call(`PATCH /api/forms/${id}`, { json: { isActive: false } });
		await correct();
		await tab.getByRole('heading', { name: 'This form is closed' }).waitFor();
		expect(await tab.getByRole('link').count()).toBe(0);
	});

	test('keeps labels, choices and values whole if they are written the other way than the page', async () => {
		const fields: FieldRule[] = [
			{ name: 'email', type: 'email', label: 'E-mail:' },
			{ name: 'days', type: 'checkbox', label: 'Days:', options: ['Monday!'], required: true },
		];
		await openForm('<input name="email" value="ann@">', { language: 'ar', fields });
		await tab.getByRole('button', { name: 'Send' }).click();
		for (const text of ['E-mail:', 'Days:', 'Monday!']) {
			const whole = tab.getByText(text, { exact: true });
			expect([text, await whole.evaluate((element) => getComputedStyle(element).direction)]).toEqual([text, 'ltr']);
		}
		expect(await tab.getByLabel('E-mail').evaluate((input) => getComputedStyle(input).direction)).toBe('ltr');
	});

	test.each([
		['unsafe-url', { page: `${site.url}contact`, utm: { source: 'news' } }],
		['no-referrer', null],
	])('keeps the page that the submission came from, also when it comes again: %s', async (referrer, meta) => {
		const fields: FieldRule[] = [{ name: 'email', type: 'email', label: 'Your e-mail' }];
		const inputs = `<meta name="referrer" content="${referrer}"><input name="email" value="ann">`;
		const { id } = await openForm(inputs, { fields, context: { page: true, utm: true } });
		await tab.goto(`${site.url}contact?utm_source=news`);
		await tab.getByRole('button', { name: 'Send' }).click();
		await tab.locator('form').evaluate((form) => form.setAttribute('novalidate', ''));
		await tab.getByLabel('Your e-mail').fill('ann@');
		await tab.getByRole('button', { name: 'Send again' }).click();
		await tab.locator('[value="ann@"]').waitFor();
		await tab.getByLabel('Your e-mail').fill('ann@example.com');
		await tab.getByRole('button', { name: 'Send again' }).click();
		await tab.getByRole('heading', { name: 'Thank you' }).waitFor();
		const { body } = await server.call<{ submissions: object[] }>(`GET /api/forms/${id}/submissions`);
		expect(body.submissions).toMatchObject([{ data: { email: 'ann@example.com' }, meta }]);
	});

	test('keeps what was typed for a number or a date and is none', async () => {
		const typed = { size: '1,5', born: '1.2.1990', small: '-3', none: '' };
		const fields: FieldRule[] = [
			{ name: 'size', type: 'number', min: 1, required: true },
			{ name: 'born', type: 'date', min: '1900-01-01' },
			{ name: 'small', type: 'number', min: 0 },
			{ name: 'none', type: 'number', required: true },
		];
		const form = await openForm(
			Object.keys(typed)
				.map((name) => `<input name="${name}">`)
				.join(''),
			{ fields },
		);
		for (const [name, text] of Object.entries(typed)) await tab.locator(`[name=${name}]`).fill(text);
		await tab.getByRole('button', { name: 'Send' }).click();
		await tab.getByRole('heading', { name: 'Please look again' }).waitFor();
		const input = (name: string) => tab.locator(`[name=${name}]`);
		for (const [name, text] of Object.entries(typed))
			expect([name, await input(name).inputValue()]).toEqual([name, text]);
		expect(await input('size').getAttribute('inputmode')).toBe('decimal');
		expect(await input('none').getAttribute('type')).toBe('number');
		const corrected = { size: '1.5', born: '1990-02-01', small: '3', none: '0' };
		for (const [name, text] of Object.entries(corrected)) await input(name).fill(text);
		await tab.getByRole('button', { name: 'Send again' }).click();
		await tab.getByRole('heading', { name: 'Thank you' }).waitFor();
		expect(await stored(form.id)).toEqual([corrected]);
	});

	test('may come again, with what is still wrong', async () => {
		await openForm('<input name="email" value="ann"><input name="kept" value="x">', { fields: RULES.slice(0, 1) });
		await tab.getByRole('button', { name: 'Send' }).click();
		await tab.getByText('must be an e-mail address').first().waitFor();
		expect(await tab.locator('input[type=hidden]').count()).toBe(1);
		await tab.getByLabel('Your e-mail').fill('not one');
		await tab.locator('form').evaluate((form) => form.setAttribute('novalidate', ''));
		await tab.getByRole('button', { name: 'Send again' }).click();
		await tab.getByText('must be an e-mail address').first().waitFor();
		expect(await tab.getByLabel('Your e-mail').inputValue()).toBe('not one');
	});

	test('does not open a form of allowed domains to others', async () => {
		const { slug } = await openForm(FIELDS, { allowedDomains: ['elsewhere.example'] });
		await tab.getByRole('button', { name: 'Send' }).click();
		await tab.getByRole('heading', { name: 'This website cannot use this form' }).waitFor();
		const post = (headers: Record<string, string>) =>
			fetch(`${server.submitUrl}/f/${slug}`, { method: 'POST', body: 'email=x', headers }).then(({ status }) => status);
		const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
		expect(await post({ ...type, Origin: server.submitUrl, Referer: `${server.submitUrl}/f/${slug}` })).toBe(400);
		expect(await post({ ...type, Origin: server.submitUrl, Referer: `${server.submitUrl}/` })).toBe(403);
		expect(await post({ ...type, Origin: 'https://evil.example', Referer: `${server.submitUrl}/f/${slug}` })).toBe(403);
	});

	test('lists what is wrong and no more if files came, or fields that the form does not have', async () => {
		const upload = '<input name="email"><input type="file" name="cv">';
		await openForm(upload, {}, 'enctype="multipart/form-data"');
		await tab.locator('[name=cv]').setInputFiles({ name: 'cv.txt', mimeType: 'text/plain', buffer: Buffer.from('x') });
		await tab.getByRole('button', { name: 'Send' }).click();
		await tab.getByText('Back button keeps what you typed').waitFor();
		expect(await tab.getByRole('listitem').allTextContents()).toContain('Please fill in “Your e-mail”.');
		expect(await tab.locator('form').count()).toBe(0);
		await tab.goBack();

		await openForm('<input name="email" value="a@b.example"><input name="other">', {
			fields: RULES.slice(0, 1),
			unknownFields: 'refuse',
		});
		await tab.getByRole('button', { name: 'Send' }).click();
		await tab.getByText('This form has no field "other".').waitFor();
		expect(await tab.locator('form').count()).toBe(0);
	});

	test('is accessible, in light and dark, wide and narrow', async () => {
		for (const colorScheme of ['light', 'dark'] as const) {
			const scripted = await browser.newContext({ colorScheme, viewport: { width: 390, height: 844 } });
			const page = await scripted.newPage();
			await openForm(FIELDS);
			await page.goto(`${site.url}contact`);
			await page.getByRole('button', { name: 'Send' }).click();
			await page.getByRole('heading', { name: 'Please look again' }).waitFor();
			expect(await findAccessibilityFaults(page)).toEqual([]);
			const isTooWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
			expect(isTooWide).toBe(false);
			await scripted.close();
		}
	});
});
