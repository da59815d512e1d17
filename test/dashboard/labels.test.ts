/** Where people read a field's name in the dashboard, they read the label of its rule. */

import { expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { findAccessibilityFaults } from '../browser.ts';
import { createForm, DESKTOP, openDashboard, openServerAndBrowser, PHONE } from './dashboard.ts';

setDefaultTimeout(60_000);

const { server, browser } = await openServerAndBrowser();

const form = await createForm(server, 'Labels');
await server.app.forms.update(form.id, {
	input: {
		fields: [
			{ name: 'f1', type: 'email', label: 'Your <b>e-mail</b>' },
			{ name: 'f2', type: 'text', label: 'Same' },
			{ name: 'f3', type: 'text', label: 'Same' },
		],
	},
});
await server.submit(form.slug, { f1: 'ada@example.org', f2: 'two', f3: 'three', extra: 'four', '': 'five' });
const LABELS = ['Your <b>e-mail</b>', 'Same (f2)', 'Same (f3)', 'extra', '(empty name)'];

test('in the table, its menu of columns, a submission and the export', async () => {
	const { page, signIn, goTo, complaints, close } = await openDashboard({ browser, server });
	await signIn();
	await goTo(`/forms/${form.id}`);
	await page.locator('.submissions-table tbody tr').waitFor();
	const heads = page.locator('.submissions-table thead th bdi');
	expect(await heads.allTextContents()).toEqual(LABELS.slice(0, 4));
	await page.getByLabel('Columns').click();
	await page.locator('.checks bdi').first().waitFor();
	expect(await page.locator('.checks bdi').allTextContents()).toEqual(LABELS);
	await page.keyboard.press('Escape');
	await page.getByRole('button', { name: 'Export' }).click();
	const columns = page.getByRole('group', { name: 'Columns' });
	await columns.waitFor();
	expect((await columns.locator('label').allTextContents()).slice(0, 6)).toEqual([...LABELS, 'Received']);
	await page.getByRole('button', { name: 'Cancel' }).click();
	await page.locator('.row-link').click();
	const detail = page.getByRole('article', { name: 'Submission' });
	await detail.getByText('five').waitFor();
	expect(await detail.locator('.fields dt').allTextContents()).toEqual(LABELS);
	await detail.getByRole('button', { name: 'Copy “Same (f2)”' }).waitFor();
	expect(complaints).toEqual([]);
	await close();
});

test('an export has the columns that are ticked: at first the fields and the time', async () => {
	const { page, signIn, goTo, complaints, close } = await openDashboard({ browser, server });
	await signIn();
	await goTo(`/forms/${form.id}`);
	await page.locator('.submissions-table tbody tr').waitFor();
	const dialog = page.getByRole('dialog');
	const header = async () => {
		const download = page.waitForEvent('download');
		await dialog.getByRole('button', { name: 'Export', exact: true }).click();
		const text = readFileSync(await (await download).path(), 'utf8');
		await dialog.waitFor({ state: 'detached' });
		await page.getByRole('button', { name: 'Export' }).click();
		return text.slice(1).split('\r\n')[0];
	};
	await page.getByRole('button', { name: 'Export' }).click();
	expect(await header()).toBe('f1,f2,f3,extra,,createdAt');
	await dialog.getByLabel('Same (f2)').uncheck();
	await dialog.getByLabel('(empty name)').uncheck();
	await dialog.getByLabel('Spam score').check();
	expect(await header()).toBe('f1,f3,extra,createdAt,spamScore');
	for (const label of [...LABELS, 'Received']) await dialog.getByLabel(label, { exact: true }).uncheck();
	await dialog.getByRole('button', { name: 'Export', exact: true, disabled: true }).waitFor();
	expect(complaints).toEqual([]);
	await close();
});

test('an export offers the fields beyond the listed ones, if there are any', async () => {
	const many = await createForm(server, 'Very many fields');
	for (let part = 0; part < 3; part++) {
		const names = Array.from({ length: 700 }, (_, at) => [`n${part * 700 + at}`, 'x'] as const);
		expect((await server.submit(many.slug, Object.fromEntries(names))).status).toBe(200);
	}
	const { page, signIn, goTo, close } = await openDashboard({ browser, server });
	await signIn();
	await goTo(`/forms/${many.id}`);
	await page.locator('.submissions-table tbody tr').first().waitFor();
	await page.getByRole('button', { name: 'Export' }).click();
	const dialog = page.getByRole('dialog');
	const beyond = dialog.getByLabel('Fields beyond these 2,000');
	expect(await beyond.isChecked()).toBe(true);
	const address = () => dialog.getByRole('link', { name: 'Download without progress' }).getAttribute('href');
	expect(await address()).toContain('columns=data%2CcreatedAt');
	await dialog.getByLabel('n0', { exact: true }).uncheck();
	expect(await address()).toMatch(/columns=data\.n1%2C.*%2CotherFields%2CcreatedAt/);
	await dialog.getByRole('button', { name: 'Cancel' }).click();

	await goTo(`/forms/${form.id}`);
	await page.locator('.submissions-table tbody tr').first().waitFor();
	await page.getByRole('button', { name: 'Export' }).click();
	await dialog.getByLabel('Received').waitFor();
	expect(await beyond.count()).toBe(0);
	await close();
});

test('not for a form-level key, which cannot read the rules', async () => {
	const { page, signIn, close } = await openDashboard({ browser, server });
	await signIn(await server.createKey({ form: form.id }));
	await page.locator('.submissions-table thead th bdi').first().waitFor();
	expect(await page.locator('.submissions-table thead th bdi').first().textContent()).toBe('f1');
	await close();
});

test.each([
	['wide and light', DESKTOP, 'light'],
	['narrow and dark', PHONE, 'dark'],
] as const)('and the export’s dialog is accessible, %s', async (_, viewport, colorScheme) => {
	const { page, signIn, goTo, close } = await openDashboard({ browser, server, viewport, colorScheme });
	await signIn();
	await goTo(`/forms/${form.id}`);
	await page.getByRole('button', { name: 'Export' }).click();
	await page.getByRole('dialog').waitFor();
	expect(await findAccessibilityFaults(page)).toEqual([]);
	expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
	const { SHOTS } = process.env;
	if (SHOTS) await page.screenshot({ path: `${SHOTS}/export-${colorScheme}.png` });
	await close();
});

test('a name of blanks alone is said to be empty', async () => {
	const blank = await createForm(server, 'Blank');
	await server.submit(blank.slug, { ' ': 'one', two: 'two' });
	const { page, signIn, goTo, close } = await openDashboard({ browser, server });
	await signIn();
	await goTo(`/forms/${blank.id}`);
	await page.getByRole('columnheader', { name: '(empty name)' }).waitFor();
	await close();
});

test('the last column of the table cannot be taken away, and stays ticked', async () => {
	const single = await createForm(server, 'Columns');
	await server.submit(single.slug, { one: '1', two: '2' });
	const { page, signIn, goTo, close } = await openDashboard({ browser, server });
	await signIn();
	await goTo(`/forms/${single.id}`);
	await page.getByLabel('Columns').click();
	await page.getByRole('checkbox', { name: 'one' }).uncheck();
	await page.getByRole('checkbox', { name: 'two' }).click();
	await page.getByRole('checkbox', { name: 'two', checked: true }).waitFor();
	await page.getByRole('columnheader', { name: 'two' }).waitFor();
	await close();
});

test('an export of more single columns than a request can name says what to do', async () => {
	const form = await createForm(server, 'Many columns');
	const names = Array.from({ length: 400 }, (_, i) => `a name of forty characters, number ${1000 + i}`);
	await server.submit(form.slug, Object.fromEntries(names.map((name) => [name, 'x'])));
	const { page, signIn, goTo, close } = await openDashboard({ browser, server });
	await signIn();
	await goTo(`/forms/${form.id}`);
	await page.locator('.submissions-table tbody tr').waitFor();
	await page.getByRole('button', { name: 'Export' }).click();
	const dialog = page.getByRole('dialog');
	await dialog.getByLabel(names[0] as string).uncheck();
	await dialog.getByRole('button', { name: 'Export', exact: true }).click();
	await page.getByText('So many single columns do not fit into one request.').waitFor();
	await close();
});
