/** The whole story in a real browser, against the binary: from the set-up link to the sign-out. */

import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { type RunningBinary, runBinary, startBinary } from '../binary.ts';
import { findAccessibilityFaults, openBrowser } from '../browser.ts';
import { openSite } from '../site.ts';

const SCREENS = [
	{ name: 'desktop, light', width: 1280, height: 800, colorScheme: 'light' },
	{ name: 'desktop, dark', width: 1280, height: 800, colorScheme: 'dark' },
	{ name: 'phone, light', width: 390, height: 800, colorScheme: 'light' },
	{ name: 'phone, dark', width: 390, height: 800, colorScheme: 'dark' },
] as const;

const cwd = mkdtempSync(join(tmpdir(), 'formsrv-story-'));
const server: RunningBinary = await startBinary({ cwd });
const browser: Browser = await openBrowser();
const site = openSite();
afterAll(async () => {
	await browser.close();
	await site.close();
	await server.end('SIGTERM');
	rmSync(cwd, { recursive: true, force: true });
});

/** What a page must never do: complain, break the policy, or ask another host. */
function watch(page: Page): string[] {
	const faults: string[] = [];
	page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
	page.on('console', (message) => {
		if (['error', 'warning'].includes(message.type())) faults.push(`console: ${message.text()}`);
	});
	page.on('request', (request) => {
		const { origin, protocol } = new URL(request.url());
		if (origin !== server.baseUrl && !['data:', 'blob:'].includes(protocol)) faults.push(`request: ${request.url()}`);
	});
	return faults;
}

async function signIn(context: BrowserContext): Promise<Page> {
	const made = await runBinary(['dashboard-link'], { cwd, env: { FORMSRV_BASE_URL: server.baseUrl } });
	expect(made.code).toBe(0);
	const page = await context.newPage();
	await page.goto(made.stdout.trim());
	await page.getByRole('heading', { name: 'Forms', level: 1 }).waitFor();
	return page;
}

/** Submits the snippet, as a visitor of another website. */
async function submitAsVisitor(snippet: string, values: Record<string, string>): Promise<string> {
	site.setPage(snippet);
	const visitor = await browser.newPage();
	await visitor.goto(site.url);
	for (const [name, value] of Object.entries(values)) await visitor.locator(`[name="${name}"]`).fill(value);
	await visitor.getByRole('button').click();
	await visitor.waitForURL(/thanks/);
	const heading = (await visitor.getByRole('heading', { level: 1 }).textContent()) ?? '';
	await visitor.close();
	return heading;
}

test('a person sets up, connects a website, reads, sorts, searches, exports, makes a key and leaves', async () => {
	const context = await browser.newContext({ acceptDownloads: true, viewport: { width: 1280, height: 800 } });
	const page = await signIn(context);
	const faults = watch(page);

	await page.getByLabel('Name of the new form').fill('Contact');
	await page.getByRole('button', { name: 'Create form' }).click();
	const code = page.locator('pre').first();
	await code.waitFor();
	const snippet = (await code.textContent()) ?? '';
	expect(snippet).toContain(`action="${server.submitUrl}/f/contact-`);
	expect(snippet).toContain('_gotcha');

	await page.getByRole('link', { name: 'Inbox' }).click();
	const rows = page.locator('.submissions-table tbody tr');
	for (const [name, message] of [
		['Ada', 'Do you build analytical engines?'],
		['Grace', '=1+1 is a formula'],
		['Spammer', 'Buy now'],
	] as const) {
		expect(await submitAsVisitor(snippet, { name, email: `${name.toLowerCase()}@example.com`, message })).toBe(
			'Thank you',
		);
		// Arrives while the page stands open, without a reload.
		await rows.filter({ hasText: name }).waitFor({ timeout: 10_000 });
	}

	await page.getByRole('link', { name: /Ada/ }).click();
	const detail = page.getByRole('article', { name: 'Submission' });
	await detail.getByText('Do you build analytical engines?').waitFor();
	await page.keyboard.press('s');
	await page.keyboard.press('Escape');
	await page.getByRole('link', { name: /Spammer/ }).click();
	await detail.getByText('Buy now').waitFor();
	await page.keyboard.press('!');
	await page.getByRole('link', { name: /^Starred/ }).click();
	await rows.filter({ hasText: 'Ada' }).waitFor();
	expect(await rows.count()).toBe(1);
	await page.getByRole('link', { name: /^Spam/ }).click();
	await rows.filter({ hasText: 'Spammer' }).waitFor();
	expect(await rows.count()).toBe(1);

	await page.getByRole('link', { name: /^All \d/ }).click();
	await rows.filter({ hasText: 'Grace' }).waitFor();
	await page.keyboard.press('/');
	await page.keyboard.type('analytical');
	await rows.filter({ hasText: 'Grace' }).waitFor({ state: 'detached' });
	expect(await rows.count()).toBe(1);
	await page.getByLabel('Search submissions').fill('');
	await rows.filter({ hasText: 'Grace' }).waitFor();

	await page.getByRole('button', { name: 'Export' }).click();
	const dialog = page.getByRole('dialog');
	const download = page.waitForEvent('download');
	await dialog.getByRole('button', { name: 'Export', exact: true }).click();
	const csv = readFileSync(await (await download).path(), 'utf8');
	expect(csv).toContain('Do you build analytical engines?');
	expect(csv).toContain("'=1+1 is a formula");
	expect(csv).not.toContain('Buy now');

	await page.getByRole('link', { name: 'API keys' }).click();
	await page.getByRole('button', { name: 'New key' }).first().click();
	await dialog.getByLabel('Name').fill('Website build');
	await dialog.getByRole('button', { name: 'Create key' }).click();
	const key = (await page.getByText(/^sk_live_[0-9A-Za-z]{38}$/).textContent()) ?? '';
	const answer = await fetch(`${server.baseUrl}/api/forms`, { headers: { Authorization: `Bearer ${key}` } });
	expect(answer.status).toBe(200);
	expect(await answer.json()).toMatchObject({ forms: [{ name: 'Contact', submissionCount: 2, spamCount: 1 }] });

	await page.keyboard.press('Escape');
	await page.getByRole('button', { name: 'Sign out' }).click();
	await page.getByLabel('API key or set-up link').waitFor();
	expect((await page.request.get(`${server.baseUrl}/api/session`)).status()).toBe(401);
	expect(faults).toEqual([]);
	await context.close();
}, 90_000);

test.each(SCREENS)(
	'every view is accessible, quiet and keeps to itself: $name',
	async ({ width, height, colorScheme }) => {
		const context = await browser.newContext({ viewport: { width, height }, colorScheme, reducedMotion: 'reduce' });
		const page = await signIn(context);
		const faults = watch(page);
		const { forms } = (await (await page.request.get(`${server.baseUrl}/api/forms`)).json()) as {
			forms: { id: string }[];
		};
		const form = forms[0]?.id;
		const list = await page.request.get(`${server.baseUrl}/api/forms/${form}/submissions`);
		const { submissions } = (await list.json()) as { submissions: { id: string }[] };
		const views = [
			'forms',
			`forms/${form}`,
			`forms/${form}/connect`,
			`forms/${form}/settings`,
			'keys',
			'deliveries',
			'settings',
		];
		for (const view of [...views, `forms/${form}/submissions/${submissions[0]?.id}`]) {
			await page.goto(`${server.baseUrl}/#/${view}`);
			await page.getByRole('heading').first().waitFor();
			await page.waitForLoadState('networkidle');
			expect({ view, faults: await findAccessibilityFaults(page) }).toEqual({ view, faults: [] });
			const overflow = await page.evaluate(
				() => document.documentElement.scrollWidth - document.documentElement.clientWidth,
			);
			expect({ view, overflow }).toEqual({ view, overflow: 0 });
		}
		expect(faults).toEqual([]);
		await context.close();
	},
	90_000,
);
