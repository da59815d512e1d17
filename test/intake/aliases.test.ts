/** Pages that were made for other services, posting here: their forms and scripts in a browser. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Browser, Page as Tab } from 'playwright-core';
import { ALIAS_NAMES, type AliasName } from '../../src/form-values/aliases.ts';
import { openBrowser } from '../browser.ts';
import { openTestServer, type TestServer } from '../server.ts';
import { openSite } from '../site.ts';
import { PAGE_FORMS, PAGE_SCRIPTS } from './pages/page-forms.ts';
import { ACTION, SERVICE_FORMS, type ServiceForm, TYPED } from './service-forms.ts';

interface Listed {
	submissions: { id: string; isSpam: boolean; data: Record<string, unknown> }[];
}

const site = openSite();
let server: TestServer;
let browser: Browser;
let tab: Tab;

setDefaultTimeout(20_000);

beforeAll(async () => {
	server = await openTestServer();
	browser = await openBrowser();
	tab = await browser.newPage();
});
afterAll(async () => {
	await browser.close();
	await site.close();
	await server.close();
});

const makeForm = (aliases: AliasName[]) =>
	server.app.forms.create('live', { name: 'Contact', notificationEmail: 'owner@example.com', aliases });
const list = async (id: string, filter = 'all') =>
	(await server.call<Listed>(`GET /api/forms/${id}/submissions?filter=${filter}`)).body.submissions;

/** Every other site is ours. */
const atSite = (text: string) => text.replaceAll(/https:\/\/\w+\.example\//g, site.url);

const FIELDS = ['text', 'email', 'tel', 'url'].map((type) => `input[type=${type}]:visible`);

/** Fills in what a visitor sees, and sends it. */
async function send(html: string, slug: string, honeypot?: string): Promise<void> {
	site.setPage(atSite(html.replace(ACTION, `${server.submitUrl}/f/${slug}`)));
	await tab.goto(site.url);
	for (const input of await tab.locator([...FIELDS, 'textarea:visible'].join()).all()) {
		await input.fill(`${TYPED[(await input.getAttribute('type')) ?? 'text']}`);
	}
	if (honeypot) {
		await tab.locator(`[name="${honeypot}"]`).evaluate((element) => {
			const input = element as HTMLInputElement;
			if (input.type === 'checkbox') input.checked = true;
			else input.value = 'robot';
		});
	}
	await Promise.all([tab.waitForURL((url) => url.href !== site.url), tab.locator('button, [type=submit]').click()]);
}

/** Sends the form as a visitor, and compares what arrives, where the browser is sent, and what the mail says. */
async function sendAsVisitor(service: AliasName, { html, data, next, subject, replyTo }: ServiceForm): Promise<void> {
	const { id, slug } = await makeForm([service]);
	await send(html, slug);
	expect(tab.url()).toBe(next ? atSite(next) : `${server.submitUrl}/f/${slug}/thanks`);
	expect((await list(id)).map((stored) => stored.data)).toEqual([data]);
	const [mail] = (await server.call<{ deliveries: { id: string }[] }>(`GET /api/forms/${id}/deliveries`)).body
		.deliveries;
	const { content } = (await server.call<{ content: object }>(`GET /api/deliveries/${mail?.id}`)).body;
	expect(content).toMatchObject({ ...(subject && { subject }), ...(replyTo && { replyTo }) });
}

async function sendAsRobot(service: AliasName, { html, honeypot }: ServiceForm): Promise<void> {
	const { id, slug } = await makeForm([service]);
	await send(html, slug, honeypot);
	expect(await list(id)).toEqual([]);
	expect(await list(id, 'spam')).toHaveLength(1);
}

describe.each(ALIAS_NAMES)('the form of %s, but for the address as documented', (name) => {
	const form = SERVICE_FORMS[name];

	test('works here with its alias', () => sendAsVisitor(name, form));

	test('has its honeypot here', () => sendAsRobot(name, form));

	test('keeps its control fields as ordinary ones without the alias', async () => {
		const { id, slug } = await makeForm([]);
		await send(form.html, slug);
		const native = ['_next', '_subject', '_replyto', '_gotcha'];
		const names = new Set([...form.html.matchAll(/name="([^"]+)"(?! action)/g)].map(([, field]) => `${field}`));
		const expected = [...names].filter((field) => !native.includes(field) && field !== 'botcheck');
		expect(Object.keys((await list(id))[0]?.data ?? {}).sort()).toEqual(expected.sort());
	});
});

describe('a form of a public page for another service', () => {
	test.each(PAGE_FORMS)('works here with the alias $service, $what', ({ service, ...form }) =>
		sendAsVisitor(service, form),
	);

	test.each(PAGE_FORMS.filter(({ honeypot }) => honeypot))(
		'has its honeypot here: $service, $what',
		({ service, ...form }) => sendAsRobot(service, form),
	);
});

test.each(PAGE_SCRIPTS)(
	'a script for $service that sends $body and asks for JSON: $asks, goes by $isWell',
	async (script) => {
		const { id, slug } = await makeForm([script.service]);
		site.setPage('');
		await tab.goto(site.url);
		const isWell = await tab.evaluate(
			async ({ address, body, asks, isWell }) => {
				const fields = { name: 'Ann', email: 'ann@example.com' };
				const bodies = {
					json: () => JSON.stringify(fields),
					urlencoded: () => new URLSearchParams(fields),
					multipart: () => {
						const form = new FormData();
						for (const [name, value] of Object.entries(fields)) form.append(name, value);
						return form;
					},
				};
				const headers = new Headers();
				if (body === 'json') headers.set('Content-Type', 'application/json');
				if (asks) headers.set('Accept', 'application/json');
				const response = await fetch(address, { method: 'POST', headers, body: bodies[body]() });
				const answer = asks ? await response.json() : undefined;
				return new Function('response', 'answer', `return ${isWell}`)(response, answer) as boolean;
			},
			{ address: `${server.submitUrl}/f/${slug}`, ...script },
		);
		expect(isWell).toBe(true);
		expect((await list(id)).map(({ data }) => data)).toEqual([{ name: 'Ann', email: 'ann@example.com' }]);
	},
);

test('only the aliases of the form add to the response', async () => {
	const bodies = await Promise.all(
		[[], ['basin'], ['basin', 'formcarry']].map(async (aliases) => {
			const { slug } = await makeForm(aliases as AliasName[]);
			return (await server.submit(slug, { name: 'Ann' })).body;
		}),
	);
	const plain = { success: true, message: 'Form submitted successfully' };
	expect(bodies as object[]).toEqual([plain, plain, { ...plain, code: 200, status: 'success' }]);
});

test('several services may be named, as JSON too, and a box that is not ticked is no robot', async () => {
	const { id, slug } = await makeForm(['web3forms', 'formsubmit']);
	const fields = { name: 'Ann', access_key: 'k', botcheck: false, _honey: '', _template: 'box' };
	expect((await server.submit(slug, fields)).status).toBe(200);
	// `FormData` makes a text of it.
	expect((await server.submit(slug, { ...fields, botcheck: 'false' })).status).toBe(200);
	expect((await server.submit(slug, { ...fields, botcheck: true })).status).toBe(200);
	expect((await list(id)).map(({ data }) => data)).toEqual([{ name: 'Ann' }, { name: 'Ann' }]);
	expect(await list(id, 'spam')).toHaveLength(1);
});

test('the setting names services, each once and in their order', async () => {
	const { id } = await makeForm([]);
	const patch = (aliases: unknown) =>
		server.call<{ aliases?: string[]; errors?: object[] }>(`PATCH /api/forms/${id}`, { json: { aliases } });
	expect((await patch(['netlify', 'formspree', 'netlify'])).body.aliases).toEqual(['formspree', 'netlify']);
	const refused = await patch(['jotform']);
	expect([refused.status, refused.body.errors]).toEqual([400, [expect.objectContaining({ field: 'aliases.0' })]]);
	expect((await patch(null)).body.aliases).toEqual([]);
});
