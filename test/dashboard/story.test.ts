/** The whole story in a real browser, against the binary: from the setup link to the sign-out. */

import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { type RunningBinary, runBinary, startBinary } from '../binary.ts';
import { openBrowser } from '../browser.ts';
import { databaseSettings } from '../engine.ts';
import { openSite } from '../site.ts';
import { until } from '../until.ts';
import { openDashboard } from './dashboard.ts';

const cwd = mkdtempSync(join(tmpdir(), 'formsrv-story-'));
const database = await databaseSettings(cwd);
const server: RunningBinary = await startBinary({ cwd, env: database });
const browser: Browser = await openBrowser();
const site = openSite();
afterAll(async () => {
	await browser.close();
	await site.close();
	await server.end('SIGTERM');
	rmSync(cwd, { recursive: true, force: true });
});

async function setupLink(): Promise<string> {
	const env = { ...database, FORMSRV_BASE_URL: server.baseUrl };
	const { stdout, code } = await runBinary(['dashboard-link'], { cwd, env });
	expect(code).toBe(0);
	return stdout.trim();
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
	const { page, complaints, close } = await openDashboard({ browser, server });
	await page.goto(await setupLink());

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
	await rows.filter({ hasText: 'Grace' }).waitFor({ state: 'detached' });
	expect(await rows.allTextContents()).toEqual([expect.stringContaining('Ada')]);
	await page.getByRole('link', { name: /^Spam/ }).click();
	await rows.filter({ hasText: 'Ada' }).waitFor({ state: 'detached' });
	await rows.filter({ hasText: 'Spammer' }).waitFor();
	expect(await rows.count()).toBe(1);

	await page.getByRole('link', { name: /^All \d/ }).click();
	await rows.filter({ hasText: 'Grace' }).waitFor();
	const formId = /forms\/([^/?]+)/.exec(page.url())?.[1];
	const isFound = async () => {
		const found = await page.request.get(`${server.baseUrl}/api/forms/${formId}/submissions?search=analytical`);
		return ((await found.json()) as { pagination: { total: number } }).pagination.total === 1;
	};
	// The search follows what is stored a moment later.
	await until(isFound);
	await page.keyboard.press('/');
	await page.keyboard.type('analytical');
	await rows.filter({ hasText: 'Grace' }).waitFor({ state: 'detached' });
	await rows.filter({ hasText: 'Ada' }).waitFor();
	expect(await rows.count()).toBe(1);
	await page.getByLabel('Search submissions').fill('');
	await rows.filter({ hasText: 'Grace' }).waitFor();

	const dialog = page.getByRole('dialog');
	const exportFile = async (isGuarded: boolean) => {
		await page.getByRole('button', { name: 'Export' }).click();
		await dialog.getByLabel('Guard against formulas').setChecked(isGuarded);
		const download = page.waitForEvent('download');
		await dialog.getByRole('button', { name: 'Export', exact: true }).click();
		const text = readFileSync(await (await download).path(), 'utf8');
		await dialog.waitFor({ state: 'detached' });
		return text;
	};
	expect(await exportFile(false)).toContain('"=1+1 is a formula');
	const csv = await exportFile(true);
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
	const { forms } = (await answer.json()) as { forms: object[] };
	expect(forms[0]).toMatchObject({ name: 'Contact', submissionCount: 2, spamCount: 1 });

	await page.getByRole('button', { name: 'I have stored it' }).click();
	await page.getByRole('button', { name: 'Sign out' }).click();
	await page.getByLabel('API key or setup link').waitFor();
	expect((await page.request.get(`${server.baseUrl}/api/session`)).status()).toBe(401);
	expect(complaints).toEqual([]);
	await close();
}, 90_000);
