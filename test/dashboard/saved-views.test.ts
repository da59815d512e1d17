/** Saved views in a real browser. */

import { expect, setDefaultTimeout, test } from 'bun:test';
import { findAccessibilityFaults } from '../browser.ts';
import { until } from '../until.ts';
import { createFilledForm, openDashboard, openServerAndBrowser, row } from './dashboard.ts';

setDefaultTimeout(60_000);

const { server, browser } = await openServerAndBrowser();

test('a view is saved under a name, opened by others, and removed', async () => {
	const { form, stored } = await createFilledForm(server, 'Views');
	const json = { labels: ['Urgent'] };
	await server.call(`PATCH /api/forms/${form.id}/submissions/${(await stored('Joan')).id}`, { json });
	const views = async () => (await server.call<{ views: object[] }>(`GET /api/forms/${form.id}`)).body.views;
	const { page, signIn, goTo, complaints, close } = await openDashboard({ browser, server });
	await signIn();
	await goTo(`/forms/${form.id}?label=Urgent&filter=unread`);
	await page.getByText('1 found').waitFor();
	const menu = page.locator('summary[aria-label^="View"]');
	await menu.click();
	await page.getByLabel('Name of the view').fill('Urgent <b>ones</b>');
	await page.getByRole('button', { name: 'Save this view' }).click();
	await menu.getByText('Urgent <b>ones</b>').waitFor();
	expect(await views()).toEqual([{ name: 'Urgent <b>ones</b>', query: 'filter=unread&label=Urgent' }]);
	expect(await findAccessibilityFaults(page)).toEqual([]);

	const reader = await openDashboard({ browser, server });
	await reader.signIn(await server.createKey({ permissions: ['read'] }));
	await reader.goTo(`/forms/${form.id}`);
	await row(reader.page, 'Ada').waitFor();
	await reader.page.locator('summary[aria-label^="View"]').click();
	await reader.page.getByRole('link', { name: 'Urgent <b>ones</b>' }).click();
	await reader.page.getByText('1 found').waitFor();
	expect(await reader.page.getByRole('button', { name: /Remove the view/ }).count()).toBe(0);
	await reader.close();

	await page.getByRole('button', { name: 'Remove the view Urgent <b>ones</b>' }).click();
	await until(async () => (await views()).length === 0);
	expect(complaints).toEqual([]);
	await close();
});

test('views that two people save at once are both kept', async () => {
	const { form } = await createFilledForm(server, 'Saved by two');
	const views = async () =>
		(await server.call<{ views: { name: string }[] }>(`GET /api/forms/${form.id}`)).body.views.map(({ name }) => name);
	const theirs = { name: 'Theirs', query: 'filter=unread' };
	const { page, signIn, goTo, close } = await openDashboard({ browser, server });
	await page.route(/\/api\/events$/, (route) => route.abort());
	await signIn();
	await goTo(`/forms/${form.id}?order=asc`);
	await row(page, 'Ada').waitFor();
	await server.call(`PATCH /api/forms/${form.id}`, { json: { views: [theirs] } });
	await page.locator('summary[aria-label="Views"]').click();
	await page.getByLabel('Name of the view').fill('Mine');
	await page.keyboard.press('Enter');
	await page.getByRole('link', { name: 'Theirs' }).waitFor();
	await until(async () => (await views()).includes('Mine'));
	expect(await views()).toEqual(['Theirs', 'Mine']);
	await server.call(`PATCH /api/forms/${form.id}`, {
		json: { views: [theirs, { name: 'Mine', query: 'order=asc' }, { name: 'Later', query: 'filter=starred' }] },
	});
	await page.getByRole('button', { name: 'Remove the view Mine' }).click();
	await until(async () => !(await views()).includes('Mine'));
	expect(await views()).toEqual(['Theirs', 'Later']);
	await close();
});
