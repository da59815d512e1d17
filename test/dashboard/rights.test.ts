/** Who may see what in the dashboard, and for how long; in a real browser. */

import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createForm, openDashboard, openServerAndBrowser, row } from './dashboard.ts';

setDefaultTimeout(60_000);

const { server, browser } = await openServerAndBrowser();

const open = () => openDashboard({ browser, server });

async function idOfKey(name: string): Promise<string | undefined> {
	const { body } = await server.call<{ keys: { id: string; name: string }[] }>('GET /api/keys');
	return body.keys.find((key) => key.name === name)?.id;
}

describe('a session', () => {
	test('is rejected with a sentence for a key that does not exist', async () => {
		const { page, goTo, close } = await open();
		await goTo('/');
		await page.getByLabel('API key or setup link').fill('sk_live_nonsense');
		await page.keyboard.press('Enter');
		await page.getByText('not known here').waitFor();
		await close();
	});

	test('ends when the key is revoked, and says so', async () => {
		const key = await server.createKey({ name: 'Doomed' });
		const { page, signIn, goTo, close } = await open();
		await signIn(key);
		await server.call(`DELETE /api/keys/${await idOfKey('Doomed')}`);
		await goTo('/keys');
		await page.getByText('Your session has ended').waitFor();
		await close();
	});

	test('that ended while no page was open does not come back with the page', async () => {
		const key = await server.createKey({ name: 'Forgotten' });
		const { page, signIn, close } = await open();
		await signIn(key);
		await page.goto('about:blank');
		await server.call(`DELETE /api/keys/${await idOfKey('Forgotten')}`);
		await page.goto(server.baseUrl);
		await page.getByText('Your session has ended').waitFor();
		await page.reload();
		await page.getByLabel('API key or setup link').waitFor();
		expect(await page.evaluate(() => localStorage.getItem('formsrv.session'))).toBeNull();
		await close();
	});
});

test.each([
	['audit', 'Forms are not shown with this key', 'It may not read them.'],
	['read', 'No test forms yet', ''],
] as const)('who may %s and sees no form is told why', async (permission, title, hint) => {
	const key = await server.createKey({ mode: 'test', permissions: [permission] });
	const { page, signIn, goTo, close } = await open();
	await signIn(key);
	const main = page.getByRole('main');
	await main.getByRole('heading', { name: title }).waitFor();
	expect(await main.locator('.empty p').allTextContents()).toEqual(hint === '' ? [] : [hint]);
	await goTo('/forms/zzz');
	await main.getByText(permission === 'read' ? 'may have been deleted' : 'it may not read them').waitFor();
	await close();
});

describe('the modes', () => {
	test('are separate, and a session of a setup link may switch', async () => {
		await createForm(server, 'Only live');
		const { page, goTo, close } = await open();
		await goTo(`/setup/${await server.app.sessions.createLink()}`);
		await row(page, 'Only live').waitFor();
		await page.getByRole('navigation').getByLabel('Test', { exact: true }).check({ force: true });
		await page.getByText('captured instead of sent').waitFor();
		await row(page, 'Only live').waitFor({ state: 'detached' });
		await page.reload();
		await page.getByText('captured instead of sent').waitFor();
		expect(await row(page, 'Only live').count()).toBe(0);
		await close();
	});

	test('are shown, and not to be switched, with a key', async () => {
		const key = await server.createKey({ mode: 'test' });
		const { page, signIn, close } = await open();
		await signIn(key);
		await page.getByRole('navigation').getByText('Test', { exact: true }).waitFor();
		expect(await page.getByLabel('Live', { exact: true }).count()).toBe(0);
		await close();
	});
});

describe('a key with few rights', () => {
	test('of a form shows that form and nothing else', async () => {
		const form = await createForm(server, 'Only this');
		await createForm(server, 'Not this');
		await server.submit(form.slug, { name: 'Visible' });
		const { body } = await server.call<{ key: string }>('POST /api/keys', { json: { name: 'fk', form: form.id } });
		const { page, signIn, goTo, complaints, close } = await open();
		await signIn(body.key);
		await row(page, 'Visible').waitFor();
		expect(await page.getByText('Not this').count()).toBe(0);
		expect(await page.getByRole('link', { name: 'API keys' }).count()).toBe(0);
		expect(await page.getByRole('checkbox').count()).toBe(0);
		// As mails and colleagues link to.
		for (const place of ['settings/notifications', 'connect']) {
			await goTo(`/forms/${form.id}/${place}`);
			await page.getByRole('heading', { name: 'Settings are not shown with this key' }).waitFor();
			expect(await page.getByRole('textbox').or(page.getByRole('switch')).count()).toBe(0);
			await page.getByRole('link', { name: 'Inbox' }).click();
			await row(page, 'Visible').waitFor();
		}
		expect(complaints).toEqual([]);
		await close();
	});

	test('of several forms shows these, and with write marks what is in them and sends nothing', async () => {
		const [one, two] = [await createForm(server, 'First of two'), await createForm(server, 'Second of two')];
		await createForm(server, 'None of them');
		await server.submit(two.slug, { name: 'Unmarked', _gotcha: 'filled in' });
		const { page, signIn, goTo, complaints, close } = await open();
		await signIn(await server.createKey({ forms: [one.id, two.id], permissions: ['read', 'write'] }));
		await page.getByRole('link', { name: 'Second of two' }).waitFor();
		expect(await page.getByText('None of them').count()).toBe(0);
		await goTo(`/forms/${two.id}?filter=spam`);
		await row(page, 'Unmarked').getByRole('link').click();
		await page.getByRole('heading', { name: 'Unmarked' }).waitFor();
		expect(await page.getByRole('button', { name: /Delete|Block/ }).count()).toBe(0);
		await page.getByRole('button', { name: /Not spam/ }).click();
		await page.getByText('moved to the inbox').waitFor();
		expect(await page.getByRole('button', { name: 'Send notifications' }).count()).toBe(0);
		const { body } = await server.call<{ submissions: object[] }>(`GET /api/forms/${two.id}/submissions`);
		expect(body.submissions).toMatchObject([{ isRead: true, isSpam: false }]);
		expect(complaints).toEqual([]);
		await close();
	});

	test('to read shows no button that it could not use', async () => {
		const form = await createForm(server, 'Read me');
		await server.submit(form.slug, { name: 'Visible' });
		const { page, signIn, goTo, complaints, close } = await open();
		await signIn(await server.createKey({ permissions: ['read'] }));
		await row(page, 'Read me').waitFor();
		expect(await page.getByRole('button', { name: 'Create form' }).count()).toBe(0);
		await goTo(`/forms/${form.id}`);
		await row(page, 'Visible').getByRole('link').click();
		await page.getByRole('heading', { name: 'Visible' }).waitFor();
		expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
		await goTo(`/forms/${form.id}/settings`);
		await page.getByLabel('Name', { exact: true }).waitFor();
		expect(await page.getByRole('button', { name: /Save|Delete/ }).count()).toBe(0);
		expect(complaints).toEqual([]);
		await close();
	});
});

describe('a new key', () => {
	test('has no more rights than were ticked, is shown once, and can be revoked', async () => {
		const { page, signIn, goTo, close } = await open();
		await signIn();
		await goTo('/keys');
		await page.getByRole('button', { name: 'New key' }).click();
		const dialog = page.getByRole('dialog');
		await dialog.getByLabel('Name').fill('Reader');
		await dialog.getByRole('button', { name: 'Create key' }).click();
		const key = await dialog.locator('code').textContent();
		expect((await server.call('GET /api/forms', { key })).status).toBe(200);
		expect((await server.call('POST /api/forms', { key, json: { name: 'No' } })).status).toBe(403);

		await dialog.getByRole('button', { name: 'I have stored it' }).click();
		await page.getByRole('button', { name: 'Revoke Reader' }).click();
		await dialog.getByRole('button', { name: 'Revoke' }).click();
		await page.getByText('no longer works').waitFor();
		expect((await server.call('GET /api/forms', { key })).status).toBe(401);
		await close();
	});
});
