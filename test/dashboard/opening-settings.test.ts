/** The dashboard's settings of who may send and when: opening and places, other services, context, keys that submit. */

import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Form } from '../../src/forms/schema.ts';
import type { ApiKey } from '../../src/keys/schema.ts';
import { createForm, openDashboard, openServerAndBrowser } from './dashboard.ts';

setDefaultTimeout(60_000);

const { server, browser } = await openServerAndBrowser();

const formOf = async (id: string) => (await server.call<Form>(`GET /api/forms/${id}`)).body;

async function openSettings(form: { id: string }) {
	const dashboard = await openDashboard({ browser, server });
	const { page, signIn, goTo } = dashboard;
	await signIn();
	await goTo(`/forms/${form.id}/settings`);
	const save = () => page.getByRole('button', { name: 'Save changes', disabled: false }).click();
	const saved = async () => {
		await save();
		await page.getByText('Settings saved.').last().waitFor();
		await page.getByRole('button', { name: 'Dismiss' }).click();
	};
	return { ...dashboard, save, saved };
}

describe('the settings of a form', () => {
	test('have when it is open and for how many, in the zone of the reader', async () => {
		const form = await createForm(server, 'Seminar');
		const { page, saved, complaints, close } = await openSettings(form);
		await page.getByLabel('Opens').fill('2027-01-31T10:00');
		await page.getByLabel('Closes').fill('2027-02-28T23:00');
		await page.getByLabel('Places').fill('40');
		await page.getByLabel('Text while closed').fill('Opens on Sunday.\nSee you!');
		await saved();
		const local = (text: string) => page.evaluate((moment) => new Date(moment).toISOString(), text);
		expect(await formOf(form.id)).toMatchObject({
			opensAt: await local('2027-01-31T10:00'),
			closesAt: await local('2027-02-28T23:00'),
			maxSubmissions: 40,
			closedText: 'Opens on Sunday.\nSee you!',
		});
		expect(await page.getByLabel('Opens').inputValue()).toBe('2027-01-31T10:00');
		await page.getByLabel('Opens').fill('');
		await page.getByLabel('Closes').fill('');
		await page.getByLabel('Places').fill('');
		await page.getByLabel('Text while closed').fill('');
		await saved();
		const cleared = { opensAt: null, closesAt: null, maxSubmissions: null, closedText: null };
		expect(await formOf(form.id)).toMatchObject(cleared);
		expect(complaints).toEqual([]);
		await close();
	});

	test('leave a moment of the API as it is, to the millisecond', async () => {
		const form = await createForm(server, 'Exact');
		await server.call(`PATCH /api/forms/${form.id}`, { json: { closesAt: '2027-01-31T09:00:30.250Z' } });
		const { page, saved, close } = await openSettings(form);
		await page.getByLabel('Places').fill('7');
		await saved();
		expect(await formOf(form.id)).toMatchObject({ closesAt: '2027-01-31T09:00:30.250Z', maxSubmissions: 7 });
		await close();
	});

	test('say beside the input what is wrong', async () => {
		const form = await createForm(server, 'Faults');
		const { page, save, close } = await openSettings(form);
		await page.getByLabel('Opens').fill('2027-02-01T10:00');
		await page.getByLabel('Closes').fill('2027-01-01T10:00');
		await save();
		await page.getByText('must be later than opensAt').waitFor();
		await page.getByLabel('Closes').fill('');
		await page.getByLabel('Places').fill('many');
		await save();
		await page.getByText(/must be .*whole number/).waitFor();
		expect((await formOf(form.id)).maxSubmissions).toBeNull();
		await close();
	});

	test('have the services whose pages post here, and what is kept beside the fields', async () => {
		const form = await createForm(server, 'Moved');
		const { page, saved, complaints, close } = await openSettings(form);
		await page.getByRole('checkbox', { name: 'Netlify Forms' }).check();
		await page.getByRole('checkbox', { name: 'Formspree' }).check();
		await saved();
		await page.getByRole('switch', { name: 'Keep campaigns' }).check();
		await page.getByLabel('Sender’s address').selectOption('network');
		await saved();
		expect(await formOf(form.id)).toMatchObject({
			aliases: ['formspree', 'netlify'],
			context: { page: false, utm: true, address: 'network', agent: false },
		});
		await page.getByRole('checkbox', { name: 'Formspree' }).uncheck();
		await saved();
		await page.getByRole('switch', { name: 'Keep campaigns' }).uncheck();
		await page.getByLabel('Sender’s address').selectOption('none');
		await saved();
		expect(await formOf(form.id)).toMatchObject({ aliases: ['netlify'], context: null });
		expect(complaints).toEqual([]);
		await close();
	});
});

test('a key for two forms is made with the permissions that such a key may have', async () => {
	const form = await createForm(server, 'For a server');
	const second = await createForm(server, 'For it too');
	const { page, signIn, goTo, complaints, close } = await openDashboard({ browser, server });
	await signIn();
	await goTo('/keys');
	await page.getByRole('button', { name: 'New key' }).click();
	const dialog = page.getByRole('dialog');
	await dialog.getByLabel('Name').fill('Shop');
	await dialog.getByLabel('For', { exact: true }).selectOption(form.id);
	expect(await dialog.getByRole('group', { name: 'It may' }).getByRole('checkbox').count()).toBe(3);
	await dialog.getByRole('checkbox', { name: 'For it too' }).check();
	await dialog.getByRole('checkbox', { name: /^read/ }).uncheck();
	await dialog.getByRole('checkbox', { name: /^submit/ }).check();
	await dialog.getByRole('button', { name: 'Create key' }).click();
	await page.getByText(/fk_/).first().waitFor();
	const { body } = await server.call<{ keys: ApiKey[] }>('GET /api/keys');
	expect(body.keys.find(({ name }) => name === 'Shop')).toMatchObject({
		forms: [form.id, second.id],
		permissions: ['submit'],
	});
	expect(complaints).toEqual([]);
	await close();
});
