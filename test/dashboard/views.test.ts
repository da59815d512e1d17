/** Every view of the dashboard as axe, the policy, and a phone see it; in a real browser. */

import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { ShownFile } from '../../src/files/present-file.ts';
import { findAccessibilityFaults, finishAnimations } from '../browser.ts';
import { attach, setScan } from '../submissions/files/attached.ts';
import { createForm, DESKTOP, openDashboard, openServerAndBrowser, PHONE, submissionsOf } from './dashboard.ts';
import { PNG } from './pictures.ts';

setDefaultTimeout(90_000);

const SCREENS = [
	['a desktop', DESKTOP],
	['a phone', PHONE],
] as const;

const { server, browser } = await openServerAndBrowser();

/** Returns the findings of axe, and how far elements stick out of the page, which never scrolls as a whole. Dark differs from light by its colours alone. */
async function faultsOf(page: Page, view: string): Promise<string[]> {
	const faults = await findAccessibilityFaults(page);
	const { width, height } = await page.evaluate(() => {
		const { scrollWidth, scrollHeight } = document.documentElement;
		return { width: scrollWidth - innerWidth, height: scrollHeight - innerHeight };
	});
	if (width > 0) faults.push(`${width} px too wide`);
	if (height > 0) faults.push(`${height} px too high`);
	const light = await backgroundOf(page);
	await page.emulateMedia({ colorScheme: 'dark' });
	if ((await backgroundOf(page)) === light) faults.push('the same in the dark');
	faults.push(...(await findAccessibilityFaults(page, ['color-contrast'])).map((fault) => `dark: ${fault}`));
	await page.emulateMedia({ colorScheme: 'light' });
	return faults.map((fault) => `${view}: ${fault}`);
}

/** Once its colours have changed to those that it is to have. */
async function backgroundOf(page: Page): Promise<string> {
	await finishAnimations(page);
	return page.evaluate(() => getComputedStyle(document.body).backgroundColor);
}

/** A form with everything that the views can show, and the hash of each view with a text that says it is there. */
async function prepareViews(): Promise<[view: string, hash: string, sign: string][]> {
	const form = await createForm(server, 'Every view');
	for (const slug of [`${form.slug}-2`, `${form.slug}-3`]) {
		const json = { slug, notificationEmail: 'owner@example.com' };
		await server.call(`PATCH /api/forms/${form.id}`, { json });
	}
	const context = { page: true, utm: true, address: 'network', agent: true };
	const bounds = { opensAt: '2026-01-01T09:00:00Z', closesAt: '2126-01-01T09:00:30Z', maxSubmissions: 5000 };
	await server.call(`PATCH /api/forms/${form.id}`, { json: { context, ...bounds, aliases: ['basin'] } });
	await server.call(`POST /api/forms/${form.id}/webhooks`, { json: { url: 'https://hooks.example.com/formsrv' } });
	await server.submit(form.slug, { name: 'Ada', message: 'Hello', more: { nested: ['a', 1] }, list: ['a', 'b'] });
	await server.submit(form.slug, { name: 'Bot', _gotcha: 'x' });
	const [submission] = await submissionsOf(server, form.id);
	const [spam] = await submissionsOf(server, form.id, '?filter=spam');
	const { body } = await server.call<{ deliveries: { id: string; channel: string }[] }>('GET /api/deliveries');
	const mail = body.deliveries.find(({ channel }) => channel === 'mail');
	const png = new File([PNG], 'holiday.png', { type: 'image/png' });
	const attached = await attach(server, [png, new File(['MZ'], 'invoice.pdf.exe')], { slug: `${form.slug}-3` });
	for (const [at, scan] of (['clean', 'infected'] as const).entries()) {
		await setScan(server, attached.files[at] as ShownFile, scan);
	}
	const home = `/forms/${form.id}`;
	return [
		['forms', '/', 'Every view'],
		['inbox', home, 'Ada'],
		['empty search', `${home}?search=nothinghasthis`, 'Nothing found'],
		['empty filter', `${home}?filter=starred`, 'Nothing starred'],
		['submission', `${home}/submissions/${submission?.id}`, '127.0.0.0/24'],
		['spam', `${home}/submissions/${spam?.id}?filter=spam`, 'honeypot'],
		['files', `${home}/submissions/${attached.submissionId}`, 'found something in this file'],
		['connect', `${home}/connect`, 'Send a test submission'],
		['form settings', `${home}/settings`, 'hooks.example.com'],
		['deliveries', '/deliveries', 'owner@example.com'],
		['delivery', `/deliveries/${mail?.id}`, 'New submission'],
		['audit log', '/audit', 'Create webhook'],
		['empty audit log', '/audit?action=restore', 'No entries'],
		['keys', '/keys', 'Active'],
		['server', '/settings', 'FORMSRV_PORT'],
		['not found', '/nowhere', 'nothing at this address'],
	];
}

describe('every view', () => {
	test.each(SCREENS)(
		'has no fault that axe finds, light and dark, keeps its width, and breaks no policy, on %s',
		async (_, viewport) => {
			const views = await prepareViews();
			const { page, signIn, goTo, complaints, close } = await openDashboard({ browser, server, viewport });
			const faults: string[] = [];
			await goTo('/');
			await page.getByRole('heading', { name: 'Sign in' }).waitFor();
			faults.push(...(await faultsOf(page, 'sign-in')));
			await signIn();
			for (const [view, hash, sign] of views) {
				await goTo(hash);
				await page.getByText(sign).filter({ visible: true }).first().waitFor();
				faults.push(...(await faultsOf(page, view)));
			}
			expect(faults).toEqual([]);
			expect(complaints).toEqual([]);
			await close();
		},
	);

	test.each(SCREENS)('has none while it marks a submission that has just arrived, on %s', async (_, viewport) => {
		const form = await createForm(server, 'Just arrived');
		await server.submit(form.slug, { name: 'Ada' });
		const { page, signIn, goTo, close } = await openDashboard({ browser, server, viewport });
		await signIn();
		await goTo(`/forms/${form.id}`);
		await page.getByText('Ada').filter({ visible: true }).first().waitFor();
		await page.evaluate(() => {
			const still = new CSSStyleSheet();
			still.replaceSync('* { animation-play-state: paused !important }');
			document.adoptedStyleSheets = [still];
		});
		await server.submit(form.slug, { name: 'Grace' });
		await page.getByText('Grace').filter({ visible: true }).first().waitFor();
		expect(await page.evaluate(() => document.getAnimations().length)).toBe(1);
		expect(await faultsOf(page, 'inbox')).toEqual([]);
		await close();
	});

	test.each(SCREENS)('is printed whole, dark on white, from %s', async (_, viewport) => {
		const form = await createForm(server, 'On paper');
		const fields = Array.from({ length: 80 }, (__, i) => [`field ${i}`, `value ${i}`]);
		await server.submit(form.slug, Object.fromEntries(fields));
		const [submission] = await submissionsOf(server, form.id);
		const { page, signIn, goTo, close } = await openDashboard({ browser, server, viewport, colorScheme: 'dark' });
		await signIn();
		await goTo(`/forms/${form.id}/submissions/${submission?.id}`);
		await page.getByText('value 79').waitFor();
		await page.emulateMedia({ media: 'print' });
		const last = await page.getByText('value 79').boundingBox();
		const { height, color } = await page.evaluate(() => ({
			height: document.documentElement.scrollHeight,
			color: getComputedStyle(document.body).color,
		}));
		// Only what the document itself has room for gets on further sheets.
		expect(last?.y).toBeLessThan(height);
		expect(color).toBe('rgb(29, 33, 31)');
		expect(await page.getByRole('navigation', { name: 'Filter' }).isVisible()).toBe(false);
		await close();
	});

	test('is printed with all of what scrolls on a screen', async () => {
		const form = await createForm(server, 'Long on paper');
		await server.submit(form.slug, { nested: { long: 'x'.repeat(500) } });
		const [{ id } = { id: '' }] = await submissionsOf(server, form.id);
		const note = 'A line.\n'.repeat(20).trim();
		await server.call(`PATCH /api/forms/${form.id}/submissions/${id}`, { json: { note } });
		const { page, signIn, goTo, close } = await openDashboard({ browser, server });
		await signIn();
		await goTo(`/forms/${form.id}/submissions/${id}`);
		await page.locator('.code pre').waitFor();
		await page.emulateMedia({ media: 'print' });
		for (const element of [page.locator('.code'), page.getByLabel('Note', { exact: true })]) {
			const cut = await element.evaluate((at) => [at.scrollWidth - at.clientWidth, at.scrollHeight - at.clientHeight]);
			expect(cut).toEqual([0, 0]);
		}
		await close();
	});

	test('shows what is current in the few colours that a person has chosen', async () => {
		const form = await createForm(server, 'Contrast');
		const { page, signIn, goTo, close } = await openDashboard({ browser, server });
		await page.emulateMedia({ forcedColors: 'active' });
		await signIn();
		await goTo(`/forms/${form.id}`);
		const looks = (selector: string) =>
			page.locator(selector).evaluateAll((all) =>
				all.map((one) => {
					const { borderBottomColor, outlineStyle } = getComputedStyle(one);
					return `${borderBottomColor} ${outlineStyle}`;
				}),
			);
		await page.locator('.filters a').first().waitFor();
		for (const selector of ['.tabs a', '.filters a']) {
			const [current, ...others] = await looks(selector);
			expect(others).not.toContain(current);
		}
		await close();
	});

	test.each(SCREENS)('opens its dialogs without a fault, on %s', async (_, viewport) => {
		const form = await createForm(server, 'Dialogs');
		await server.call('POST /api/session', { key: null, json: { key: server.adminKey } });
		await server.submit(form.slug, { name: 'Ada' });
		const { page, signIn, goTo, complaints, close } = await openDashboard({ browser, server, viewport });
		const faults: string[] = [];
		await signIn();
		const dialogs: [hash: string, button: string][] = [
			['/keys', 'New key'],
			[`/forms/${form.id}`, 'Export'],
			[`/forms/${form.id}/settings`, 'Delete form…'],
			['/settings', 'End all others…'],
		];
		for (const [hash, button] of dialogs) {
			await goTo(hash);
			await page.getByRole('button', { name: button }).click();
			await page.getByRole('dialog').waitFor();
			faults.push(...(await faultsOf(page, button)));
			await page.keyboard.press('Escape');
			await page.getByRole('dialog').waitFor({ state: 'detached' });
		}
		await page.keyboard.press('?');
		await page.getByRole('dialog').waitFor();
		faults.push(...(await faultsOf(page, 'shortcuts')));
		expect(faults).toEqual([]);
		expect(complaints).toEqual([]);
		await close();
	});
});
