/** The Connect page: each of its snippets works as it is pasted, and what it says and sends fits the form. */

import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { compileScript, parse } from 'vue/compiler-sfc';
import type { FormInput } from '../../src/forms/settings.ts';
import { findAccessibilityFaults } from '../browser.ts';
import { withProgram } from '../programs.ts';
import { openSite } from '../site.ts';
import { tempFolder } from '../temp-folder.ts';
import { until } from '../until.ts';
import { DESKTOP, type Made, openDashboard, openServerAndBrowser, PHONE, submissionsOf } from './dashboard.ts';

setDefaultTimeout(90_000);

const { server, browser } = await openServerAndBrowser({ settings: { FORMSRV_HCAPTCHA_SECRET: 'x' } });

const FIELDS: FormInput['fields'] = [
	{ name: 'email', type: 'email', label: 'Your "e-mail" & {more}', required: true },
	{ name: 'zip code', type: 'text', pattern: '[A-Z]{2}-\\d{4}', required: true },
	{ name: 'guests', type: 'number', min: 2, max: 3, required: true },
	{ name: 'arrival', type: 'date', max: '1999-12-31', required: true },
	{ name: 'topic', type: 'select', options: ['Sales & more', 'Help'], required: true },
	{ name: 'days[]', type: 'checkbox', options: ['Mo', 'Tu'] },
	{ name: 'terms', type: 'checkbox', required: true },
	{ name: 'cv', type: 'file', required: true },
	// A rule for a honeypot is none.
	{ name: 'website', type: 'text', required: true },
];
const STRICT: FormInput = {
	fields: FIELDS,
	unknownFields: 'refuse',
	spam: { threshold: 5, honeypot: ['website'] },
	aliases: ['formspree', 'web3forms', 'netlify'],
	files: { maxFiles: 2, maxBytes: 1_000_000, types: ['image/*', '.pdf'] },
	context: { page: true, utm: true, address: 'full', agent: true },
	closesAt: '2099-01-01T00:00:00.000Z',
};
/** A picture of one point. */
const GIF = Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=', 'base64');

const FORMS: [what: string, settings: (domain: string) => FormInput][] = [
	['without any settings', () => ({})],
	['with ALTCHA', () => ({ captcha: 'altcha' })],
	['with all settings', (domain) => ({ ...STRICT, allowedDomains: [domain] })],
	['with all settings and ALTCHA', (domain) => ({ ...STRICT, allowedDomains: [domain], captcha: 'altcha' })],
];

let forms = 0;
async function createForm(settings: FormInput): Promise<Made> {
	forms += 1;
	return server.createForm({ name: `Form ${forms}`, ...settings });
}

async function connectPage(form: Made, options: Partial<Parameters<typeof openDashboard>[0]> = {}) {
	const opened = await openDashboard({ browser, server, ...options });
	await opened.signIn();
	await opened.goTo(`/forms/${form.id}/connect`);
	await opened.page.getByRole('heading', { name: 'See it work' }).waitFor();
	return opened;
}

/** The code of every snippet that the page has, by title. */
async function snippetsOf(form: Made): Promise<Map<string, string>> {
	const { page, complaints, close } = await connectPage(form);
	const fileInput = page.getByRole('switch', { name: 'With a file input' });
	if (await fileInput.count()) await fileInput.check();
	const snippets = new Map<string, string>();
	for (const label of await page.locator('.snippets .segment').all()) {
		await label.click();
		snippets.set((await label.textContent()) ?? '', (await page.locator('.snippets pre').textContent()) ?? '');
	}
	expect(complaints).toEqual([]);
	await close();
	return snippets;
}

/** Returns the visitor's page once the tools of a kind of website are done with a snippet. */
async function pageOf(title: string, code: string): Promise<string> {
	if (title === 'React') return `<div id="root"></div><script type="module">${await bundled(code)}</script>`;
	if (title === 'Vue') return `<div id="root"></div><script type="module">${await bundledVue(code)}</script>`;
	return code;
}

/** Their tools leave nothing of comments and front matter, and what remains is the page without a tool. */
const TEMPLATES = new Set(['Astro', 'Hugo', 'Eleventy']);

function plainOf(code: string): string {
	const plain = code.replace(/^---\n[\s\S]*?\n---\n|^\{\{\/\*[\s\S]*?\*\/\}\}\n|^\{#[\s\S]*?#\}\n/, '');
	expect(plain).not.toMatch(/^---|\{[{%#]/m);
	return plain;
}

/** The component in a page, by Preact in place of React, which the tests do not have. */
async function bundled(code: string): Promise<string> {
	const path = join(tempFolder(), 'contact.jsx');
	const preact = JSON.stringify(Bun.resolveSync('preact', import.meta.dir));
	const compat = JSON.stringify(Bun.resolveSync('preact/compat', import.meta.dir));
	const component = code.replace("'react'", compat);
	const page = `/** @jsxRuntime classic @jsx h */ import { h, render } from ${preact}; ${component}
		render(<ContactForm />, document.querySelector('#root'));`;
	writeFileSync(path, page);
	const { outputs } = await Bun.build({ entrypoints: [path] });
	return (await outputs[0]?.text()) ?? '';
}

async function bundledVue(code: string): Promise<string> {
	const path = join(tempFolder(), 'contact.js');
	const { descriptor, errors } = parse(code);
	expect(errors).toEqual([]);
	const { content } = compileScript(descriptor, { id: 'contact', inlineTemplate: true, genDefaultAs: 'ContactForm' });
	const page = `${content}; import { createApp } from 'vue'; createApp(ContactForm).mount('#root');`;
	const vue = JSON.stringify(Bun.resolveSync('vue/dist/vue.runtime.esm-bundler.js', import.meta.dir));
	writeFileSync(path, page.replaceAll(/from ['"]vue['"]/g, `from ${vue}`));
	const flags = ['__VUE_OPTIONS_API__', '__VUE_PROD_DEVTOOLS__', '__VUE_PROD_HYDRATION_MISMATCH_DETAILS__'];
	const define = {
		'process.env.NODE_ENV': '"production"',
		...Object.fromEntries(flags.map((flag) => [flag, 'false'])),
	};
	const { outputs } = await Bun.build({ entrypoints: [path], define });
	return (await outputs[0]?.text()) ?? '';
}

async function fillIn(page: Page): Promise<void> {
	const text: Record<string, string> = {
		name: 'Ada',
		email: 'ada@example.com',
		message: 'Grüße',
		'zip code': 'AB-1234',
		guests: '2',
		arrival: '1999-12-31',
	};
	for (const [name, value] of Object.entries(text)) {
		const input = page.locator(`[name="${name}"]`);
		if (await input.count()) await input.fill(value);
	}
	if (await page.locator('[name=topic]').count()) {
		await page.locator('[name=topic]').selectOption('Sales & more');
		await page.locator('[name=terms]').check();
		await page.getByLabel('Tu').check();
	}
	const file = page.locator('[type=file]');
	if (await file.count()) await file.setInputFiles({ name: 'a.gif', mimeType: 'image/gif', buffer: GIF });
	if (await page.locator('altcha-widget').count()) {
		await page.locator('altcha-widget label').click();
		await page.locator('altcha-widget [data-state=verified]').waitFor();
	}
}

const curl = withProgram('curl');

async function runCurl(code: string): Promise<string> {
	const cwd = tempFolder();
	for (const name of ['photo.jpg', 'file.pdf']) writeFileSync(join(cwd, name), GIF);
	const KEY = await server.createKey({ permissions: ['submit'] });
	const child = Bun.spawn(['sh', '-eu', '-c', code], { cwd, env: { ...process.env, KEY }, stderr: 'ignore' });
	return new Response(child.stdout).text();
}

describe.each(FORMS)('the snippets of a form %s', (_, settings) => {
	const site = openSite('windows-1252');

	test('work as they are pasted into an empty page of another origin and encoding', async () => {
		const form = await createForm(settings(site.host));
		const snippets = await snippetsOf(form);
		expect([...snippets.keys()]).toEqual([
			'HTML',
			'HTML + script',
			'fetch',
			'React',
			'Vue',
			'Astro',
			'Hugo',
			'Eleventy',
			'curl',
		]);
		let arrived = 0;
		for (const [title, code] of snippets) {
			expect(code).not.toContain('YOUR_');
			if (TEMPLATES.has(title)) {
				expect(plainOf(code)).toBe(snippets.get('HTML') ?? '');
				continue;
			}
			if (title === 'curl') {
				if (curl.isMissing) continue;
				expect(await runCurl(code)).toContain('"success":true');
			} else {
				site.setPage(await pageOf(title, code));
				const page = await browser.newPage();
				await page.goto(site.url);
				await page.getByRole('button', { name: 'Send' }).waitFor();
				await fillIn(page);
				await page.getByRole('button', { name: 'Send' }).click();
				await page
					.getByText(/^Thank you/)
					.first()
					.waitFor();
				await page.close();
			}
			arrived += 1;
			expect({ title, arrived: (await submissionsOf(server, form.id)).length }).toEqual({ title, arrived });
		}
		await site.close();
	});
});

test.each(['fetch', 'React', 'Vue'])(
	'the snippet for %s sends once, and tells visitors in their language what failed',
	async (title) => {
		const form = await createForm({ language: 'de' });
		const code = (await snippetsOf(form)).get(title) ?? '';
		const site = openSite();
		site.setPage(await pageOf(title, code));
		const page = await browser.newPage();
		const said: string[] = [];
		page.on('dialog', (dialog) => {
			said.push(dialog.message());
			return dialog.accept();
		});
		await page.goto(site.url);
		await page.getByRole('button', { name: 'Send' }).waitFor();
		await fillIn(page);
		const fails = async (sentence: string) => {
			await page.getByRole('button', { name: 'Send' }).click();
			if (title === 'fetch') await until(() => said.includes(sentence));
			else await page.getByRole('alert').getByText(sentence).waitFor();
		};
		await page.context().setOffline(true);
		await fails('No connection. Please try again.');
		await page.context().setOffline(false);
		await server.call(`PATCH /api/forms/${form.id}`, { json: { isActive: false } });
		await fails('Dieses Formular nimmt gerade nichts an.');
		await server.call(`PATCH /api/forms/${form.id}`, { json: { isActive: true } });
		await page.getByRole('button', { name: 'Send' }).dblclick();
		await page
			.getByText(/^Thank you/)
			.first()
			.waitFor();
		expect(await submissionsOf(server, form.id)).toHaveLength(1);
		await page.close();
		await site.close();
	},
);

describe('the page at the address of a form', () => {
	test.each([null, 'altcha'] as const)('has snippets that work, with the captcha %p', async (captcha) => {
		const form = await createForm({ captcha, spam: { threshold: 5, honeypot: ['website'] } });
		const site = openSite('windows-1252');
		const page = await browser.newPage();
		await page.goto(`${server.submitUrl}/f/${form.slug}`);
		const [markup = '', script, command] = await page.locator('pre').allInnerTexts();
		expect(await findAccessibilityFaults(page)).toEqual([]);
		expect(markup).toContain('<div hidden><input name="website"');
		site.setPage(markup);
		await page.goto(site.url);
		await fillIn(page);
		await page.getByRole('button', { name: 'Send' }).click();
		await page.getByText('Thank you').first().waitFor();
		expect(await submissionsOf(server, form.id)).toHaveLength(1);
		if (captcha === null) {
			await page.goto(site.url);
			await page.evaluate(`(async () => {${script}})()`);
			expect(await submissionsOf(server, form.id)).toHaveLength(2);
			if (!curl.isMissing) expect(await runCurl(command ?? '')).toContain('"success":true');
		} else expect(script).toBeUndefined();
		await page.close();
		await site.close();
	});
});

test('with a captcha of a vendor, the page says that its site key is the owner’s', async () => {
	const form = await createForm({ captcha: 'hcaptcha' });
	const { page, complaints, close } = await connectPage(form);
	await page.getByText('Replace YOUR_SITE_KEY with the site key that hCaptcha gave you.').waitFor();
	expect(await page.locator('.snippets pre').textContent()).toContain('https://js.hcaptcha.com/1/api.js');
	expect(complaints).toEqual([]);
	await close();
});

describe('a test submission', () => {
	const send = (page: Page) => page.getByRole('button', { name: 'Send a test submission' }).click();

	test.each(FORMS)('arrives at a form %s', async (_, settings) => {
		const form = await createForm({ ...settings('example.org'), spam: { threshold: 1, honeypot: ['website'] } });
		const { page, complaints, close } = await connectPage(form);
		await send(page);
		await page.getByText('The test submission has arrived.').first().waitFor();
		await send(page);
		await until(async () => (await submissionsOf(server, form.id)).length >= 2);
		expect(await submissionsOf(server, form.id)).toMatchObject([
			{ spamScore: 0, meta: { test: true } },
			{ spamScore: 0, meta: { test: true } },
		]);
		await page.getByRole('button', { name: 'Show' }).first().click();
		await page.locator('.submissions-table tbody a').first().click();
		await page.getByText('Sent by an owner to test the form').waitFor();
		expect(complaints).toEqual([]);
		await close();
	});

	test('asks for what cannot be made up', async () => {
		const form = await createForm({
			fields: [
				{ name: 'code', type: 'text', label: 'Code', pattern: '\\p{Script=Thai}', required: true },
				{ name: 'cv', type: 'file', label: 'Your CV', required: true },
			],
			files: { maxFiles: 1, maxBytes: 1_000_000, types: ['image/gif'] },
		});
		const { page, close } = await connectPage(form);
		await send(page);
		await page.getByRole('alert').getByText('“Code”').waitFor();
		await page.getByLabel('Code').fill('ก');
		await page.getByLabel('Your CV').setInputFiles({ name: 'a.gif', mimeType: 'image/gif', buffer: GIF });
		await send(page);
		await page.getByText('The test submission has arrived.').first().waitFor();
		expect(await submissionsOf(server, form.id)).toMatchObject([{ data: { code: 'ก', cv: 'a.gif' } }]);
		await close();
	});

	test.each<[string, FormInput & { isActive?: boolean }]>([
		['The form is paused.', { isActive: false }],
		['The form is not open yet: it opens on', { opensAt: '2099-01-01T00:00:00Z' }],
		['The form has been closed since', { closesAt: '2020-01-01T00:00:00Z' }],
	])('is not offered where it cannot arrive: %s', async (sentence, settings) => {
		const form = await createForm({});
		await server.call(`PATCH /api/forms/${form.id}`, { json: settings });
		const { page, close } = await connectPage(form);
		await page.locator('.notice').getByText(sentence).waitFor();
		expect(await page.getByRole('button', { name: 'Send a test submission' }).count()).toBe(0);
		await close();
	});

	test('says that the form is full, also if that is so only since the page was opened', async () => {
		const form = await createForm({ maxSubmissions: 1 });
		const { page, close } = await connectPage(form);
		await page.getByText('It takes 1 submission and has 0.').waitFor();
		await send(page);
		await page.locator('.notice').getByText('The form is full').waitFor();
		await close();
	});

	test('is for those who may write', async () => {
		const form = await createForm({});
		const { page, signIn, goTo, close } = await openDashboard({ browser, server });
		await signIn(await server.createKey({ permissions: ['read'] }));
		await goTo(`/forms/${form.id}/connect`);
		await page.getByText('Sending a test submission requires the permission to write.').waitFor();
		expect(await page.getByRole('button', { name: 'Send a test submission' }).count()).toBe(0);
		await close();
	});
});

test.each([
	['wide and light', DESKTOP, 'light'],
	['narrow and dark', PHONE, 'dark'],
] as const)('the page of a form with all settings is accessible, %s', async (_, viewport, colorScheme) => {
	const form = await createForm({
		...STRICT,
		fields: [...(FIELDS ?? []), { name: 'thai', type: 'text', pattern: '\\p{Script=Thai}', required: true }],
		files: { maxFiles: 2, maxBytes: 1_000_000, types: ['video/*'] },
		captcha: 'altcha',
		allowedDomains: ['example.org'],
	});
	const { page, close } = await connectPage(form, { viewport, colorScheme });
	expect(await findAccessibilityFaults(page)).toEqual([]);
	expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
	const { SHOTS } = process.env;
	if (SHOTS) await page.screenshot({ path: join(SHOTS, `connect-${colorScheme}.png`), fullPage: true });
	await close();
});
