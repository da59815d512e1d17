/** The official widget in a real browser against the real server. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { openBrowser } from '../browser.ts';
import { openTestServer, type TestServer } from '../server.ts';

const PATIENCE_MS = 30_000;

let server: TestServer;
let browser: Browser;
let site: Bun.Server<undefined>;

beforeAll(async () => {
	[server, browser] = await Promise.all([openTestServer(), openBrowser()]);
}, PATIENCE_MS);

afterAll(async () => {
	await browser.close();
	await server.close();
	await site.stop(true);
});

/** A web site elsewhere, with a form of ours on its page. */
function serveSite(endpoint: string): string {
	const widget = Bun.file(new URL(import.meta.resolve('altcha')));
	const html = `<!doctype html><title>A site</title><script type="module" src="/altcha.js"></script>
		<form method="post" action="${endpoint}">
			<input name="message" value="Hello">
			<altcha-widget challenge="${endpoint}/challenge"></altcha-widget>
			<button>Send</button>
		</form>`;
	site = Bun.serve({
		port: 0,
		hostname: '127.0.0.1',
		fetch: ({ url }) =>
			url.endsWith('.js') ? new Response(widget) : new Response(html, { headers: { 'Content-Type': 'text/html' } }),
	});
	return site.url.href;
}

test(
	'a person ticks the box, and the form is taken',
	async () => {
		const json = { name: 'Contact', captcha: 'altcha' };
		const form = (await server.call<{ id: string; slug: string }>('POST /api/forms', { json })).body;
		const page = await browser.newPage();
		await page.goto(serveSite(`${server.submitUrl}/f/${form.slug}`));
		await page.locator('altcha-widget label').click();
		await page.locator('altcha-widget [data-state=verified]').waitFor();
		await page.getByRole('button', { name: 'Send' }).click();
		await page.waitForURL(`${server.submitUrl}/thanks`);
		const { body } = await server.call<{ submissions: { data: object }[] }>(`GET /api/forms/${form.id}/submissions`);
		expect(body.submissions.map(({ data }) => data)).toEqual([{ message: 'Hello' }]);
	},
	PATIENCE_MS,
);
