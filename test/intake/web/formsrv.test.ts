/** `/formsrv.js` in a real browser, on a page of another origin than the endpoint that it sends to. */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Browser, Page as Tab } from 'playwright-core';
import { createScript } from '../../../src/intake/script.ts';
import { findAccessibilityFaults, openBrowser } from '../../browser.ts';
import { openSite } from '../../site.ts';

interface Sent {
	path: string;
	headers: Headers;
	body: string;
	fields: [string, string][];
}

type Reply = (sent: Sent) => Response | Promise<Response>;

const CORS = {
	'Access-Control-Allow-Origin': '*',
	'Access-Control-Allow-Headers': 'content-type, idempotency-key',
	'Access-Control-Allow-Methods': 'POST',
};

const accept: Reply = ({ headers }) =>
	headers.get('Accept') === 'application/json'
		? Response.json({ success: true, message: 'Form submitted successfully' }, { headers: CORS })
		: new Response('native thanks', { headers: { 'Content-Type': 'text/html' } });

const reject =
	(status: number, envelope: object): Reply =>
	() =>
		Response.json({ success: false, ...envelope }, { status, headers: CORS });

/** Without CORS headers the browser hides the response from the script, like a failed connection. */
const lose: Reply = () => new Response('lost');

const script = createScript();
let browser: Browser;
let tab: Tab;
let faults: string[];
let sent: Sent[];
let replies: Reply[];
let formStatus: object = {};
let stamp: string | undefined;

const endpoint = Bun.serve({
	port: 0,
	hostname: '127.0.0.1',
	async fetch(request) {
		const { pathname } = new URL(request.url);
		if (pathname === '/formsrv.js') return (await script(request)) ?? new Response(null, { status: 404 });
		if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: CORS });
		if (pathname === '/f/contact/stamp' && stamp) return Response.json({ stamp }, { headers: CORS });
		if (pathname === '/f/contact/status') return Response.json(formStatus, { headers: CORS });
		if (request.method !== 'POST') return new Response(null, { status: 404 });
		const form = await request.clone().formData();
		const fields = [...form].map(([name, value]): [string, string] => [name, `${value}`]);
		const item = { path: pathname, headers: request.headers, body: await request.text(), fields };
		sent.push(item);
		return (replies.shift() ?? accept)(item);
	},
});

const site = openSite();

const ACTION = `${endpoint.url}f/contact`;
const FIELDS = `<label>E-mail <input name="email" value="ann@example.com"></label>
	<label>Message <textarea name="message">Hello</textarea></label>
	<button id="send" name="via" value="main">Send</button>`;

/** Opens a page with one form that has these attributes and this content. */
async function open(attributes = `action="${ACTION}" method="post"`, content = FIELDS): Promise<void> {
	site.setPage(`<form ${attributes}>${content}</form><script src="${endpoint.url}formsrv.js"></script>`);
	await tab.goto(site.url);
}

const status = () => tab.locator('[role=status]');
const alert = () => tab.locator('[role=alert]');
const keyOf = (index: number) => sent[index]?.headers.get('Idempotency-Key');

setDefaultTimeout(20_000);

beforeAll(async () => {
	browser = await openBrowser();
});
afterAll(async () => {
	await browser.close();
	await endpoint.stop(true);
	await site.close();
});
beforeEach(async () => {
	sent = [];
	replies = [];
	faults = [];
	tab = await browser.newPage();
	tab.on('pageerror', (error) => faults.push(String(error)));
});
afterEach(async () => {
	await tab.close();
	expect(faults).toEqual([]);
});

describe('a form that posts to the server', () => {
	test('is sent without leaving the page, with the button that was pressed', async () => {
		await open();
		await tab.click('#send');
		await status().getByText('Thank you').waitFor();
		expect(tab.url()).toBe(site.url);
		expect(sent.map(({ fields }) => fields)).toEqual([
			[
				['email', 'ann@example.com'],
				['message', 'Hello'],
				['via', 'main'],
			],
		]);
		expect(sent[0]?.headers.get('Content-Type')).toStartWith('multipart/form-data; boundary=');
		expect(keyOf(0)).toMatch(/^[!-~]{20,255}$/);
	});

	test('is replaced by the thanks, which get the focus', async () => {
		await open();
		await tab.click('#send');
		await status().getByText('Thank you').waitFor();
		expect(await tab.locator('form').isVisible()).toBe(false);
		expect(await tab.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('status');
		expect(await findAccessibilityFaults(tab)).toEqual([]);
	});

	test('thanks in its own words and stays, emptied, if it asks for that', async () => {
		await open(`action="${ACTION}" method="post" data-formsrv-success="Merci !" data-formsrv-keep`);
		await tab.fill('textarea', 'changed');
		await tab.click('#send');
		await status().getByText('Merci !', { exact: true }).waitFor();
		expect(await tab.locator('textarea').inputValue()).toBe('Hello');
		expect(await tab.locator('#send').isEnabled()).toBe(true);
	});

	test('is recognised at the address under /api as well', async () => {
		await open(`action="${endpoint.url}api/f/contact" method="POST"`);
		await tab.click('#send');
		await status().getByText('Thank you').waitFor();
		expect(sent[0]?.path).toBe('/api/f/contact');
	});

	test('is recognised anywhere by data-formsrv', async () => {
		await open(`action="${endpoint.url}elsewhere" method="post" data-formsrv`);
		await tab.click('#send');
		await status().getByText('Thank you').waitFor();
	});

	test('may have fields named like the members of a form', async () => {
		const names = [
			'action',
			'method',
			'reset',
			'submit',
			'elements',
			'style',
			'getAttribute',
			'querySelectorAll',
			'after',
		];
		const inputs = names.map((name) => `<input aria-label="${name}" name="${name}" value="1">`).join('');
		await open(undefined, `${inputs}<button id="send">Send</button>`);
		await tab.evaluate(() => document.getElementById('send')?.click());
		await status().getByText('Thank you').waitFor();
		expect(sent[0]?.fields).toEqual(names.map((name) => [name, '1']));
	});

	test('follows the formaction of the button', async () => {
		await open(
			undefined,
			`<input name="a" aria-label="a"><button id="send" formaction="${endpoint.url}f/other">Send</button>`,
		);
		await tab.click('#send');
		await status().getByText('Thank you').waitFor();
		expect(sent[0]?.path).toBe('/f/other');
	});

	test('sends files as they are', async () => {
		await open(undefined, '<input type="file" name="cv" aria-label="cv"><button id="send">Send</button>');
		await tab.setInputFiles('input', { name: 'cv.txt', mimeType: 'text/plain', buffer: Buffer.from('my life') });
		await tab.click('#send');
		await status().getByText('Thank you').waitFor();
		expect(sent[0]?.body).toContain('filename="cv.txt"');
		expect(sent[0]?.body).toContain('my life');
	});
});

describe('a form is left to the browser', () => {
	test.each([
		['goes elsewhere', `action="${endpoint.url}elsewhere" method="post"`],
		['opts out', `action="${ACTION}" method="post" data-formsrv="off"`],
		['opens another window', `action="${ACTION}" method="post" target="_top"`],
	])('if it %s', async (_, attributes) => {
		await open(attributes);
		await tab.click('#send');
		await tab.getByText('native thanks').waitFor();
		expect(keyOf(0)).toBeNull();
	});

	test('if the page handles the event itself', async () => {
		await open(`action="${ACTION}" method="post" onsubmit="event.preventDefault(); document.title = 'own'"`);
		await tab.click('#send');
		await tab.waitForFunction(() => document.title === 'own');
		expect(sent).toEqual([]);
	});

	test('while its fields are invalid, unless it asks for no validation', async () => {
		const content = '<input required name="email" aria-label="E-mail"><button id="send">Send</button>';
		await open(undefined, content);
		await tab.click('#send');
		expect(await tab.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('email');
		expect(sent).toEqual([]);
		await open(`action="${ACTION}" method="post" novalidate`, content);
		await tab.click('#send');
		await status().getByText('Thank you').waitFor();
		expect(sent).toHaveLength(1);
	});
});

describe('sending', () => {
	test('twice at once is not possible', async () => {
		let answer = () => {};
		const wait = new Promise<void>((resolve) => {
			answer = resolve;
		});
		replies = [async (item) => wait.then(() => accept(item))];
		await open();
		await tab.evaluate(() => {
			const form = document.querySelector('form') as HTMLFormElement;
			form.requestSubmit();
			form.requestSubmit();
		});
		expect(await tab.locator('#send').isDisabled()).toBe(true);
		expect(await tab.locator('form').getAttribute('aria-busy')).toBe('true');
		answer();
		await status().getByText('Thank you').waitFor();
		expect(sent).toHaveLength(1);
		expect(await tab.locator('form').getAttribute('aria-busy')).toBeNull();
	});

	test('again after a lost response repeats key and bytes', async () => {
		replies = [lose];
		await open();
		await tab.click('#send');
		await alert().getByText('could not be sent').waitFor();
		expect(await findAccessibilityFaults(tab)).toEqual([]);
		expect(await tab.locator('textarea').inputValue()).toBe('Hello');
		await tab.getByRole('button', { name: 'Try again' }).click();
		await status().getByText('Thank you').waitFor();
		expect(await alert().textContent()).toBe('');
		expect(keyOf(1)).toBe(keyOf(0) ?? '');
		expect(sent[1]?.body).toBe(sent[0]?.body ?? '');
	});

	test('something else after a failure, or the same after a success, takes another key', async () => {
		replies = [reject(503, { error: 'Back soon.' })];
		await open(`action="${ACTION}" method="post" data-formsrv-keep`);
		await tab.click('#send');
		await alert().getByText('Back soon.').waitFor();
		await tab.fill('textarea', 'Other');
		await tab.click('#send');
		await status().getByText('Thank you').waitFor();
		await tab.fill('textarea', 'Other');
		await Promise.all([tab.waitForResponse(ACTION), tab.click('#send')]);
		expect(new Set(sent.map((_, index) => keyOf(index))).size).toBe(3);
	});
});

describe('an error', () => {
	const envelope = {
		error: 'Two fields need another look.',
		code: 'VALIDATION_ERROR',
		errors: [
			{ field: 'message', code: 'X', message: 'Write <b>more</b>.' },
			{ field: 'nowhere', code: 'X', message: 'Also this.' },
		],
	};

	test('is announced, points to the fields and takes it back when they are changed', async () => {
		replies = [reject(400, envelope)];
		await open();
		await tab.click('#send');
		await alert().getByText('Two fields need another look.').waitFor();
		const field = tab.locator('textarea');
		expect(await field.getAttribute('aria-invalid')).toBe('true');
		expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
		const described = await field.evaluate((element) => {
			const id = element.getAttribute('aria-describedby') ?? '';
			return document.getElementById(id)?.textContent ?? '';
		});
		expect(described).toBe('Write <b>more</b>.');
		expect(await alert().getByRole('listitem').allTextContents()).toEqual(['Also this.']);
		expect(await field.evaluate((element) => element.closest('label')?.nextElementSibling?.textContent)).toBe(
			described,
		);
		expect(await tab.getByRole('button', { name: 'Try again' }).count()).toBe(0);
		expect(await findAccessibilityFaults(tab)).toEqual([]);
		await field.fill('More');
		expect(await field.getAttribute('aria-invalid')).toBeNull();
		expect(await field.getAttribute('aria-describedby')).toBeNull();
	});

	test('of a field appears in the place that the page has for it, or behind the last of its inputs', async () => {
		const days = ['Mo', 'Tu'].map((day) => `<label>${day}<input type="checkbox" name="days"></label>`).join('');
		replies = [
			reject(400, {
				...envelope,
				errors: [
					{ field: 'email', code: 'X', message: 'Not an address.' },
					{ field: 'days', code: 'X', message: 'Tick one.' },
					{ field: 'secret', code: 'X', message: 'Hidden.' },
				],
			}),
			accept,
		];
		await open(
			undefined,
			`<span data-formsrv-error="email"></span>${days}<input type="hidden" name="secret" value="x">${FIELDS}`,
		);
		await tab.click('#send');
		await tab.locator('[data-formsrv-error=email]').getByText('Not an address.').waitFor();
		expect(await tab.getByText('Tick one.').evaluate((element) => element.previousElementSibling?.textContent)).toBe(
			'Tu',
		);
		expect(await alert().getByRole('listitem').allTextContents()).toEqual(['Hidden.']);
		expect(await tab.locator('[aria-invalid=true]').count()).toBe(4);
		expect(await findAccessibilityFaults(tab)).toEqual([]);
		await tab.click('#send');
		await status().getByText('Thank you').waitFor();
		expect(await tab.locator('.formsrv-field-error').count()).toBe(0);
	});

	test('appears where the form has a place for it', async () => {
		replies = [reject(403, { error: 'Closed.' })];
		await open(undefined, `<div id="place" data-formsrv-message></div>${FIELDS}`);
		await tab.click('#send');
		await tab.locator('#place').getByText('Closed.').waitFor();
	});

	test('without JSON is a message as well', async () => {
		replies = [() => new Response('<h1>Bad gateway</h1>', { status: 502, headers: CORS })];
		await open(`action="${ACTION}" method="post" data-formsrv-unsent="Not sent." data-formsrv-retry="Once more"`);
		await tab.click('#send');
		await alert().getByText('Not sent.').waitFor();
		await tab.getByRole('button', { name: 'Once more' }).click();
		await status().getByText('Thank you').waitFor();
	});
});

test('the moment in which a form was loaded is sent along, if the server gives a stamp of it', async () => {
	stamp = 'time.signature';
	const fetched = tab.waitForResponse((response) => response.url() === `${ACTION}/stamp`);
	await open();
	expect((await (await fetched).allHeaders())['set-cookie']).toBeUndefined();
	await tab.getByText('Send').click();
	await status().filter({ hasText: /./ }).waitFor();
	expect(sent[0]?.fields).toContainEqual(['_formsrv_stamp', 'time.signature']);
	stamp = undefined;
});

describe('a form that takes nothing now', () => {
	const closed = { open: false, code: 'FORM_CLOSED', message: 'See you <b>next</b> year.' };
	const ATTRIBUTES = `action="${ACTION}?from=page" method="post" data-formsrv-status`;

	test('says so before anybody fills it in, if the page wants that', async () => {
		formStatus = closed;
		await open(ATTRIBUTES);
		await alert().getByText('See you <b>next</b> year.').waitFor();
		expect(await tab.locator('#send').isDisabled()).toBe(true);
		expect(await tab.evaluate(() => document.activeElement === document.body)).toBe(true);
		expect(await findAccessibilityFaults(tab)).toEqual([]);
	});

	test('is left as it is if the page shows that itself, or the form is open', async () => {
		formStatus = closed;
		const own = `<script>addEventListener('formsrv:closed', (event) => { event.preventDefault(); document.title = event.detail.code; })</script>`;
		await open(ATTRIBUTES, FIELDS + own);
		await tab.waitForFunction(() => document.title === 'FORM_CLOSED');
		expect(await tab.locator('#send').isEnabled()).toBe(true);
		formStatus = { open: true };
		await Promise.all([tab.waitForResponse(`${ACTION}/status`), open(ATTRIBUTES)]);
		await tab.click('#send');
		await status().getByText('Thank you').waitFor();
	});
});

test('the whole address of the page is told if the page says so', async () => {
	for (const [attribute, referer] of [
		['', site.url],
		['data-formsrv-page', `${site.url}?utm_source=news`],
	] as const) {
		site.setPage(
			`<form action="${ACTION}" method="post" ${attribute}>${FIELDS}</form><script src="${endpoint.url}formsrv.js"></script>`,
		);
		await tab.goto(`${site.url}?utm_source=news`);
		await tab.click('#send');
		await status().getByText('Thank you').waitFor();
		expect(sent.at(-1)?.headers.get('Referer')).toBe(referer);
	}
});

describe('the page', () => {
	test('is redirected to _next or data-formsrv-redirect', async () => {
		await open(undefined, `<input type="hidden" name="_next" value="/thanks?a=1">${FIELDS}`);
		await tab.click('#send');
		await tab.waitForURL(`${site.url}thanks?a=1`);
		await open(`action="${ACTION}" method="post" data-formsrv-redirect="/other"`);
		await tab.click('#send');
		await tab.waitForURL(`${site.url}other`);
	});

	test('is not redirected to a script', async () => {
		await open(undefined, `<input type="hidden" name="_next" value="javascript:document.title='pwned'">${FIELDS}`);
		await tab.click('#send');
		await status().getByText('Thank you').waitFor();
		expect(await tab.title()).toBe('Contact');
	});

	test.each([
		['success', accept],
		['error', reject(403, { error: 'Closed.', code: 'FORM_DISABLED' })],
	])('hears formsrv:%s and may take over', async (what, reply) => {
		replies = [reply];
		await open(undefined, `<input type="hidden" name="_next" value="/away">${FIELDS}`);
		await tab.evaluate((name) => {
			document.addEventListener(name, (event) => {
				event.preventDefault();
				document.title = JSON.stringify((event as CustomEvent).detail);
			});
		}, `formsrv:${what}`);
		await tab.click('#send');
		await tab.waitForFunction(() => document.title !== 'Contact');
		expect(JSON.parse(await tab.title())).toMatchObject(
			what === 'success' ? { status: 200 } : { code: 'FORM_DISABLED' },
		);
		expect(tab.url()).toBe(site.url);
		expect(await tab.locator('form').isVisible()).toBe(true);
		expect(await status().textContent()).toBe('');
		expect(await alert().textContent()).toBe('');
	});

	test('may be returned to by the history and sent again', async () => {
		await open(undefined, `<input type="hidden" name="_next" value="/thanks">${FIELDS}`);
		await tab.click('#send');
		await tab.waitForURL(`${site.url}thanks`);
		await tab.goBack();
		await tab.click('#send');
		await tab.waitForURL(`${site.url}thanks`);
		expect(sent).toHaveLength(2);
		expect(keyOf(0)).not.toBe(keyOf(1) ?? null);
	});
});
