/** Confirmed addresses in the dashboard: the setting, and what waits for its visitor. */

import { expect, setDefaultTimeout, test } from 'bun:test';
import type { Form } from '../../src/forms/schema.ts';
import { until } from '../until.ts';
import { createForm, openDashboard, openServerAndBrowser, row } from './dashboard.ts';

setDefaultTimeout(60_000);

const { server, browser } = await openServerAndBrowser();

test('the mail is written in the settings; what waits stands apart, and can be read and deleted, not marked', async () => {
	const form = await createForm(server, 'News');
	const { page, signIn, goTo, complaints, close } = await openDashboard({ browser, server });
	await signIn();
	await goTo(`/forms/${form.id}/settings`);
	const group = page.getByRole('group', { name: 'Confirmed addresses' });
	await group.getByRole('switch').check();
	await group.getByLabel('Subject').fill('One step to {{name}}');
	const save = () => page.getByRole('button', { name: 'Save changes', disabled: false }).click();
	await save();
	await group.getByText('the only placeholder is {{form.name}}').waitFor();
	await group.getByLabel('Subject').fill('One step to {{form.name}}');
	await save();
	await page.getByText('Settings saved.').last().waitFor();
	const read = async () => (await server.call<Form>(`GET /api/forms/${form.id}`)).body;
	expect((await read()).confirm).toEqual({ field: 'email', subject: 'One step to {{form.name}}', text: null });

	await server.submit(form.slug, { name: 'Ada', email: 'ada@example.com' });
	await goTo(`/forms/${form.id}`);
	await page.getByText('Waiting for the first submission').waitFor();
	await page.getByRole('link', { name: 'Unconfirmed 1' }).click();
	await row(page, 'Ada').click();
	await page.getByRole('heading', { name: 'Ada' }).waitFor();
	const bar = page.getByRole('toolbar', { name: 'Submission' });
	await bar.getByRole('button', { name: 'Delete' }).waitFor();
	expect(await bar.getByRole('button').count()).toBe(1);
	await bar.getByRole('button', { name: 'Delete' }).click();
	await page.getByText('Nothing waits for a confirmation').waitFor();
	await until(async () => (await read()).pendingCount === 0);
	expect(complaints).toEqual([expect.stringContaining('400')]);
	await close();
});

test('keys mark as little as buttons do: what waits still waits', async () => {
	const form = await server.createForm<Form>({ name: 'Keys', confirm: { field: 'email' } });
	const { page, signIn, goTo, close } = await openDashboard({ browser, server });
	await signIn();
	await server.submit(form.slug, { name: 'Ada', email: 'ada@example.com' });
	await goTo(`/forms/${form.id}`);
	await page.getByRole('link', { name: 'Unconfirmed 1' }).click();
	await row(page, 'Ada').waitFor();
	const press = async () => {
		for (const key of ['s', 'e', 'a', '+', '!']) await page.keyboard.press(key);
	};
	await page.keyboard.press('j');
	await press();
	await row(page, 'Ada').click();
	await page.getByRole('heading', { name: 'Ada' }).waitFor();
	await press();
	// Behind all that a key may have sent: the deletion is sent when its toast ends.
	await page.keyboard.press('#');
	await page.getByText('1 submission deleted').waitFor();
	await page.getByRole('button', { name: 'Undo' }).click();
	await row(page, 'Ada').waitFor();
	const { body } = await server.call<{ submissions: object[] }>(`GET /api/forms/${form.id}/submissions?filter=pending`);
	// To open it is to read it.
	const unmarked = { isPending: true, isRead: true, isStarred: false, isArchived: false, isSpam: false };
	expect(body.submissions).toEqual([expect.objectContaining(unmarked)]);
	await close();
});
