/** The focus stays where a person puts it: what the page focuses by itself is focused before it is painted. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { createForm, type Dashboard, openDashboard, openServerAndBrowser, submissionsOf } from './dashboard.ts';

setDefaultTimeout(60_000);

const { server, browser } = await openServerAndBrowser();
let dashboard: Dashboard;
beforeAll(async () => {
	dashboard = await openDashboard({ browser, server });
	await dashboard.signIn();
});
afterAll(() => dashboard.close());

/** Clicks on one element, focuses another one as soon as it is there, and says whether it has the focus once all effects have run. */
async function keepsFocus(clicked: string, focused: string): Promise<boolean> {
	await dashboard.page.locator(clicked).waitFor();
	return dashboard.page.evaluate(
		async ([clicked = '', focused = '']) => {
			const find = (selector: string) => document.querySelector<HTMLElement>(selector);
			const shown = new Promise<HTMLElement>((resolve) => {
				const look = () => {
					const element = find(focused);
					if (element) resolve(element);
				};
				new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
			});
			find(clicked)?.click();
			const element = await shown;
			element.focus();
			await new Promise((resolve) =>
				requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve, 100))),
			);
			return document.activeElement === element;
		},
		[clicked, focused],
	);
}

test('in a view that was just opened, and in a dialog', async () => {
	await dashboard.goTo('/audit');
	await dashboard.page.getByRole('heading', { name: 'Audit log', level: 1 }).waitFor();
	expect(await dashboard.page.locator('main .button.primary').count()).toBe(0);
	const inView = await keepsFocus('nav a[href="#/keys"]', 'main .button.primary');
	const inDialog = await keepsFocus('main .button.primary', 'dialog input[type="email"]');
	expect({ inView, inDialog }).toEqual({ inView: true, inDialog: true });
	expect(dashboard.complaints).toEqual([]);
});

test('in a dialog its first input has it, and in a view the main part', async () => {
	const { page, goTo } = dashboard;
	await page.keyboard.press('Escape');
	await goTo('/settings');
	await page.locator('#main:focus').waitFor();
	await goTo('/keys');
	await page.locator('#main:focus').waitFor();
	await page.getByRole('button', { name: 'New key' }).click();
	await page.locator('dialog input:focus').waitFor();
	expect(
		await page
			.locator('dialog input')
			.first()
			.evaluate((input) => input === document.activeElement),
	).toBe(true);
});

test('what is taken away with the focus leaves it where it was', async () => {
	const form = await createForm(server, 'Taken away');
	for (const name of ['Ada', 'Grace']) await server.submit(form.slug, { name });
	const [{ id } = { id: '' }] = await submissionsOf(server, form.id);
	await server.call(`PATCH /api/forms/${form.id}/submissions/${id}`, { json: { labels: ['one', 'two'] } });
	const { page, goTo, complaints } = dashboard;
	const press = async (name: string) => {
		const button = page.getByRole('button', { name, exact: true }).last();
		await button.focus();
		await page.keyboard.press('Enter');
		await button.waitFor({ state: 'detached' });
	};
	const hasFocusIn = (selector: string) =>
		page.waitForFunction((at) => document.querySelector(at)?.contains(document.activeElement), selector);

	await goTo(`/forms/${form.id}/submissions/${id}`);
	await page.reload();
	await press('Remove the label one');
	await hasFocusIn('.label-list');
	await press('Remove the label two');
	await hasFocusIn('.detail-section');

	await goTo(`/forms/${form.id}?filter=unread`);
	await page.locator('summary[aria-label="Views"]').click();
	await page.getByLabel('Name of the view').fill('Mine');
	await press('Save this view');
	await hasFocusIn('.menu-panel');

	await goTo(`/forms/${form.id}`);
	await page.getByLabel('Select Ada').check();
	await press('Mark read');
	await hasFocusIn('.inbox-list');
	await page.getByLabel('Select Ada').check();
	await press('Spam');
	await press('Undo');
	await hasFocusIn('#main');
	expect(complaints).toEqual([]);
});
