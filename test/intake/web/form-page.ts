/** A page with a form that `/formsrv.js` sends, in a real browser, and an endpoint of another origin that answers as a test wants. */

import { beforeEach } from 'bun:test';
import { createAssetFiles } from '../../../src/http/asset-files.ts';
import { openSite } from '../../site.ts';
import { openTabs, tab } from '../../tabs.ts';

interface Sent {
	path: string;
	headers: Headers;
	body: string;
	fields: [string, string][];
}

type Reply = (sent: Sent) => Response | Promise<Response>;

export const CORS = {
	'Access-Control-Allow-Origin': '*',
	'Access-Control-Allow-Headers': 'content-type, idempotency-key',
	'Access-Control-Allow-Methods': 'POST',
};

export const accept: Reply = ({ headers }) =>
	headers.get('Accept') === 'application/json'
		? Response.json({ success: true, message: 'Form submitted successfully' }, { headers: CORS })
		: new Response('native thanks', { headers: { 'Content-Type': 'text/html' } });

export const reject =
	(status: number, envelope: object): Reply =>
	() =>
		Response.json({ success: false, ...envelope }, { status, headers: CORS });

/** Without CORS headers the browser hides the response from the script, like a failed connection. */
export const lose: Reply = () => new Response('lost');

const scripts = createAssetFiles('script');

/** The posts of this test. */
export const sent: Sent[] = [];
/** The endpoint's responses to the next posts, before it accepts all. */
export const replies: Reply[] = [];
/** The endpoint's status of the form. */
export const form: { status: object; stamp?: string } = { status: {} };

/** It and the site stay until the process ends: several files of tests may share them. */
export const endpoint = Bun.serve({
	port: 0,
	hostname: '127.0.0.1',
	async fetch(request) {
		const { pathname } = new URL(request.url);
		if (pathname === '/formsrv.js')
			return (await scripts('formsrv.js', request)) ?? new Response(null, { status: 404 });
		if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: CORS });
		if (pathname === '/brochure') return new Response('%PDF', { headers: { 'Content-Disposition': 'attachment' } });
		if (pathname === '/f/contact/stamp' && form.stamp) return Response.json({ stamp: form.stamp }, { headers: CORS });
		if (pathname === '/f/contact/status') return Response.json(form.status, { headers: CORS });
		if (request.method !== 'POST') return new Response(null, { status: 404 });
		const posted = await request.clone().formData();
		const fields = [...posted].map(([name, value]): [string, string] => [name, `${value}`]);
		const item = { path: pathname, headers: request.headers, body: await request.text(), fields };
		sent.push(item);
		return (replies.shift() ?? accept)(item);
	},
});

export const site = openSite();

export const ACTION = `${endpoint.url}f/contact`;
export const FIELDS = `<label>E-mail <input name="email" value="ann@example.com"></label>
	<label>Message <textarea name="message">Hello</textarea></label>
	<button id="send" name="via" value="main">Send</button>`;

/** Opens a page with one form that has these attributes and this content. */
export async function open(attributes = `action="${ACTION}" method="post"`, content = FIELDS): Promise<void> {
	site.setPage(`<form ${attributes}>${content}</form><script src="${endpoint.url}formsrv.js"></script>`);
	await tab.goto(site.url);
}

export const status = () => tab.locator('[role=status]');
export const alert = () => tab.locator('[role=alert]');
export const keyOf = (index: number) => sent[index]?.headers.get('Idempotency-Key');

/** Opens the browser, a tab for each test, and what is between them; to be called at the top of a file of tests. */
export function openFormPages(): void {
	openTabs();
	beforeEach(() => {
		sent.length = 0;
		replies.length = 0;
	});
}
