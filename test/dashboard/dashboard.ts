/** The dashboard in a real Chromium for tests: opened, signed in, and watched for everything it should not do. */

import { afterAll } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '../browser.ts';
import { openTestServer, type TestServer } from '../server.ts';

export const DESKTOP = { width: 1280, height: 800 };
export const PHONE = { width: 390, height: 844 };

export interface DashboardOptions {
	browser: Browser;
	/** Its address, and a key to sign in with unless a test brings its own. */
	server: { baseUrl: string; adminKey?: string };
	viewport?: typeof DESKTOP;
	colorScheme?: 'light' | 'dark';
}

export interface Dashboard {
	page: Page;
	/** Errors in the console, broken policies, requests to other hosts. */
	complaints: string[];
	signIn: (key?: string) => Promise<void>;
	/** Goes to a view by its hash, such as `/keys`. */
	goTo: (hash: string) => Promise<void>;
	close: () => Promise<void>;
}

/** A server and a browser for the tests of a file, closed after them. */
export async function openServerAndBrowser(options?: Parameters<typeof openTestServer>[0]) {
	const [server, browser] = await Promise.all([openTestServer(options), openBrowser()]);
	afterAll(async () => {
		await browser.close();
		await server.close();
	});
	return { server, browser };
}

export async function openDashboard({ browser, server, viewport = DESKTOP, colorScheme = 'light' }: DashboardOptions) {
	const context = await browser.newContext({ viewport, colorScheme, acceptDownloads: true });
	const page = await context.newPage();
	page.setDefaultTimeout(10_000);
	const complaints: string[] = [];
	page.on('pageerror', (error) => complaints.push(String(error)));
	page.on('console', (message) => {
		if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
	});
	page.on('request', (request) => {
		const { origin, protocol } = new URL(request.url());
		if (origin !== server.baseUrl && !['blob:', 'data:'].includes(protocol)) complaints.push(request.url());
	});
	return {
		page,
		complaints,
		async signIn(key = server.adminKey ?? '') {
			await page.goto(server.baseUrl);
			const field = page.getByLabel('API key or set');
			await field.fill(key);
			await page.keyboard.press('Enter');
			await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
			await field.waitFor({ state: 'detached' });
			await settled(page);
		},
		async goTo(hash) {
			await page.goto(`${server.baseUrl}/#${hash}`);
		},
		close: () => context.close(),
	} satisfies Dashboard;
}

/** Resolves once what was just shown also listens: its effects run after it was painted. */
async function settled(page: Page): Promise<void> {
	await page.evaluate(
		() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve, 0)))),
	);
}

/** Returns traces of harm in a page: a mark of a script that ran, an element that only hostile content could have made. */
export async function harmIn(page: Page): Promise<string[]> {
	return page.evaluate(() => {
		const own = 'svg.icon, svg.sparkline, svg.icon *, svg.sparkline *';
		const suspects = document.body.querySelectorAll(
			'script, img, svg, iframe:not([sandbox=""]), object, embed, video, math, style, link, meta, base, [onerror], [onload]',
		);
		const elements = [...suspects].filter((element) => !element.matches(own)).map((element) => element.outerHTML);
		return 'pwned' in window ? ['pwned', ...elements] : elements;
	});
}

export interface Made {
	id: string;
	slug: string;
}

export const createForm = (server: TestServer, name: string) => server.createForm<Made>({ name });

/** A submission, as tests of what owners do to it see it. */
export interface Stored {
	id: string;
	data: { name: string };
	isArchived: boolean;
	labels: string[];
	note: string | null;
}

/** A form with three submissions, and what is stored of each by the name in it. */
export async function createFilledForm(server: TestServer, name: string) {
	const form = await createForm(server, name);
	for (const visitor of ['Ada', 'Grace', 'Joan']) await server.submit(form.slug, { name: visitor, text: 'Hello' });
	const list = async () =>
		(await server.call<{ submissions: Stored[] }>(`GET /api/forms/${form.id}/submissions`)).body.submissions;
	const stored = async (visitor: string) => (await list()).find(({ data }) => data.name === visitor) as Stored;
	return { form, stored };
}

export async function submissionsOf(server: TestServer, form: string, query = '') {
	const answer = await server.call<{ submissions: { id: string; isRead: boolean; spamScore: number }[] }>(
		`GET /api/forms/${form}/submissions${query}`,
	);
	return answer.body.submissions;
}

export const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

/** Accepts every question of the browser itself. Returns their types, which fill up as it asks. */
export function acceptDialogs(page: Page): string[] {
	const asked: string[] = [];
	page.on('dialog', (dialog) => {
		asked.push(dialog.type());
		return dialog.accept();
	});
	return asked;
}
