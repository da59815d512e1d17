/** Pages that were made for other services, posting here: their documented forms in a browser, and the table of the docs. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page as Tab } from 'playwright-core';
import { ALIAS_NAMES, ALIASES, type AliasName, aliasTable } from '../../src/aliases.ts';
import { openBrowser } from '../browser.ts';
import { openTestServer, type TestServer } from '../server.ts';
import { openSite } from '../site.ts';
import { ACTION, SERVICE_FORMS } from './service-forms.ts';

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

/** Fills in what a visitor sees, and sends it. */
async function send(html: string, slug: string, honeypot?: string): Promise<void> {
	site.setPage(atSite(html.replace(ACTION, `${server.submitUrl}/f/${slug}`)));
	await tab.goto(site.url);
	for (const input of await tab.locator('input:visible, textarea:visible').all()) {
		const name = await input.getAttribute('name');
		await input.fill(name === 'email' ? 'ann@example.com' : 'typed');
	}
	if (honeypot) {
		await tab.locator(`[name="${honeypot}"]`).evaluate((element) => {
			const input = element as HTMLInputElement;
			if (input.type === 'checkbox') input.checked = true;
			else input.value = 'robot';
		});
	}
	await Promise.all([tab.waitForURL((url) => url.href !== site.url), tab.locator('button').click()]);
}

describe.each(ALIAS_NAMES)('the form of %s, but for the address as documented', (name) => {
	const { html, data, next, subject, honeypot } = SERVICE_FORMS[name];

	test('works here with its alias', async () => {
		const { id, slug } = await makeForm([name]);
		await send(html, slug);
		expect(tab.url()).toBe(next ? atSite(next) : `${server.submitUrl}/thanks`);
		const [stored] = await list(id);
		expect(stored?.data).toEqual(data);
		if (subject === undefined) return;
		const { body } = await server.call<{ deliveries: { id: string }[] }>(`GET /api/forms/${id}/deliveries`);
		const preview = await server.call(`GET /api/deliveries/${body.deliveries[0]?.id}/preview`);
		expect(preview.text).toContain(subject);
	});

	test('has its honeypot here', async () => {
		const { id, slug } = await makeForm([name]);
		await send(html, slug, honeypot);
		expect(await list(id)).toEqual([]);
		expect(await list(id, 'spam')).toHaveLength(1);
	});

	test('keeps its control fields as ordinary ones without the alias', async () => {
		const { id, slug } = await makeForm([]);
		await send(html, slug);
		const native = ['_next', '_subject', '_replyto', '_gotcha'];
		const names = [...html.matchAll(/name="([^"]+)"(?! action)/g)].map(([, field]) => `${field}`);
		const expected = names.filter((field) => !native.includes(field) && field !== 'botcheck');
		expect(Object.keys((await list(id))[0]?.data ?? {}).sort()).toEqual(expected.sort());
	});
});

test('several services may be named, as JSON too, and a box that is not ticked is no robot', async () => {
	const { id, slug } = await makeForm(['web3forms', 'formsubmit']);
	const fields = { name: 'Ann', access_key: 'k', botcheck: false, _honey: '', _template: 'box' };
	expect((await server.submit(slug, fields)).status).toBe(200);
	expect((await server.submit(slug, { ...fields, botcheck: true })).status).toBe(200);
	expect((await list(id)).map(({ data }) => data)).toEqual([{ name: 'Ann' }]);
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

test('docs/migrating.md has the table of what each field does', () => {
	const docs = readFileSync(join(import.meta.dir, '../../docs/migrating.md'), 'utf8');
	const cells = (text: string) =>
		text
			.split('\n')
			.filter((line) => line.startsWith('|') && !/^\|[ -]+\|[ -|]+$/.test(line))
			.map((line) => line.split('|').map((cell) => cell.trim()));
	expect(cells(docs)).toEqual(cells(aliasTable()));
	for (const name of ALIAS_NAMES) expect(docs).toContain(ALIASES[name].label);
});
