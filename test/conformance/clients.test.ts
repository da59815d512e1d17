/** Clients written by others: plain HTML forms in a browser and Formspree's libraries; and our own script. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { createClient, isSubmissionError } from '@formspree/core';
import { openTestServer, type TestServer } from '../server.ts';
import { openSite } from '../site.ts';
import { openTabs, tab } from '../tabs.ts';
import type { FormBody, ListBody } from './wire.ts';

setDefaultTimeout(20_000);

/** The prefixes of both addresses, under which `/f/{slug}` is found. */
const ADDRESSES: [string, () => string][] = [
	['the submit address', () => server.submitUrl],
	['the base address', () => `${server.baseUrl}/api`],
];

const site = openSite();
let server: TestServer;

beforeAll(async () => {
	server = await openTestServer();
});
openTabs();
afterAll(async () => {
	await server.close();
	await site.close();
});

const createForm = (json: object = {}) => server.createForm<FormBody>({ name: 'Contact', ...json });

async function dataOf({ id }: FormBody): Promise<unknown[]> {
	const { body } = await server.call<ListBody>(`GET /api/forms/${id}/submissions?order=asc`);
	return body.submissions.map(({ data }) => data);
}

async function open(content: string): Promise<void> {
	site.setPage(content);
	await tab.goto(`${site.url}contact`);
}

const FIELDS = `<input name="email" type="email" aria-label="E-mail"><textarea name="message" aria-label="Message"></textarea>
	<input name="_gotcha" hidden><button name="via" value="button">Send</button>`;

async function fillAndSend(message = 'Grüße\n& <more>'): Promise<void> {
	await tab.fill('[name=email]', 'ann@example.com');
	await tab.fill('[name=message]', message);
	await tab.click('button');
}

describe.each(ADDRESSES)('a plain HTML form that posts to %s', (_, address) => {
	const action = ({ slug }: FormBody) => `${address()}/f/${slug}`;

	test.each(['application/x-www-form-urlencoded', 'multipart/form-data'])(
		'as %s is stored and thanked',
		async (enctype) => {
			const form = await createForm();
			await open(`<form method="post" enctype="${enctype}" action="${action(form)}">${FIELDS}</form>`);
			await fillAndSend();
			await tab.getByRole('heading', { name: 'Thank you' }).waitFor();
			expect(await tab.getByRole('link').getAttribute('href')).toBe(site.url);
			expect(await dataOf(form)).toEqual([{ email: 'ann@example.com', message: 'Grüße\r\n& <more>', via: 'button' }]);
		},
	);

	test('is followed by the page that _next names, seen from the page that sent it', async () => {
		const form = await createForm();
		await open(
			`<form method="post" action="${action(form)}"><input type="hidden" name="_next" value="/danke?ä">${FIELDS}</form>`,
		);
		await fillAndSend();
		await tab.waitForURL(`${site.url}danke?%C3%A4`);
		expect(await dataOf(form)).toHaveLength(1);
	});

	test('is followed by the redirectUrl of the form', async () => {
		const form = await createForm({ redirectUrl: `${site.url}configured` });
		await open(`<form method="post" action="${action(form)}">${FIELDS}</form>`);
		await fillAndSend();
		await tab.waitForURL(`${site.url}configured`);
	});

	test('is accepted from a page of an allowed domain, and rejected with a page from any other', async () => {
		const form = await createForm({ allowedDomains: [site.host] });
		await open(`<form method="post" action="${action(form)}">${FIELDS}</form>`);
		await fillAndSend();
		await tab.getByRole('heading', { name: 'Thank you' }).waitFor();
		await server.call(`PATCH /api/forms/${form.id}`, { json: { allowedDomains: ['example.com'] } });
		await tab.goto(`${site.url}contact`);
		await fillAndSend();
		await tab.getByText('DOMAIN_NOT_ALLOWED').waitFor();
		expect(await dataOf(form)).toHaveLength(1);
	});

	test('sees what is wrong and finds its text again on going back', async () => {
		const form = await createForm({ isActive: false });
		await open(`<form method="post" action="${action(form)}">${FIELDS}</form>`);
		await fillAndSend('Long text');
		await tab.getByRole('heading', { name: 'This form is closed' }).waitFor();
		await tab.goBack();
		expect(await tab.locator('[name=message]').inputValue()).toBe('Long text');
	});
});

describe.each(ADDRESSES)('@formspree/core with its endpoint at %s', (_, address) => {
	const submit = (slug: string, data: FormData | Record<string, string>) =>
		createClient().submitForm(slug, data, { endpoint: address() });

	test('submits an object or a FormData and learns where to go next', async () => {
		const form = await createForm({ redirectUrl: 'https://example.com/ok' });
		const formData = new FormData();
		formData.append('message', 'two');
		for (const data of [{ message: 'one' }, formData]) {
			expect(await submit(form.slug, data)).toEqual({ kind: 'success', next: 'https://example.com/ok' });
		}
		expect(await dataOf(form)).toEqual([{ message: 'one' }, { message: 'two' }]);
	});

	test('is told what is wrong with each field, by the codes that it knows', async () => {
		const form = await createForm({
			fields: [
				{ name: 'name', type: 'text', required: true },
				{ name: 'email', type: 'email' },
				{ name: 'age', type: 'number' },
				{ name: 'zip', type: 'text', pattern: '\\d{5}' },
			],
		});
		const result = await submit(form.slug, { name: '', email: 'ann', age: 'old', zip: 'x' });
		if (!isSubmissionError(result)) throw new Error('It was accepted.');
		expect(result.getFormErrors()).toEqual([]);
		expect(result.getAllFieldErrors().map(([field, [error]]) => [field, error?.code])).toEqual([
			['name', 'REQUIRED_FIELD_EMPTY'],
			['email', 'TYPE_EMAIL'],
			['age', 'TYPE_NUMERIC'],
			['zip', 'UNSPECIFIED'],
		]);
		expect(result.getFieldErrors('zip')[0]?.message).toBe('“zip” does not have the required format.');
	});

	/** Returns the client's error: `FormErrorCode` or `UNSPECIFIED`, and our sentence. */
	async function errorOf(slug: string, data: FormData | Record<string, string> = { message: 'x' }) {
		const result = await submit(slug, data);
		if (!isSubmissionError(result)) throw new Error('It was accepted.');
		expect(result.getAllFieldErrors()).toEqual([]);
		const [error, ...others] = result.getFormErrors();
		expect(others).toEqual([]);
		return error;
	}

	const file = new FormData();
	file.append('cv', new File(['x'], 'cv.txt'));
	const twoFiles = new FormData();
	twoFiles.append('a', new File(['x'], 'a.txt'));
	twoFiles.append('b', new File(['xx'], 'b.txt'));

	test.each<[string, object, FormData | Record<string, string>, object]>([
		[
			'a closed form',
			{ isActive: false },
			{ message: 'x' },
			{ code: 'INACTIVE', message: 'This form is not accepting submissions.' },
		],
		[
			'another website',
			{ allowedDomains: ['example.com'] },
			{ message: 'x' },
			{ code: 'BLOCKED', message: 'This form does not accept submissions from this website.' },
		],
		['nothing', {}, {}, { code: 'EMPTY', message: 'The submission has no fields to store.' }],
		[
			'special fields alone',
			{},
			{ _subject: 'Hello' },
			{ code: 'EMPTY', message: 'The submission has no fields to store.' },
		],
		['a file', { files: null }, file, { code: 'NO_FILE_UPLOADS', message: expect.stringContaining('iles') }],
		[
			'a large file',
			{ files: { maxBytes: 1 } },
			twoFiles,
			{ code: 'FILES_TOO_BIG', message: expect.stringContaining('at most 1 B') },
		],
		[
			'many files',
			{ files: { maxFiles: 1 } },
			twoFiles,
			{ code: 'TOO_MANY_FILES', message: expect.stringContaining('at most 1 file per') },
		],
		[
			'no captcha',
			{ captcha: 'altcha' },
			{ message: 'x' },
			{ code: 'UNSPECIFIED', message: 'Please complete the captcha.' },
		],
		[
			'too much',
			{},
			{ message: 'x'.repeat(2_000_000) },
			{ code: 'UNSPECIFIED', message: 'A submission may have at most 1 MiB in all.' },
		],
	])('is refused for %s in its own codes', async (_title, settings, data, error) => {
		expect(await errorOf((await createForm(settings)).slug, data)).toEqual(error as never);
	});

	test('learns that there is no form', async () => {
		expect(await errorOf('no-such-form')).toEqual({
			code: 'FORM_NOT_FOUND',
			message: 'There is no form at this address.',
		});
	});

	test('keeps the codes of this API beside them', async () => {
		const { slug } = await createForm({ isActive: false });
		const headers = { 'Content-Type': 'application/json', 'Formspree-Client': 'own' };
		const answer = await fetch(`${address()}/f/${slug}`, { method: 'POST', headers, body: '{"a":1}' });
		const message = 'This form is not accepting submissions.';
		expect(await answer.json()).toMatchObject({
			success: false,
			error: message,
			code: 'FORM_DISABLED',
			errors: [{ code: 'INACTIVE', message }],
		});
	});
});

describe('@formspree/ajax with its origin at the submit address', () => {
	const library = readFileSync(require.resolve('@formspree/ajax/dist/global.js'), 'utf8');

	async function openWith(slug: string): Promise<void> {
		await open(`<form id="f"><div data-fs-error></div><div data-fs-success></div>${FIELDS}</form>`);
		await tab.evaluate(library);
		const config = { formElement: '#f', formId: slug, origin: server.submitUrl };
		await tab.evaluate((options) => {
			(globalThis as unknown as { formspree(call: string, options: object): void }).formspree('initForm', options);
		}, config);
	}

	test('submits and shows success', async () => {
		const form = await createForm();
		await openWith(form.slug);
		await fillAndSend('Hello');
		await tab.locator('[data-fs-success]').getByText('Thank you!').waitFor();
		expect(await dataOf(form)).toEqual([{ email: 'ann@example.com', message: 'Hello' }]);
	});

	test('shows errors', async () => {
		const form = await createForm({ isActive: false });
		await openWith(form.slug);
		await fillAndSend();
		await tab.locator('[data-fs-error]').getByText('This form is not accepting submissions.').waitFor();
		expect(await tab.locator('button').isEnabled()).toBe(true);
	});
});

describe.each([
	['the submit address', () => server.submitUrl, '/f'],
	['the base address', () => server.baseUrl, '/api/f'],
])('/formsrv.js from %s', (_, origin, path) => {
	async function openWith({ slug }: FormBody): Promise<void> {
		const form = `<form method="post" action="${origin()}${path}/${slug}">${FIELDS}</form>`;
		await open(`${form}<script src="${origin()}/formsrv.js"></script>`);
	}

	test('sends the form and shows the thanks on its page', async () => {
		const form = await createForm({ allowedDomains: [site.host] });
		await openWith(form);
		await fillAndSend('Hello');
		await tab.getByRole('status').getByText('Thank you').waitFor();
		expect(tab.url()).toBe(`${site.url}contact`);
		expect(await dataOf(form)).toEqual([{ email: 'ann@example.com', message: 'Hello', via: 'button' }]);
	});

	test('shows why a form was rejected, also to pages that it does not allow', async () => {
		const form = await createForm({ allowedDomains: ['example.com'] });
		await openWith(form);
		await fillAndSend();
		await tab.getByRole('alert').getByText('does not accept submissions from this website').waitFor();
	});

	test('stores once what it sends again because the response was lost', async () => {
		const form = await createForm();
		await openWith(form);
		await tab.route(
			`${origin()}${path}/${form.slug}`,
			async (route) => {
				await route.fetch();
				await route.abort();
			},
			{ times: 1 },
		);
		await fillAndSend('Once');
		await tab.getByRole('button', { name: 'Try again' }).click();
		await tab.getByRole('status').getByText('Thank you').waitFor();
		expect(await dataOf(form)).toHaveLength(1);
	});
});
