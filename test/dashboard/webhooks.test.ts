/** The webhooks of a form, in a real browser: what is posted to each is seen, chosen and changed. */

import { expect, setDefaultTimeout, test } from 'bun:test';
import { until } from '../until.ts';
import { createForm, openDashboard, openServerAndBrowser } from './dashboard.ts';

setDefaultTimeout(60_000);

const { server, browser } = await openServerAndBrowser();

async function webhooksOf(form: string) {
	const { body } = await server.call<{ webhooks: { url: string; events: string[] }[] }>(
		`GET /api/forms/${form}/webhooks`,
	);
	return body.webhooks.map(({ url, events }) => ({ url, events }));
}

test('a webhook is made for new submissions, shows its events, and is changed to another address and spam too', async () => {
	const form = await createForm(server, 'Hooked');
	const { page, signIn, goTo, complaints, close } = await openDashboard({ browser, server });
	await signIn();
	await goTo(`/forms/${form.id}/settings`);

	await page.getByRole('button', { name: 'Add a webhook…' }).click();
	const dialog = page.getByRole('dialog');
	await dialog.getByLabel('Address').fill('https://hooks.example.com/first');
	expect(await dialog.getByRole('checkbox', { name: /^New submissions/ }).isChecked()).toBe(true);
	expect(await dialog.getByRole('checkbox', { name: /^Spam/ }).isChecked()).toBe(false);
	await dialog.getByRole('button', { name: 'Add' }).click();
	await page.getByRole('heading', { name: 'The webhook’s secret' }).waitFor();
	await page.getByRole('button', { name: 'I have stored it' }).click();
	const item = page.getByRole('listitem').filter({ hasText: 'hooks.example.com' });
	await item.getByText('New submissions', { exact: true }).waitFor();
	expect(await webhooksOf(form.id)).toEqual([
		{ url: 'https://hooks.example.com/first', events: ['submission.created'] },
	]);

	await item.getByRole('button', { name: 'Edit' }).click();
	await dialog.getByLabel('Address').fill('https://hooks.example.com/second');
	await dialog.getByRole('checkbox', { name: /^Spam/ }).check();
	await dialog.getByRole('button', { name: 'Save' }).click();
	await item.getByText('New submissions, Spam').waitFor();
	expect(await webhooksOf(form.id)).toEqual([
		{ url: 'https://hooks.example.com/second', events: ['submission.created', 'submission.spam'] },
	]);
	expect(complaints).toEqual([]);
	await close();
});

test('a webhook for a chat is chosen by its format, previewed, and kept with its headers and conditions', async () => {
	const form = await createForm(server, 'Chats');
	const { page, signIn, goTo, complaints, close } = await openDashboard({ browser, server });
	await signIn();
	await goTo(`/forms/${form.id}/settings`);
	await page.getByRole('button', { name: 'Add a webhook…' }).click();
	const dialog = page.getByRole('dialog');
	await dialog.getByLabel('Format').selectOption('Discord');
	expect(await dialog.getByLabel('Headers').count()).toBe(0);
	await dialog.getByText('Preview').click();
	await dialog.getByText('allowed_mentions').waitFor();
	await dialog.getByLabel('Format').selectOption('ntfy');
	await dialog.getByLabel('Address').fill('https://ntfy.example.com/');
	await dialog.getByLabel('Name').fill('Phones');
	await dialog.getByLabel('Headers').fill('Authorization: Bearer tk_1');
	await dialog.getByLabel('What it holds').selectOption('All fields, as many as the format takes');
	await dialog.getByLabel('Only some submissions').check();
	await dialog.getByLabel('If the field').fill('topic');
	await dialog.getByLabel('Text').fill('Sales');
	await dialog.getByRole('button', { name: 'Add' }).click();
	await dialog.getByText('must end with the name of the topic').waitFor();
	await dialog.getByLabel('Address').fill('https://ntfy.example.com/sales');
	await dialog.getByRole('button', { name: 'Add' }).click();
	await page.getByRole('button', { name: 'I have stored it' }).click();
	const item = page.getByRole('listitem').filter({ hasText: 'Phones' });
	await item.getByText('Only submissions that meet its conditions').waitFor();
	await item.getByRole('button', { name: 'Edit' }).click();
	expect(await dialog.getByLabel('Headers').inputValue()).toBe('Authorization: (stored)');
	await dialog.getByLabel('Name').fill('All phones');
	await dialog.getByRole('button', { name: 'Save' }).click();
	await page.getByRole('listitem').filter({ hasText: 'All phones' }).waitFor();
	const { body } = await server.call<{ webhooks: object[] }>(`GET /api/forms/${form.id}/webhooks`);
	expect(body.webhooks).toMatchObject([
		{
			format: 'ntfy',
			name: 'All phones',
			include: 'all',
			headers: { Authorization: null },
			where: [{ field: 'topic', is: 'Sales' }],
		},
	]);
	// The browser notes the address that was rejected.
	expect(complaints.filter((one) => !one.includes('400'))).toEqual([]);
	await close();
});

test('a webhook of no event, or to an address that may not be reached, is not saved, and the dialog says why', async () => {
	const form = await createForm(server, 'Refused');
	const { page, signIn, goTo, close } = await openDashboard({ browser, server });
	await signIn();
	await goTo(`/forms/${form.id}/settings`);
	await page.getByRole('button', { name: 'Add a webhook…' }).click();
	const dialog = page.getByRole('dialog');
	const add = dialog.getByRole('button', { name: 'Add' });
	await dialog.getByLabel('Address').fill('http://127.0.0.1:9/');
	await dialog.getByRole('checkbox', { name: /^New submissions/ }).uncheck();
	expect(await add.isDisabled()).toBe(true);
	await dialog.getByRole('checkbox', { name: /^Spam/ }).check();
	await add.click();
	await until(async () => (await dialog.getByLabel('Address').getAttribute('aria-invalid')) === 'true');
	expect(await webhooksOf(form.id)).toEqual([]);
	await close();
});

test('a webhook is edited without undoing what another owner has changed of it', async () => {
	const form = await createForm(server, 'Two owners');
	const route = `/api/forms/${form.id}/webhooks` as const;
	const { body: webhook } = await server.call<{ id: string }>(`POST ${route}`, {
		json: { url: 'https://hooks.example.com/old', headers: { Authorization: 'Bearer one' } },
	});
	const { page, signIn, goTo, complaints, close } = await openDashboard({ browser, server });
	await signIn();
	await goTo(`/forms/${form.id}/settings`);
	await page.getByRole('button', { name: 'Edit' }).click();
	const theirs = { url: 'https://hooks.example.com/new', headers: { 'X-Token': 'two' }, events: ['submission.spam'] };
	await server.call(`PATCH ${route}/${webhook.id}`, { json: theirs });
	const dialog = page.getByRole('dialog');
	await dialog.getByLabel('Name').fill('Ours');
	await dialog.getByRole('button', { name: 'Save' }).click();
	await page.getByRole('listitem').filter({ hasText: 'Ours' }).getByText(theirs.url).waitFor();
	const { body } = await server.call<{ webhooks: object[] }>(`GET ${route}`);
	expect(body.webhooks).toMatchObject([{ ...theirs, name: 'Ours', headers: { 'X-Token': null } }]);
	expect(complaints).toEqual([]);
	await close();
});
