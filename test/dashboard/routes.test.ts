/** The dashboard's page and files, as the base address serves them. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { noScript } from '../../src/dashboard/web/sentences/frame.ts';
import { openTestServer, type TestServer } from '../server.ts';

let server: TestServer;
let assets: string[];

beforeAll(async () => {
	server = await openTestServer();
	const page = await (await fetch(server.baseUrl)).text();
	assets = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => `${address}`);
});
afterAll(() => server.close());

describe('the page', () => {
	test('comes with a policy that allows its own files and nothing else', async () => {
		const { status, headers } = await fetch(server.baseUrl);
		expect(status).toBe(200);
		expect(headers.get('Content-Type')).toStartWith('text/html');
		expect(headers.get('Content-Security-Policy')).toBe(
			"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
				"frame-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; " +
				"require-trusted-types-for 'script'",
		);
		expect(Object.fromEntries(headers)).toMatchObject({
			'cache-control': 'no-store',
			'cross-origin-opener-policy': 'same-origin',
			'cross-origin-resource-policy': 'same-origin',
			'referrer-policy': 'no-referrer',
			'x-content-type-options': 'nosniff',
			'x-frame-options': 'DENY',
		});
	});

	test('says without script what it needs', async () => {
		expect(await (await fetch(server.baseUrl)).text()).toContain(`<noscript>${noScript}</noscript>`);
	});

	test('has no second address, where it would come without its policy', async () => {
		expect((await fetch(`${server.baseUrl}/assets/index.html`)).status).toBe(404);
		expect((await fetch(`${server.baseUrl}/index.html`)).status).toBe(404);
	});

	test('has a response to HEAD', async () => {
		const answer = await fetch(server.baseUrl, { method: 'HEAD' });
		expect({ status: answer.status, text: await answer.text() }).toEqual({ status: 200, text: '' });
		expect(answer.headers.has('Content-Security-Policy')).toBe(true);
	});
});

describe('its files', () => {
	test('stay in the browser’s cache for good, because their names change with their content', async () => {
		expect(assets).toHaveLength(3);
		for (const address of assets) {
			const { status, headers } = await fetch(`${server.baseUrl}${address}`);
			expect(status).toBe(200);
			expect(headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable');
			expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
			expect(headers.get('Content-Encoding')).toBe('gzip');
			expect(headers.get('Content-Type')).toMatch(/^(?:text\/(?:javascript|css)|image\/svg\+xml)/);
		}
	});

	test.each(['..%2Findex.html', 'index.html.gz', 'nothing.js'])('are nothing else: %s', async (name) => {
		expect((await fetch(`${server.baseUrl}/assets/${name}`)).status).toBe(404);
	});
});

test('the submit address has neither', async () => {
	const page = await fetch(server.submitUrl, { headers: { Accept: 'text/html' } });
	expect({ status: page.status, isPage: (await page.text()).includes('Nothing here') }).toEqual({
		status: 404,
		isPage: true,
	});
	for (const address of assets) expect((await fetch(`${server.submitUrl}${address}`)).status).toBe(404);
});
