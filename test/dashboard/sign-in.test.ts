/** Signing in to the dashboard in a real browser, by link and by key, under the policy that the page comes with. */

import { afterEach, beforeEach, expect, test } from 'bun:test';
import type { BrowserContext, Page } from 'playwright-core';
import { setupLink } from '../../src/cli/dashboard-link.ts';
import { openServerAndBrowser } from './dashboard.ts';

const { server, browser } = await openServerAndBrowser();
let context: BrowserContext;
let page: Page;
let faults: string[];

beforeEach(async () => {
	faults = [];
	context = await browser.newContext();
	page = await context.newPage();
	page.on('pageerror', (error) => faults.push(error.message));
	page.on('console', (message) => {
		if (['error', 'warning'].includes(message.type())) faults.push(message.text());
	});
	page.on('request', (request) => {
		if (new URL(request.url()).origin !== server.baseUrl) faults.push(`asked ${request.url()}`);
	});
});
afterEach(() => context.close());

const heading = (name: string) => page.getByRole('heading', { name, level: 1, exact: true });

test('a link signs in, for good, and leaves nothing in the address', async () => {
	await page.goto(setupLink(server.baseUrl, await server.app.sessions.createLink()));
	await heading('Forms').waitFor();
	expect(page.url()).not.toContain('setup');
	const [cookie] = await context.cookies();
	expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' });
	expect(await page.evaluate(() => `${document.cookie}${JSON.stringify(localStorage)}`)).not.toContain(
		`${cookie?.value}`,
	);
	await page.reload();
	await heading('Forms').waitFor();
	for (const [link, title] of [
		['#/keys', 'API keys'],
		['#/settings', 'Server'],
		['#/deliveries', 'Deliveries'],
	] as const) {
		await page.goto(`${server.baseUrl}/${link}`);
		await heading(title).waitFor();
	}
	expect(faults).toEqual([]);
});

test('tabs share the session: its mode, its end and the next one', async () => {
	const other = await context.newPage();
	const modeOf = (tab: Page, mode: string) => tab.locator(`.shell.${mode}`).waitFor();
	await page.goto(setupLink(server.baseUrl, await server.app.sessions.createLink()));
	await modeOf(page, 'live');
	await other.goto(server.baseUrl);
	await modeOf(other, 'live');
	await page.locator('label:visible', { hasText: 'Test' }).click();
	await modeOf(page, 'test');
	await modeOf(other, 'test');
	await other.getByText('No test forms yet').waitFor();
	await page.getByRole('button', { name: 'Sign out' }).click();
	await other.getByLabel('API key or setup link').fill(server.adminKey);
	await other.keyboard.press('Enter');
	await modeOf(other, 'live');
	await modeOf(page, 'live');
	expect(faults).toEqual([]);
});

test('a key signs in, and signing out ends it on the server, too', async () => {
	await page.goto(server.baseUrl);
	await page.getByLabel('API key or setup link').fill(server.adminKey);
	await page.getByRole('button', { name: 'Sign in' }).click();
	await heading('Forms').waitFor();
	const [cookie] = await context.cookies();
	await page.getByRole('button', { name: 'Sign out' }).first().click();
	await page.getByText('You have signed out.').waitFor();
	expect(await context.cookies()).toEqual([]);
	const headers = { Cookie: `${cookie?.name}=${cookie?.value}` };
	expect((await server.call('GET /api/session', { key: null, headers })).status).toBe(401);
	expect(faults).toEqual([]);
});

test('a link that was used says so', async () => {
	const link = setupLink(server.baseUrl, await server.app.sessions.createLink());
	await page.goto(link);
	await heading('Forms').waitFor();
	const visitor = await browser.newContext();
	const other = await visitor.newPage();
	await other.goto(link);
	await other.getByText('This key or link is not known here').waitFor();
	await visitor.close();
});
