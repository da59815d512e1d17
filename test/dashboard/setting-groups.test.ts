/** The settings of a form in groups, in a real browser. */

import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { setupLink } from '../../src/cli/dashboard-link.ts';
import { startScriptedSmtp } from '../delivery/scripted-smtp.ts';
import { until } from '../until.ts';
import {
	acceptDialogs,
	createForm,
	type Made,
	openDashboard,
	openServerAndBrowser,
	submissionsOf,
} from './dashboard.ts';

setDefaultTimeout(60_000);

const smtp = await startScriptedSmtp();
afterAll(() => smtp.close());
const { server, browser } = await openServerAndBrowser({
	settings: { FORMSRV_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, FORMSRV_MAIL_FROM: 'forms@example.com' },
});

async function settingsOf(id: string) {
	const { body } = await server.call<{ name: string; redirectUrl: string | null }>(`GET /api/forms/${id}`);
	return { name: body.name, redirectUrl: body.redirectUrl };
}

test('the index leads to a group, by a link that leads there again', async () => {
	const form = await createForm(server, 'Index');
	const { page, signIn, goTo, complaints, close } = await openDashboard({ browser, server });
	await signIn();
	await goTo(`/forms/${form.id}/settings`);
	await page.getByRole('navigation', { name: 'Groups' }).getByRole('link', { name: 'Privacy' }).click();
	const focused = () => page.evaluate(() => document.activeElement?.textContent);
	await page.waitForURL(/settings\?group=privacy$/);
	expect(await focused()).toBe('Privacy');
	expect(await page.getByRole('group', { name: 'Context' }).isVisible()).toBe(true);
	await page.reload();
	await page.getByRole('heading', { name: 'Privacy' }).waitFor();
	await page.waitForFunction(() => document.activeElement?.textContent === 'Privacy');
	expect(complaints).toEqual([]);
	await close();
});

test('a group is saved by itself: what was changed in another stays as it was typed', async () => {
	const form = await createForm(server, 'Before');
	const { page, signIn, goTo, complaints, close } = await openDashboard({ browser, server });
	await signIn();
	await goTo(`/forms/${form.id}/settings`);
	expect(await page.getByRole('button', { name: 'Save changes' }).count()).toBe(0);
	await page.getByLabel('Redirect after submission').fill('https://example.com/thanks');
	await page.getByLabel('Name', { exact: true }).fill('After');
	await page.getByRole('region', { name: 'Form', exact: true }).getByRole('button', { name: 'Save changes' }).click();
	await page.getByText('Settings saved.').waitFor();
	expect(await settingsOf(form.id)).toEqual({ name: 'After', redirectUrl: null });
	expect(await page.getByLabel('Redirect after submission').inputValue()).toBe('https://example.com/thanks');

	await page.getByRole('region', { name: 'Visitors' }).getByRole('button', { name: 'Discard' }).click();
	expect(await page.getByLabel('Redirect after submission').inputValue()).toBe('');
	expect(complaints).toEqual([]);
	await close();
});

test('what is typed survives that its page is left, and the browser asks before it is lost', async () => {
	const form = await createForm(server, 'Typed');
	const { page, signIn, goTo, close } = await openDashboard({ browser, server });
	const asked = acceptDialogs(page);
	await signIn();
	await goTo(`/forms/${form.id}/settings`);
	const name = page.getByLabel('Name', { exact: true });
	await name.fill('Half');
	await page.getByRole('link', { name: 'Connect', exact: true }).click();
	await page.getByText('Put it on a website').waitFor();
	await page.goBack();
	await name.waitFor();
	expect(await name.inputValue()).toBe('Half');
	await page.getByRole('button', { name: 'Save changes' }).waitFor();
	await page.reload();
	await name.waitFor();
	expect(asked).toEqual(['beforeunload']);
	expect(await name.inputValue()).toBe('Typed');
	await page.reload();
	expect(asked).toHaveLength(1);
	await close();
});

test('what is typed survives a look at the other mode, and not the end of the session', async () => {
	const form = await createForm(server, 'Both modes');
	const { page, goTo, close } = await openDashboard({ browser, server });
	await page.goto(setupLink(server.baseUrl, await server.app.sessions.createLink()));
	await page.getByRole('heading', { name: 'Forms', level: 1 }).waitFor();
	await goTo(`/forms/${form.id}/settings`);
	const name = page.getByLabel('Name', { exact: true });
	await name.fill('Half');
	for (const mode of ['Test', 'Live']) {
		await page.getByRole('radio', { name: mode }).filter({ visible: true }).check();
		await page.locator(`.shell.${mode.toLowerCase()}`).waitFor();
	}
	await goTo(`/forms/${form.id}/settings`);
	await name.waitFor();
	expect(await name.inputValue()).toBe('Half');
	page.on('dialog', (dialog) => dialog.accept());
	await page.getByRole('button', { name: 'Sign out' }).click();
	await page.getByRole('heading', { name: 'Sign in' }).waitFor();
	await page.getByLabel('API key or set').fill(server.adminKey);
	await page.keyboard.press('Enter');
	await name.waitFor();
	expect(await name.inputValue()).toBe('Both modes');
	await close();
});

test('what is typed outlives a session that ends, for the same key alone', async () => {
	const form = await createForm(server, 'Ended');
	await server.submit(form.slug, { name: 'Ada' });
	const [submission] = await submissionsOf(server, form.id);
	const [mine, theirs] = [await server.createKey(), await server.createKey()];
	const { page, signIn, goTo, close } = await openDashboard({ browser, server });
	const signInAgain = async (key: string) => {
		await page.getByLabel('API key or set').fill(key);
		await page.keyboard.press('Enter');
		await page.getByRole('navigation', { name: 'Main' }).waitFor();
	};
	/** It ends, and the page learns of it by a request. */
	const endSession = async () => {
		for (const { id, key } of await server.app.sessions.list()) if (key) await server.app.sessions.end(id);
		await page.getByText('Your session has ended').waitFor();
	};
	await signIn(mine);
	await goTo(`/forms/${form.id}/settings`);
	const name = page.getByLabel('Name', { exact: true });
	const block = page.getByLabel('Block list');
	await name.fill('Half');
	await block.fill('domain:spam.example');
	await endSession();
	await page.getByText('What you have typed is there again').waitFor();
	await signInAgain(mine);
	expect([await name.inputValue(), await block.inputValue()]).toEqual(['Half', 'domain:spam.example']);
	await endSession();
	await signInAgain(theirs);
	expect([await name.inputValue(), await block.inputValue()]).toEqual(['Ended', '']);

	await goTo(`/forms/${form.id}/submissions/${submission?.id}`);
	const note = page.getByLabel('Note', { exact: true });
	await note.fill('Half a note');
	await endSession();
	await page.getByText('What you have typed is there again').waitFor();
	await signInAgain(theirs);
	await note.waitFor();
	expect(await note.inputValue()).toBe('Half a note');
	await close();
});

test('views that are changed here keep what another owner has saved and changed of them meanwhile', async () => {
	const form = await createForm(server, 'Viewed');
	const path = `/api/forms/${form.id}` as const;
	const view = (name: string) => ({ name, query: 'filter=unread' });
	const [first, second, third] = [view('First'), view('constructor'), view('Third')];
	await server.call(`PATCH ${path}`, { json: { views: [first, second, third] } });
	const { page, signIn, goTo, close } = await openDashboard({ browser, server });
	await page.route(/\/api\/events$/, (route) => route.abort());
	await signIn();
	await goTo(`/forms/${form.id}/settings`);
	const group = page.getByRole('group', { name: 'Saved views' });
	const names = group.getByLabel('Name of the view');
	await names.first().fill('Mine');
	await group.getByRole('button', { name: 'Remove view' }).nth(1).click();
	await names.nth(2).waitFor({ state: 'detached' });
	const theirs = { name: 'Theirs', query: 'filter=starred' };
	const views = [{ ...first, query: 'filter=spam' }, second, third, theirs];
	await server.call(`PATCH ${path}`, { json: { views } });
	await page.getByRole('button', { name: 'Save changes' }).click();
	await page.getByText('Settings saved.').waitFor();
	const { body } = await server.call<{ views: object[] }>(`GET ${path}`);
	expect(body.views).toEqual([{ name: 'Mine', query: 'filter=spam' }, third, theirs]);
	await close();
});

test('a group is saved without undoing what another owner has changed in it', async () => {
	const form = await createForm(server, 'Ours');
	const { page, signIn, goTo, close } = await openDashboard({ browser, server });
	await signIn();
	await goTo(`/forms/${form.id}/settings`);
	await page.getByLabel('Address', { exact: true }).fill(`${form.slug}-new`);
	await server.call(`PATCH /api/forms/${form.id}`, { json: { name: 'Theirs' } });
	await page.getByRole('button', { name: 'Save changes' }).click();
	await page.getByText('Settings saved.').waitFor();
	expect((await settingsOf(form.id)).name).toBe('Theirs');
	expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Theirs');
	await close();
});

test('a setting that another owner changes while it is typed is not replaced without a word', async () => {
	const form = await createForm(server, 'Both');
	const path = `/api/forms/${form.id}` as const;
	const { page, signIn, goTo, complaints, close } = await openDashboard({ browser, server });
	await signIn();
	await goTo(`/forms/${form.id}/settings`);
	const group = page.getByRole('region', { name: 'Spam' }).first();
	const domains = group.getByLabel('Allowed domains');
	const notice = group.getByRole('alert').getByText('Another owner has changed “Allowed domains” meanwhile');
	await domains.fill('ours.example');
	await server.call(`PATCH ${path}`, { json: { allowedDomains: ['theirs.example'] } });
	await notice.waitFor();
	expect(await domains.inputValue()).toBe('ours.example');
	await goTo('/keys');
	await page.getByRole('heading', { name: 'API keys' }).waitFor();
	await page.goBack();
	await notice.waitFor();
	await group.getByRole('button', { name: 'Discard' }).click();
	await notice.waitFor({ state: 'detached' });
	expect(await domains.inputValue()).toBe('theirs.example');

	await domains.fill('both.example');
	await server.call(`PATCH ${path}`, { json: { allowedDomains: ['last.example'] } });
	await notice.waitFor();
	await group.getByRole('button', { name: 'Save changes' }).click();
	await notice.waitFor({ state: 'detached' });
	await page.getByText('Settings saved.').waitFor();
	const { body } = await server.call<{ allowedDomains: string[] }>(`GET ${path}`);
	expect(body.allowedDomains).toEqual(['both.example']);
	expect(complaints).toEqual([]);
	await close();
});

test('what is typed while a group is saved stays, and what is put back no longer counts as changed', async () => {
	const form = await createForm(server, 'Slow');
	const { page, signIn, goTo, complaints, close } = await openDashboard({ browser, server });
	await signIn();
	await goTo(`/forms/${form.id}/settings`);
	const group = page.getByRole('region', { name: 'Form', exact: true });
	const name = group.getByLabel('Name', { exact: true });
	const save = group.getByRole('button', { name: 'Save changes' });
	const saving = Promise.withResolvers<void>();
	await page.route(`**/api/forms/${form.id}`, async (route) => {
		await saving.promise;
		await route.continue();
	});
	await name.fill('Slower');
	await save.click();
	await group.getByRole('button', { name: 'Saving…' }).waitFor();
	await name.fill('Slowest');
	saving.resolve();
	await page.getByText('Settings saved.').waitFor();
	expect([(await settingsOf(form.id)).name, await name.inputValue()]).toEqual(['Slower', 'Slowest']);

	await name.fill('Slower');
	await server.call(`PATCH /api/forms/${form.id}`, { json: { name: 'By another' } });
	await until(async () => (await name.inputValue()) === 'By another');
	expect(await save.isDisabled()).toBe(true);
	expect(complaints).toEqual([]);
	await close();
});

test('an input that is wrong gets the focus, and says so once', async () => {
	const [form, other] = [await createForm(server, 'Wrong'), await createForm(server, 'Taken')];
	const { page, signIn, goTo, close } = await openDashboard({ browser, server });
	await signIn();
	await goTo(`/forms/${form.id}/settings`);
	const visitors = page.getByRole('region', { name: 'Visitors' });
	await visitors.getByLabel('Redirect after submission').fill('javascript:alert(1)');
	await visitors.getByRole('button', { name: 'Save changes' }).click();
	await page.waitForFunction(() => document.activeElement?.matches('[aria-invalid][type=url]'));
	await page.getByLabel('Address', { exact: true }).fill(other.slug);
	await page.keyboard.press('Enter');
	await page.getByText(`The slug "${other.slug}" is taken by another form.`, { exact: true }).waitFor();
	await close();
});

test('a test mail goes to the addresses that are notified', async () => {
	const form = await createForm(server, 'Mail');
	const notificationEmail = 'ada@example.com, "Hopper, Grace" <grace@example.com>';
	await server.call(`PATCH /api/forms/${form.id}`, { json: { notificationEmail } });
	const { page, signIn, goTo, close } = await openDashboard({ browser, server });
	await signIn();
	await goTo(`/forms/${form.id}/settings?group=notifications`);
	await page.getByRole('button', { name: 'Send a test mail' }).click();
	await page.getByText('The mail server accepted a test mail').waitFor();
	expect(smtp.accepted.map(({ to }) => to)).toEqual([['ada@example.com', 'grace@example.com']]);
	await page.getByRole('button', { name: 'Preview the mail' }).click();
	const shown = page.frameLocator('iframe');
	await shown.getByRole('heading', { name: 'New submission' }).waitFor();
	await page.getByRole('dialog').getByText('ada@example.com').first().waitFor();
	const name = shown.getByRole('rowheader').first();
	expect(await name.evaluate((element) => getComputedStyle(element).textAlign)).toBe('start');
	await close();
});

test('the words of mails and their routes are saved and shown again, with what is wrong beside its input', async () => {
	const form = await createForm(server, 'Words');
	await server.call(`PATCH /api/forms/${form.id}`, { json: { notificationEmail: 'ada@example.com' } });
	const { page, signIn, goTo, complaints, close } = await openDashboard({ browser, server });
	await signIn();
	await goTo(`/forms/${form.id}/settings?group=notifications`);
	const group = page.getByRole('region', { name: 'Notifications' });
	await group.getByLabel('Subject').fill('{{#if name}}');
	await group.getByLabel('Hidden copies to').fill('e-ve@example.com');
	await group.getByRole('switch', { name: 'Show all fields' }).uncheck();
	await group.getByLabel('Only these fields').fill('name\nmessage');
	await group.getByRole('button', { name: 'Add a route' }).click();
	await group.getByLabel('If the field').fill('topic');
	await group.getByLabel('Text', { exact: true }).fill('Sales');
	await group.getByLabel('Mail goes to').fill('{{email}}');
	await group.getByRole('button', { name: 'Save changes' }).click();
	await group.getByText('must not have logic').waitFor();
	await group.getByText('must be an e-mail address').waitFor();
	await group.getByLabel('Subject').fill('{{form.name}}: {{name}}');
	await group.getByLabel('Mail goes to').fill('sales@example.com');
	await group.getByRole('button', { name: 'Save changes' }).click();
	await page.getByText('Settings saved.').waitFor();
	const { body } = await server.call<object>(`GET /api/forms/${form.id}`);
	expect(body).toMatchObject({
		notificationEmail: 'ada@example.com',
		notification: {
			to: 'ada@example.com',
			bcc: 'e-ve@example.com',
			subject: '{{form.name}}: {{name}}',
			fields: ['name', 'message'],
		},
		routes: [{ where: [{ field: 'topic', is: 'Sales' }], to: 'sales@example.com' }],
	});
	await page.reload();
	expect(await group.getByLabel('Mail goes to').inputValue()).toBe('sales@example.com');
	await group.getByRole('button', { name: 'Remove the route' }).click();
	await group.getByRole('button', { name: 'Save changes' }).click();
	await page.getByText('Settings saved.').waitFor();
	expect((await server.call<object>(`GET /api/forms/${form.id}`)).body).toMatchObject({ routes: [] });
	expect(complaints.filter((line) => !line.includes('400'))).toEqual([]);
	await close();
});

test('a form that is kept in a file says so above its settings, and others do not', async () => {
	const kept = await createForm(server, 'Kept');
	const other = await createForm(server, 'Other');
	await server.call(`PATCH /api/forms/${kept.id}`, { json: { keptIn: 'forms.toml' } });
	const { page, signIn, goTo, complaints, close } = await openDashboard({ browser, server });
	await signIn();
	const note = page.getByText('These settings are kept in the file forms.toml');
	await goTo(`/forms/${kept.id}/settings`);
	await note.waitFor();
	await goTo(`/forms/${other.id}/settings`);
	await page.getByRole('heading', { name: 'Privacy' }).waitFor();
	expect(await note.count()).toBe(0);
	expect(complaints).toEqual([]);
	await close();
});

test('what is typed for a number and is none is named, and changes nothing', async () => {
	const rules = { files: { maxFiles: 3 }, fields: [{ name: 'age', type: 'number', min: 18 }] };
	const form = await server.createForm<Made>({ name: 'Numbers', ...rules });
	const { page, signIn, goTo, close } = await openDashboard({ browser, server });
	await signIn();
	await goTo(`/forms/${form.id}/settings`);
	await page.getByRole('button', { name: 'age' }).first().click();
	const inputs: [group: string, label: string, typed: string, says: string][] = [
		['Spam', 'Spam from a score of', 'five', 'This must be a number, or empty.'],
		['Files', 'Number of files', 'five', 'This must be a whole number, or empty.'],
		['Rules', 'Not less than', '1e400', 'This must be a number.'],
	];
	for (const [group, label, typed, says] of inputs) {
		const region = page.getByRole('region', { name: group, exact: true });
		await region.getByLabel(label).fill(typed);
		await region.getByRole('button', { name: 'Save changes' }).click();
		await region.getByText(says).waitFor();
	}
	const { body } = await server.call(`GET /api/forms/${form.id}`);
	expect(body).toMatchObject({ spam: { threshold: 5 }, ...rules });
	await close();
});

test('a switch that could not be saved shows what is stored', async () => {
	const form = await createForm(server, 'Switch');
	const { page, signIn, goTo, close } = await openDashboard({ browser, server });
	await signIn();
	await goTo(`/forms/${form.id}/settings`);
	await page.route(`**/api/forms/${form.id}`, (route) =>
		route.fulfill({ status: 429, json: { error: 'Too many requests.', code: 'RATE_LIMITED' } }),
	);
	await page.getByRole('switch', { name: 'Accept submissions', checked: true }).click();
	await page.getByText('Too many requests.').waitFor();
	await page.getByRole('switch', { name: 'Accept submissions', checked: true }).waitFor();
	await close();
});
