/** The official widget in a real browser against the real server. */

import { afterAll, afterEach, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '../../browser.ts';
import { openTestServer, type TestServer } from '../../server.ts';

setDefaultTimeout(30_000);

let server: TestServer;
let browser: Browser;
let site: Bun.Server<undefined>;

beforeAll(async () => {
	[server, browser] = await Promise.all([openTestServer(), openBrowser()]);
});

afterAll(async () => {
	await browser.close();
	await server.close();
});

/** Another web site, with a form of this server on its page. */
function serveSite(endpoint: string, more = ''): string {
	const widget = Bun.file(new URL(import.meta.resolve('altcha')));
	const html = `<!doctype html><title>A site</title><script type="module" src="/altcha.js"></script>
		<form method="post" action="${endpoint}">
			<input name="message" value="Hello">
			<altcha-widget challenge="${endpoint}/challenge"></altcha-widget>
			<button>Send</button>
		</form>${more}`;
	site = Bun.serve({
		port: 0,
		hostname: '127.0.0.1',
		fetch: ({ url }) =>
			url.endsWith('.js') ? new Response(widget) : new Response(html, { headers: { 'Content-Type': 'text/html' } }),
	});
	return site.url.href;
}

interface FormAnswer {
	id: string;
	slug: string;
}

let form: FormAnswer;
let page: Page;

beforeEach(async () => {
	form = await server.createForm<FormAnswer>({ name: 'Contact', captcha: 'altcha' });
	page = await browser.newPage();
});
afterEach(async () => {
	await page.close();
	await site.stop(true);
});

async function tickTheBox(): Promise<void> {
	await page.locator('altcha-widget label').click();
	await page.locator('altcha-widget [data-state=verified]').waitFor();
}
const send = () => page.getByRole('button', { name: 'Send' }).click();
const endpoint = () => `${server.submitUrl}/f/${form.slug}`;

async function stored(): Promise<object[]> {
	const { body } = await server.call<{ submissions: { data: object }[] }>(`GET /api/forms/${form.id}/submissions`);
	return body.submissions.map(({ data }) => data);
}

test('a visitor ticks the box, and the form is accepted', async () => {
	await page.goto(serveSite(endpoint()));
	await tickTheBox();
	await send();
	await page.waitForURL('**/thanks');
	expect(await stored()).toEqual([{ message: 'Hello' }]);
});

test('with our script, an error resets the box', async () => {
	await page.goto(serveSite(endpoint(), `<script src="${server.submitUrl}/formsrv.js"></script>`));
	const field = page.locator('[name=message]');
	await field.evaluate((input) => input.removeAttribute('name'));
	await tickTheBox();
	await send();
	await page.locator('.formsrv-error').waitFor();
	await page.locator('altcha-widget [data-state=unverified]').waitFor();
	await page.locator('input[value=Hello]').evaluate((input) => input.setAttribute('name', 'message'));
	await tickTheBox();
	await send();
	await page.locator('.formsrv-success').waitFor();
	expect(await stored()).toEqual([{ message: 'Hello' }]);
});
