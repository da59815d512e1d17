/** The pages of the submission endpoint in a real browser: readable by all, harmless whatever is reflected in them. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Browser, BrowserContextOptions, Page as Tab } from 'playwright-core';
import { ERROR_CODES } from '../../../src/errors.ts';
import type { Captcha } from '../../../src/form-values/captchas.ts';
import { helpPage } from '../../../src/intake/pages/help-page.ts';
import type { Page } from '../../../src/intake/pages/page-frame.ts';
import { errorPage, smallPage, thankYouPage } from '../../../src/intake/pages/pages.ts';
import { inEnglish } from '../../../src/languages/translations.ts';
import { findAccessibilityFaults, openBrowser } from '../../browser.ts';

setDefaultTimeout(20_000);

const PAYLOADS = [
	'<script>document.title="pwned"</script>',
	'"><img src=x onerror=document.title="pwned">',
	"'-document.write(1)-'",
	'</style><script>document.title="pwned"</script>',
	'javascript:document.title="pwned"',
	'\u2028<svg onload=document.title="pwned">',
	'&lt;b&gt;&#x3c;script&#x3e;',
];

const rejection = {
	status: 400,
	code: 'INVALID_BODY',
	message: 'Broken.',
	requestId: 'r1',
	fields: [],
	isOwners: false,
} as const;
const english = inEnglish();
const help = (endpoint: string, captcha: Captcha | null = null, honeypot = '_gotcha') =>
	helpPage(english, { endpoint, captcha, honeypot });
const backUrl = 'https://www.bakery.example/contact?from=x&to=y';

const samples: Record<string, Page> = {
	'the thank-you page': thankYouPage(english, { backUrl }),
	'the thank-you page without a way back': thankYouPage(english),
	'an error page': errorPage(english, {
		...rejection,
		backUrl,
		fields: [{ field: 'email', code: 'INVALID', message: 'Not an address.' }],
	}),
	'the help page': help('https://forms.bakery.example/f/contact-k3v9x2qm'),
	'the help page of a form with a captcha': help('https://forms.bakery.example/f/contact-k3v9x2qm', 'hcaptcha'),
	'a small page': smallPage(english, { status: 404, requestId: 'r1' }),
	'a small page of a fault': smallPage(english, { status: 503, requestId: 'r1' }),
};

describe('the content of the pages', () => {
	test('an error page has the status, the sentence, the code and the request id of the JSON error', () => {
		const page = errorPage(english, { ...rejection, status: 429, code: 'RATE_LIMITED', message: 'Too many.' });
		expect(page.status).toBe(429);
		for (const part of ['Too many.', 'RATE_LIMITED', 'r1', 'Back button keeps what you typed']) {
			expect(page.html).toContain(part);
		}
	});

	test('every code of an error has a page', () => {
		for (const code of ERROR_CODES)
			expect(errorPage(english, { ...rejection, code }).html).toMatch(/<h1>[^<]{5,}<\/h1>/);
	});

	test('the invalid fields are listed', () => {
		expect(samples['an error page']?.html).toContain('<li><strong>email</strong>: Not an address.</li>');
	});

	test('the help page shows how to post to this form and differs in nothing but the address', () => {
		const one = help('http://localhost:8081/f/one').html;
		expect(one).toContain('action=&quot;http://localhost:8081/f/one&quot;');
		expect(one).toContain('_gotcha');
		expect(one).toContain('curl &#39;http://localhost:8081/f/one&#39;');
		expect(one.replaceAll('/f/one', '/f/two')).toBe(help('http://localhost:8081/f/two').html);
	});

	test('no page is larger than 6 kB', () => {
		for (const { html } of Object.values(samples)) expect(new Blob([html]).size).toBeLessThanOrEqual(6000);
	});
});

describe('the link back', () => {
	test.each([
		['https://a.example/x?y=1#z', 'https://a.example/x?y=1#z'],
		['http://localhost:4321', 'http://localhost:4321/'],
		['javascript:alert(1)', null],
		[' jAvaScript:alert(1)', null],
		['data:text/html,x', null],
		['file:///etc/passwd', null],
		['//evil.example', null],
		['null', null],
		['', null],
		['https://user:pass@a.example/', null],
		[`https://a.example/${'x'.repeat(2048)}`, null],
	])('%p leads to %p', (backUrl, href) => {
		const [, link = null] = /<a href="([^"]*)"/.exec(thankYouPage(english, { backUrl }).html) ?? [];
		expect(link).toBe(href);
	});
});

describe('in a real browser', () => {
	let browser: Browser;
	let current: Page = smallPage(english, { status: 404, requestId: 'r1' });
	const server = Bun.serve({
		port: 0,
		hostname: '127.0.0.1',
		fetch: () => new Response(current.html, { headers: current.headers }),
	});

	beforeAll(async () => {
		browser = await openBrowser();
	});
	afterAll(async () => {
		await browser.close();
		await server.stop(true);
	});

	/** A tab that records errors, requests and dialogs. */
	async function openTab(options: BrowserContextOptions = {}): Promise<{ tab: Tab; noises: string[] }> {
		const tab = await browser.newPage(options);
		const noises: string[] = [];
		tab.on('console', (message) => noises.push(message.text()));
		tab.on('request', (request) => request.url() === server.url.href || noises.push(`loads ${request.url()}`));
		tab.on('dialog', (dialog) => noises.push(`dialog ${dialog.message()}`));
		return { tab, noises };
	}

	async function show(tab: Tab, page: Page): Promise<void> {
		current = page;
		await tab.goto(server.url.href);
	}

	for (const [name, page] of Object.entries(samples)) {
		for (const colorScheme of ['light', 'dark'] as const) {
			test(`${name} is accessible and fits a phone (${colorScheme})`, async () => {
				const viewport = { width: 320, height: 640 };
				const { tab } = await openTab({ colorScheme, viewport, reducedMotion: 'reduce', bypassCSP: true });
				await show(tab, page);
				expect(await findAccessibilityFaults(tab)).toEqual([]);
				expect(await tab.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
				await tab.close();
			});
		}

		test(`${name} has buttons with an outline where the system sets the colours`, async () => {
			const { tab } = await openTab({ forcedColors: 'active' });
			await show(tab, page);
			const buttons = await tab.locator('button, .back a').all();
			const widths = buttons.map((button) => button.evaluate((element) => getComputedStyle(element).borderWidth));
			expect(await Promise.all(widths)).toEqual(buttons.map(() => '1px'));
			await tab.close();
		});

		test(`${name} is styled, loads nothing and breaks no rule of its own policy`, async () => {
			const { tab, noises } = await openTab();
			await show(tab, page);
			expect(await tab.evaluate(() => getComputedStyle(document.body).display)).toBe('flex');
			expect(noises).toEqual([]);
			await tab.close();
		});
	}

	test('nothing that is reflected runs or becomes markup, with the policy switched off', async () => {
		const { tab, noises } = await openTab({ bypassCSP: true });
		for (const payload of PAYLOADS) {
			const pages = [
				thankYouPage(english, { backUrl: payload }),
				thankYouPage(english, { backUrl: `https://a.example/${payload}` }),
				errorPage(english, {
					...rejection,
					message: payload,
					requestId: payload,
					backUrl: `https://a.example/?${payload}`,
					fields: [{ field: payload, code: 'X', message: payload }],
				}),
				help(new URL(`/f/${payload}`, 'https://a.example').href, 'altcha', payload),
				smallPage(english, { status: 404, requestId: payload }),
			];
			for (const page of pages) {
				await show(tab, page);
				expect(await tab.title()).not.toBe('pwned');
				expect(await tab.locator('script, img, [onload], [onerror], a[href^="javascript:" i]').count()).toBe(0);
				expect(await tab.locator('style').count()).toBe(1);
				expect(noises).toEqual([]);
			}
		}
		await tab.close();
	});

	test('the honeypot of the help page stays hidden on a site with a style for inputs', async () => {
		const { tab } = await openTab({ bypassCSP: true });
		await show(tab, help('https://a.example/f/x'));
		const [form = ''] = await tab.locator('pre').allInnerTexts();
		await tab.setContent(`<style>input, textarea { display: block; width: 100% }</style>${form}`);
		expect(await tab.locator('[name=email]').isVisible()).toBe(true);
		expect(await tab.locator('[name=_gotcha]').isVisible()).toBe(false);
		await tab.close();
	});

	test('the snippets of the help page stay whole whatever the address holds', async () => {
		const endpoint = `https://a.example/f/x'"><b>&\`\${1}`;
		const { tab } = await openTab();
		await show(tab, help(endpoint));
		const [form = '', script = '', command = ''] = await tab.locator('pre').allInnerTexts();
		const action = await tab.evaluate((text) => {
			const parsed = new DOMParser().parseFromString(text, 'text/html');
			return [parsed.forms[0]?.getAttribute('action') ?? '', String(parsed.querySelectorAll('b').length)];
		}, form);
		expect(action[1]).toBe('0');
		expect(new URL(action[0] ?? '').host).toBe('a.example');
		expect(script).toContain(`fetch('${action[0]}'`);
		expect(command).toContain(`curl '${action[0]}' `);
		await tab.close();
	});
});
