/** The rejections that are pages: all of bodies that are not JSON, unless JSON was asked for. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { openBrowser } from '../../browser.ts';
import { openTestServer, type TestServer } from '../../server.ts';
import { openSite } from '../../site.ts';

setDefaultTimeout(30_000);

const BROWSER = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const TEXT = { 'Content-Type': 'text/plain' };
const LARGE = 'x'.repeat(1_100_000);

let server: TestServer;

beforeAll(async () => {
	server = await openTestServer();
	await server.call('POST /api/forms', { json: { name: 'Open', slug: 'open' } });
	const { body } = await server.call<{ id: string }>('POST /api/forms', { json: { name: 'Paused', slug: 'paused' } });
	await server.call(`PATCH /api/forms/${body.id}`, { json: { isActive: false } });
});
afterAll(() => server.close());

/** The status, and the kind of body that came. */
async function rejected(path: string, headers: Record<string, string>, body: string | undefined, method = 'POST') {
	// Bytes, because a text makes a Content-Type of its own.
	const bytes = body === undefined ? undefined : new TextEncoder().encode(body);
	const response = await fetch(server.submitUrl + path, { method, headers, ...(bytes && { body: bytes }) });
	await response.arrayBuffer();
	return `${response.status} ${response.headers.get('Content-Type')?.split(';')[0]}`;
}

test.each([
	['text from a browser’s form', '/f/open', { ...TEXT, ...BROWSER }, 'a=b\r\n', '415'],
	['text that is no JSON, from a program', '/f/open', TEXT, 'a=b', '415'],
	['a long text', '/f/open', { ...TEXT, ...BROWSER }, 'x'.repeat(40_000), '415'],
	['too much text from a browser', '/f/open', { ...TEXT, ...BROWSER }, LARGE, '413'],
	['text to a paused form', '/f/paused', { ...TEXT, ...BROWSER }, 'a=b', '403'],
	['text to no form', '/f/none', { ...TEXT, ...BROWSER }, 'a=b', '404'],
	['no type and no JSON', '/f/open', {}, '%zz=%ff', '400'],
	['too much of no type', '/f/open', {}, LARGE, '413'],
	['an empty body of no type', '/f/open', BROWSER, '', '400'],
	['a broken multipart body', '/f/open', { 'Content-Type': 'multipart/form-data; boundary=x' }, '--x\r\n', '400'],
	['multipart without a boundary', '/f/open', { 'Content-Type': 'multipart/form-data' }, 'x', '400'],
	['an unknown type', '/f/open', { 'Content-Type': 'application/xml' }, '<a/>', '415'],
	['a type that only begins like JSON', '/f/open', { 'Content-Type': 'application/json-seq' }, 'x', '415'],
	['a type that only begins like text', '/f/open', { 'Content-Type': 'text/plain-x' }, 'x', '415'],
] as const)('%s is rejected with a page', async (_, ...[path, headers, body, status]) => {
	expect(await rejected(path, headers, body)).toBe(`${status} text/html`);
});

test.each([
	['broken JSON', { 'Content-Type': 'application/json' }, '{"a":', '400'],
	['broken JSON of a browser', { 'Content-Type': 'application/json', ...BROWSER }, '{"a":', '400'],
	['broken JSON as text', TEXT, ' {"a":', '400'],
	['broken JSON as text, by a browser', { ...TEXT, ...BROWSER }, '{"a":', '400'],
	['broken JSON of no type', {}, '{"a":', '400'],
	['text, asked for as JSON', { ...TEXT, Accept: 'application/json' }, 'a=b', '415'],
	['too much JSON', { 'Content-Type': 'application/vnd.api+json' }, `{"a":"${LARGE}"}`, '413'],
	['too much text of a script', { ...TEXT, Accept: '*/*' }, `{"a":"${LARGE}"}`, '413'],
	['JSON in another charset', { 'Content-Type': 'application/json; charset=latin1' }, '{}', '415'],
] as const)('%s is rejected as JSON', async (_, headers, body, status) => {
	expect(await rejected('/f/open', headers, body)).toBe(`${status} application/json`);
});

test.each(['GET', 'PUT', 'DELETE'])(
	'%s is answered with a page, and with JSON if that is asked for',
	async (method) => {
		expect(await rejected('/f/open', BROWSER, undefined, method)).toBe('405 text/html');
		expect(await rejected('/f/open', { Accept: 'application/json' }, undefined, method)).toBe('405 application/json');
	},
);

test('a visitor whose page sends text reads a page', async () => {
	const [browser, site] = [await openBrowser(), openSite()];
	try {
		site.setPage(`<form method="post" enctype="text/plain" action="${server.submitUrl}/f/open">
			<input name="message" value="Hello"><button>Send</button></form>`);
		const page = await browser.newPage();
		await page.goto(site.url);
		await page.getByRole('button', { name: 'Send' }).click();
		await page.getByRole('heading', { name: 'The form was not understood' }).waitFor();
		await page.getByRole('link', { name: /^Back to/ }).waitFor();
	} finally {
		await Promise.all([browser.close(), site.close()]);
	}
});

test('a visitor whose form is in a frame reads there what came of it', async () => {
	const fields = [{ name: 'age', type: 'number', required: true }];
	await server.call('POST /api/forms', { json: { name: 'Ruled', slug: 'ruled', fields } });
	const [browser, site] = [await openBrowser(), openSite()];
	try {
		const form = (slug: string) =>
			`<form method="post" action="${server.submitUrl}/f/${slug}"><input name="age" value="old"><button>Send</button></form>`;
		const frames = ['none', 'ruled'].map(
			(slug) => `<iframe sandbox="allow-forms" srcdoc="${Bun.escapeHTML(form(slug))}">`,
		);
		site.setPage(frames.join('</iframe>'));
		const page = await browser.newPage();
		await page.goto(site.url);
		const [none, ruled] = [page.frameLocator('iframe >> nth=0'), page.frameLocator('iframe >> nth=1')];
		await none.getByRole('button', { name: 'Send' }).click();
		await none.getByText('There is no form at this address.').waitFor();
		await ruled.getByRole('button', { name: 'Send' }).click();
		await ruled.getByLabel('age').fill('36');
		await ruled.getByRole('button', { name: 'Send again' }).click();
		await ruled.getByRole('heading', { name: 'Thank you' }).waitFor();
	} finally {
		await Promise.all([browser.close(), site.close()]);
	}
});
