/** How dialogs close in a real browser: nothing typed or shown once is lost by a click beside one, or by Escape without a question. */

import { expect, setDefaultTimeout, test } from 'bun:test';
import type { Locator, Page } from 'playwright-core';
import { findAccessibilityFaults } from '../browser.ts';
import { createForm, openDashboard, openServerAndBrowser, PHONE, row } from './dashboard.ts';

setDefaultTimeout(60_000);

const { server, browser } = await openServerAndBrowser();

/** Ends every session, and signs in again with the same key. */
async function endSession(page: Page): Promise<void> {
	const { body } = await server.call<{ sessions: { id: string }[] }>('GET /api/sessions');
	for (const { id } of body.sessions) await server.call(`DELETE /api/sessions/${id}`);
	await page.getByText('What you have typed is there again').waitFor();
	await page.getByLabel('API key or set').fill(server.adminKey);
	await page.keyboard.press('Enter');
}

const clickBeside = (page: Page) => page.mouse.click(5, 400);

test('one that nothing was typed into closes by a click beside it and by Escape', async () => {
	const { page, signIn, goTo, complaints, close } = await openDashboard({ browser, server });
	await signIn();
	await goTo('/keys');
	const dialog = page.getByRole('dialog');
	for (const leave of [() => clickBeside(page), () => page.keyboard.press('Escape')]) {
		await page.getByRole('button', { name: 'New key' }).click();
		await dialog.getByLabel('Name').waitFor();
		await leave();
		await dialog.waitFor({ state: 'detached' });
	}
	expect(complaints).toEqual([]);
	await close();
});

test('what was typed stays at a click beside it, and Escape asks first', async () => {
	const form = await createForm(server, 'Typed');
	const { page, signIn, goTo, complaints, close } = await openDashboard({ browser, server });
	await signIn();
	await goTo(`/forms/${form.id}/settings`);
	await page.getByRole('button', { name: 'Add a webhook…' }).click();
	const dialog = page.getByRole('dialog', { name: 'New webhook' });
	const question = page.getByRole('dialog', { name: 'Discard what you have typed?' });
	const address = dialog.getByLabel('Address');
	await address.fill('https://hooks.example.com');
	await clickBeside(page);
	expect(await address.inputValue()).toBe('https://hooks.example.com');
	await page.keyboard.press('Escape');
	await question.waitFor();
	expect(await findAccessibilityFaults(page)).toEqual([]);
	await page.keyboard.press('Escape');
	await question.waitFor({ state: 'detached' });
	expect(await address.inputValue()).toBe('https://hooks.example.com');
	await page.keyboard.press('Escape');
	await question.getByRole('button', { name: 'Discard' }).click();
	await dialog.waitFor({ state: 'detached' });
	expect(complaints).toEqual([]);
	await close();
});

test('what was typed is in its dialog again after the session has ended under it', async () => {
	const form = await createForm(server, 'Ended');
	const url = 'https://hooks.example.com/stored';
	await server.call(`POST /api/forms/${form.id}/webhooks`, { json: { url, name: 'Stored' } });
	const { page, signIn, goTo, complaints, close } = await openDashboard({ browser, server });
	await signIn();
	const dialog = page.getByRole('dialog').first();
	await goTo('/keys');
	await page.getByRole('button', { name: 'New key' }).click();
	await dialog.getByLabel('Name').fill('For the shop');
	await dialog.getByLabel('Expires').selectOption('In a year');
	await endSession(page);
	await dialog.getByLabel('Name').waitFor();
	expect(await dialog.getByLabel('Name').inputValue()).toBe('For the shop');
	expect(await dialog.getByLabel('Expires').inputValue()).toBe('365');
	await clickBeside(page);
	await page.keyboard.press('Escape');
	await page.getByRole('button', { name: 'Discard' }).click();
	await dialog.waitFor({ state: 'detached' });
	await page.getByRole('button', { name: 'New key' }).click();
	expect(await dialog.getByLabel('Name').inputValue()).toBe('');
	await page.keyboard.press('Escape');

	await goTo(`/forms/${form.id}/settings`);
	await page.getByRole('button', { name: 'Edit', exact: true }).click();
	await dialog.getByLabel('Name').fill('Typed');
	await endSession(page);
	await dialog.getByLabel('Name').waitFor();
	expect(await dialog.getByLabel('Name').inputValue()).toBe('Typed');
	expect(await dialog.getByLabel('Address').inputValue()).toBe(url);
	await dialog.getByRole('button', { name: 'Save' }).click();
	await page.getByRole('listitem').filter({ hasText: 'Typed' }).getByText(url).waitFor();
	expect(complaints.filter((text) => !text.includes('401'))).toEqual([]);
	await close();
});

test('the name of a new form is there again after the session has ended under it, and gone once the form is made', async () => {
	const { page, signIn, goTo, complaints, close } = await openDashboard({ browser, server });
	await signIn();
	const name = page.getByRole('form', { name: 'New form' }).getByRole('textbox');
	await goTo('/forms');
	await name.fill('Half typed');
	await endSession(page);
	await name.waitFor();
	expect(await name.inputValue()).toBe('Half typed');
	await name.press('Enter');
	await name.waitFor({ state: 'detached' });
	await goTo('/forms');
	await row(page, 'Half typed').waitFor();
	expect(await name.inputValue()).toBe('');
	expect(complaints.filter((text) => !text.includes('401'))).toEqual([]);
	await close();
});

test('a key that is shown once stays until it is said to be stored', async () => {
	const { page, signIn, goTo, complaints, close } = await openDashboard({ browser, server });
	await signIn();
	await goTo('/keys');
	await page.getByRole('button', { name: 'New key' }).click();
	await page.getByLabel('Name').fill('Once');
	await page.getByRole('button', { name: 'Create key' }).click();
	const secret = page.getByRole('dialog').getByText(/^sk_live_/);
	await secret.waitFor();
	await clickBeside(page);
	// A browser does not ask at a second Escape in a row.
	for (let press = 0; press < 3; press += 1) await page.keyboard.press('Escape');
	await secret.waitFor();
	await page.getByRole('button', { name: 'I have stored it' }).click();
	await secret.waitFor({ state: 'detached' });
	await row(page, 'Once').waitFor();
	expect(complaints).toEqual([]);
	await close();
});

test('a key or secret that is shown once is there again after the session has ended under it', async () => {
	const form = await createForm(server, 'Secrets');
	await server.call(`POST /api/forms/${form.id}/webhooks`, { json: { url: 'https://hooks.example.com' } });
	const { page, signIn, goTo, complaints, close } = await openDashboard({ browser, server });
	await signIn();
	const secret = page.getByRole('dialog').getByText(/^(sk_live|whsec)_/);
	const staysUntilStored = async () => {
		const shown = await secret.textContent();
		await endSession(page);
		await secret.waitFor();
		expect(await secret.textContent()).toBe(shown);
		await page.getByRole('button', { name: 'I have stored it' }).click();
		await secret.waitFor({ state: 'detached' });
	};
	await goTo('/keys');
	await page.getByRole('button', { name: 'New key' }).click();
	await page.getByRole('button', { name: 'Create key' }).click();
	await staysUntilStored();
	await goTo(`/forms/${form.id}/settings`);
	await page.getByRole('button', { name: 'New secret' }).click();
	await staysUntilStored();
	await goTo('/keys');
	await page.getByRole('button', { name: 'New key' }).waitFor();
	expect(await secret.count()).toBe(0);
	expect(complaints.filter((text) => !text.includes('401'))).toEqual([]);
	await close();
});

test('the address and the name of a form are not cut off on a phone, however long', async () => {
	await createForm(server, 'Short');
	const long = await createForm(server, 'W'.repeat(60));
	const { page, signIn, goTo, close } = await openDashboard({ browser, server, viewport: PHONE });
	await signIn();
	const dialog = page.getByRole('dialog');
	const endOf = (text: Locator) =>
		text.evaluate((element) => {
			const range = document.createRange();
			range.selectNodeContents(element);
			return range.getBoundingClientRect().right;
		});
	await goTo(`/forms/${long.id}/settings?group=advanced`);
	await page.getByRole('button', { name: 'Delete form…' }).click();
	expect(await endOf(dialog.getByText(long.slug))).toBeLessThan(PHONE.width);
	await page.keyboard.press('Escape');
	await goTo('/keys');
	await page.getByRole('button', { name: 'New key' }).click();
	await dialog.getByLabel('For', { exact: true }).selectOption('Only the submissions of “Short”');
	expect(await endOf(dialog.getByRole('group', { name: 'And for' }).getByText('WWW'))).toBeLessThan(PHONE.width);
	await close();
});
