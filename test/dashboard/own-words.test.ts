/** The archive, labels and notes in a real browser. */

import { expect, setDefaultTimeout, test } from 'bun:test';
import type { Locator } from 'playwright-core';
import { findAccessibilityFaults } from '../browser.ts';
import { until } from '../until.ts';
import {
	acceptDialogs,
	createFilledForm,
	DESKTOP,
	openDashboard,
	openServerAndBrowser,
	PHONE,
	row,
	type Stored,
} from './dashboard.ts';

setDefaultTimeout(60_000);

const { server, browser } = await openServerAndBrowser();

test('what is archived leaves the inbox, and comes back', async () => {
	const { form, stored } = await createFilledForm(server, 'Archive');
	const { page, signIn, goTo, complaints, close } = await openDashboard({ browser, server });
	await signIn();
	await goTo(`/forms/${form.id}`);
	await row(page, 'Ada').getByRole('link', { name: 'Ada' }).click();
	const detail = page.getByRole('article', { name: 'Submission' });
	await detail.getByRole('heading', { name: 'Ada' }).waitFor();
	await detail.getByRole('button', { name: 'Archive' }).click();
	await page.getByText('1 submission archived.').waitFor();
	await until(async () => (await stored('Ada')).isArchived);
	await page.keyboard.press('Escape');
	await row(page, 'Grace').waitFor();
	expect(await row(page, 'Ada').count()).toBe(0);
	const tab = (name: string) => page.getByRole('navigation', { name: 'Filter' }).getByRole('link', { name });
	await page.waitForFunction(() => document.querySelector('.filters')?.textContent?.includes('All2'));
	await tab('Archived').click();
	await row(page, 'Ada').waitFor();
	expect(await tab('Archived').textContent()).toBe('Archived1');
	await row(page, 'Ada').getByRole('link', { name: 'Ada' }).focus();
	await page.keyboard.press('j');
	await page.keyboard.press('a');
	await page.getByText('Nothing archived').waitFor();
	await page.getByText('1 submission back in the inbox.').waitFor();
	expect((await stored('Ada')).isArchived).toBe(false);
	await page.getByRole('button', { name: 'Undo' }).last().click();
	await row(page, 'Ada').waitFor();
	expect(complaints).toEqual([]);
	await close();
});

test('labels and a note are kept, shown in the list, and searched for', async () => {
	const { form, stored } = await createFilledForm(server, 'Words');
	const { page, signIn, goTo, complaints, close } = await openDashboard({ browser, server });
	await signIn();
	await goTo(`/forms/${form.id}/submissions/${(await stored('Grace')).id}`);
	const detail = page.getByRole('article', { name: 'Submission' });
	for (const label of ['Urgent', '<b>later</b>']) {
		await detail.getByLabel('New label').fill(label);
		await page.keyboard.press('Enter');
		await detail.getByRole('link', { name: label }).waitFor();
	}
	await detail.getByLabel('New label').fill('URGENT');
	await page.keyboard.press('Enter');
	await page.waitForFunction(() => document.querySelector<HTMLInputElement>('.new-label input')?.value === '');
	await detail.getByLabel('Note', { exact: true }).fill('Called back.\nTwice.');
	await page.keyboard.press('Tab');
	await until(async () => (await stored('Grace')).note === 'Called back.\nTwice.');
	expect((await stored('Grace')).labels).toEqual(['Urgent', '<b>later</b>']);
	expect(await findAccessibilityFaults(page)).toEqual([]);
	await detail.getByRole('button', { name: 'Remove the label <b>later</b>' }).click();
	await until(async () => (await stored('Grace')).labels.length === 1);

	await detail.getByRole('link', { name: 'Urgent' }).click();
	await page.getByText('1 found').waitFor();
	await row(page, 'Grace').getByText('Has a note').waitFor({ state: 'attached' });
	expect(await row(page, 'Ada').count()).toBe(0);
	await page.getByRole('link', { name: 'Clear' }).click();
	await row(page, 'Ada').waitFor();
	await page.locator('summary[aria-label="Labels"]').click();
	await page.getByRole('navigation', { name: 'Labels' }).getByRole('link', { name: 'Urgent' }).click();
	await page.getByText('1 found').waitFor();
	expect(complaints).toEqual([]);
	await close();
});

test('labels that two people change at once are both kept', async () => {
	const { form, stored } = await createFilledForm(server, 'Two');
	const { id } = await stored('Ada');
	const path = `/api/forms/${form.id}/submissions/${id}` as const;
	await server.call(`PATCH ${path}`, { json: { labels: ['First', 'Second'] } });
	const { page, signIn, goTo, close } = await openDashboard({ browser, server });
	await page.route(/\/api\/events$/, (route) => route.abort());
	await signIn();
	await goTo(`/forms/${form.id}/submissions/${id}`);
	const detail = page.getByRole('article', { name: 'Submission' });
	await detail.getByRole('link', { name: 'First' }).waitFor();
	await server.call(`PATCH ${path}`, { json: { labels: ['Second', 'Theirs'] } });
	await detail.getByLabel('New label').fill('Mine');
	await page.keyboard.press('Enter');
	await detail.getByRole('link', { name: 'Theirs' }).waitFor();
	expect((await stored('Ada')).labels).toEqual(['Second', 'Theirs', 'Mine']);
	await close();
});

test('the next label may be typed while one is stored', async () => {
	const { form, stored } = await createFilledForm(server, 'Slow');
	const { id } = await stored('Ada');
	const { page, signIn, goTo, close } = await openDashboard({ browser, server });
	await signIn();
	await goTo(`/forms/${form.id}/submissions/${id}`);
	const detail = page.getByRole('article', { name: 'Submission' });
	const storing = Promise.withResolvers<void>();
	await page.route(`**/api/forms/${form.id}/submissions`, async (route) => {
		await storing.promise;
		await route.continue();
	});
	const input = detail.getByLabel('New label');
	await input.fill('First');
	await page.keyboard.press('Enter');
	await input.fill('Second');
	storing.resolve();
	await detail.getByRole('link', { name: 'First' }).waitFor();
	await page.keyboard.press('Enter');
	await detail.getByRole('link', { name: 'Second' }).waitFor();
	expect(await input.inputValue()).toBe('');
	await close();
});

test('a note is stored when its page is closed or left while it is being written', async () => {
	const { form, stored } = await createFilledForm(server, 'Leave');
	const { id } = await stored('Ada');
	const { page, signIn, goTo, close } = await openDashboard({ browser, server });
	await signIn();
	await goTo(`/forms/${form.id}/submissions/${id}`);
	const note = page.getByLabel('Note', { exact: true });
	await note.fill('Closed');
	await page.reload();
	await until(async () => (await stored('Ada')).note === 'Closed');
	await page.reload();
	await note.fill('Left');
	await page.goBack();
	await until(async () => (await stored('Ada')).note === 'Left');
	await close();
});

test('a note that could not be stored is there again, beside one that another owner has written since', async () => {
	const { form, stored } = await createFilledForm(server, 'Away');
	const [ada, grace] = [await stored('Ada'), await stored('Grace')];
	const { page, signIn, goTo, close } = await openDashboard({ browser, server });
	await signIn();
	const note = page.getByLabel('Note', { exact: true });
	const open = async ({ id, data }: Stored) => {
		await goTo(`/forms/${form.id}/submissions/${id}`);
		await page.getByRole('heading', { name: data.name }).waitFor();
	};
	const away = /\/submissions$/;
	await page.route(away, (route) => route.abort());
	for (const [at, submission] of [ada, grace].entries()) {
		await open(submission);
		await note.fill(`Typed for ${at}`);
		const hasFailed = page.waitForEvent('requestfailed', (request) => away.test(request.url()));
		await page.keyboard.press('Escape');
		await hasFailed;
		await page.getByText('The server cannot be reached.').first().waitFor();
	}
	await page.unroute(away);
	await server.call(`PATCH /api/forms/${form.id}/submissions/${grace.id}`, { json: { note: 'Theirs' } });
	await row(page, 'Grace').getByText('Has a note').waitFor({ state: 'attached' });
	await open(grace);
	expect(await note.inputValue()).toBe('Typed for 1');
	await page.getByRole('article').getByText('Theirs', { exact: true }).waitFor();
	await page.getByRole('button', { name: 'Discard mine' }).click();
	expect(await note.inputValue()).toBe('Theirs');
	await open(ada);
	expect(await note.inputValue()).toBe('Typed for 0');
	await page.keyboard.press('Escape');
	await until(async () => (await stored('Ada')).note === 'Typed for 0');
	expect((await stored('Grace')).note).toBe('Theirs');
	await close();
});

test.each([
	['lost', 'Mine'],
	['stored', 'Theirs'],
])('a note that another owner changes while it is written is not %s without a word', async (_, kept) => {
	const { form, stored } = await createFilledForm(server, 'Both write');
	const { id } = await stored('Ada');
	const { page, signIn, goTo, close } = await openDashboard({ browser, server });
	// No event says that it has changed.
	await page.route(/\/api\/events$/, (route) => route.abort());
	await signIn();
	await goTo(`/forms/${form.id}/submissions/${id}`);
	const note = page.getByLabel('Note', { exact: true });
	await note.fill('Mine');
	await server.call(`PATCH /api/forms/${form.id}/submissions/${id}`, { json: { note: 'Theirs' } });
	await page.keyboard.press('Tab');
	const notice = page.getByRole('alert').getByText('Another owner has changed the note meanwhile');
	await notice.waitFor();
	expect((await stored('Ada')).note).toBe('Theirs');
	expect(await note.inputValue()).toBe('Mine');
	await page.getByRole('article').getByText('Theirs', { exact: true }).waitFor();
	expect(await findAccessibilityFaults(page)).toEqual([]);
	await page.getByRole('button', { name: kept === 'Mine' ? 'Store mine instead' : 'Discard mine' }).click();
	await notice.waitFor({ state: 'detached' });
	expect(await note.inputValue()).toBe(kept);
	await until(async () => (await stored('Ada')).note === kept);
	await note.fill('Later');
	await page.keyboard.press('Tab');
	await until(async () => (await stored('Ada')).note === 'Later');
	await close();
});

test('a note that both have changed is not stored as its page is closed, and the browser asks', async () => {
	const { form, stored } = await createFilledForm(server, 'Closed between');
	const { id } = await stored('Ada');
	const { page, signIn, goTo, close } = await openDashboard({ browser, server });
	const asked = acceptDialogs(page);
	await signIn();
	await goTo(`/forms/${form.id}/submissions/${id}`);
	const note = page.getByLabel('Note', { exact: true });
	await note.fill('Mine');
	await server.call(`PATCH /api/forms/${form.id}/submissions/${id}`, { json: { note: 'Theirs' } });
	await page.getByRole('alert').getByText('Another owner has changed the note').waitFor();
	await page.reload();
	await note.waitFor();
	expect(await note.inputValue()).toBe('Theirs');
	expect(asked).toEqual(['beforeunload']);
	expect((await stored('Ada')).note).toBe('Theirs');
	await close();
});

test('a note that cannot be stored because the server is away is not lost by closing the page without a question', async () => {
	const { form, stored } = await createFilledForm(server, 'Closed while away');
	const { id } = await stored('Ada');
	const { page, signIn, goTo, close } = await openDashboard({ browser, server });
	const asked: string[] = [];
	page.on('dialog', (dialog) => {
		asked.push(dialog.type());
		return dialog.dismiss();
	});
	await signIn();
	await goTo(`/forms/${form.id}/submissions/${id}`);
	const note = page.getByLabel('Note', { exact: true });
	await note.waitFor();
	await page.context().setOffline(true);
	await page.getByText('Connection lost').waitFor();
	await note.fill('Mine');
	await page.keyboard.press('Escape');
	await page.getByText('The server cannot be reached.').first().waitFor();
	await page.close({ runBeforeUnload: true });
	await until(async () => asked.length > 0);
	await page.context().setOffline(false);
	await page.getByText('Connection lost').waitFor({ state: 'detached' });
	await goTo(`/forms/${form.id}/submissions/${id}`);
	expect(await note.inputValue()).toBe('Mine');
	await note.focus();
	await page.keyboard.press('Tab');
	await until(async () => (await stored('Ada')).note === 'Mine');
	expect(asked).toEqual(['beforeunload']);
	await close();
});

test('a note typed for a submission that another owner deletes can still be read', async () => {
	const { form, stored } = await createFilledForm(server, 'Deleted under the pen');
	const { id } = await stored('Ada');
	const { page, signIn, goTo, close } = await openDashboard({ browser, server });
	await signIn();
	await goTo(`/forms/${form.id}/submissions/${id}`);
	await page.getByLabel('Note', { exact: true }).fill('Mine');
	await server.call(`DELETE /api/forms/${form.id}/submissions/${id}`);
	const detail = page.getByRole('article', { name: 'Submission' });
	await detail.getByText('This submission is gone').waitFor();
	await detail.getByText('Mine', { exact: true }).waitFor();
	expect(await findAccessibilityFaults(page)).toEqual([]);
	await close();
});

test('what is wrong with a label stands beside it, in words for people', async () => {
	const { form, stored } = await createFilledForm(server, 'Wrong label');
	const { id } = await stored('Ada');
	const { page, signIn, goTo, close } = await openDashboard({ browser, server });
	await signIn();
	await goTo(`/forms/${form.id}/submissions/${id}`);
	await page.getByLabel('New label').fill('two\u2028lines');
	await page.keyboard.press('Enter');
	const fault = page.locator('.new-label .field-error');
	await fault.waitFor();
	expect(await fault.textContent()).toMatch(/^“two\u2028lines” must be one line/);
	expect(await page.getByText('addLabels').count()).toBe(0);
	await page.getByLabel('New label').fill('one');
	await fault.waitFor({ state: 'detached' });
	await close();
});

test('the last label that has room leaves the focus where it is, and one more is told why not', async () => {
	const { form, stored } = await createFilledForm(server, 'Full');
	const { id } = await stored('Ada');
	const labels = Array.from({ length: 9 }, (_, at) => `Label ${at}`);
	await server.call(`PATCH /api/forms/${form.id}/submissions/${id}`, { json: { labels } });
	const { page, signIn, goTo, close } = await openDashboard({ browser, server });
	await signIn();
	await goTo(`/forms/${form.id}/submissions/${id}`);
	await page.getByLabel('New label').fill('Tenth');
	await page.keyboard.press('Enter');
	await until(async () => (await page.getByLabel('New label').inputValue()) === '');
	await page.keyboard.type('Eleventh');
	await page.keyboard.press('Enter');
	await page.getByText(/finds no room: .* more than 10 labels/).waitFor();
	expect((await stored('Ada')).labels).toEqual([...labels, 'Tenth']);
	await close();
});

test('a key that may only read sees them, and cannot change them', async () => {
	const { form, stored } = await createFilledForm(server, 'Read');
	const { id } = await stored('Joan');
	const json = { labels: ['Urgent'], note: 'Mine' };
	await server.call(`PATCH /api/forms/${form.id}/submissions/${id}`, { json });
	const key = await server.createKey({ permissions: ['read'] });
	const { page, signIn, goTo, close } = await openDashboard({ browser, server });
	await signIn(key);
	await goTo(`/forms/${form.id}/submissions/${id}`);
	const detail = page.getByRole('article', { name: 'Submission' });
	await detail.getByText('Mine').waitFor();
	await detail.getByRole('link', { name: 'Urgent' }).waitFor();
	expect(await detail.getByRole('button', { name: 'Archive' }).count()).toBe(0);
	expect(await detail.getByLabel('New label').count()).toBe(0);
	await close();
});

test('a note in Arabic reads from right to left, where it is written and where it is read', async () => {
	const { form, stored } = await createFilledForm(server, 'Arabic');
	const { id } = await stored('Ada');
	const note = 'اتصل به غدًا (قبل 10:00).';
	await server.call(`PATCH /api/forms/${form.id}/submissions/${id}`, { json: { note } });
	const { page, signIn, goTo, close } = await openDashboard({ browser, server });
	const directionOf = (text: Locator) => text.evaluate((element) => getComputedStyle(element).direction);
	await signIn();
	await goTo(`/forms/${form.id}/submissions/${id}`);
	expect(await directionOf(page.getByRole('textbox', { name: 'Note' }))).toBe('rtl');
	await page.getByRole('button', { name: 'Sign out' }).click();
	await signIn(await server.createKey({ permissions: ['read'] }));
	await goTo(`/forms/${form.id}/submissions/${id}`);
	expect(await directionOf(page.getByRole('article', { name: 'Submission' }).getByText(note))).toBe('rtl');
	await close();
});

test.each([
	['wide', DESKTOP],
	['narrow', PHONE],
])('a %s page has room for what is long', async (_, viewport) => {
	const { form, stored } = await createFilledForm(server, 'Long');
	const { id } = await stored('Ada');
	const labels = Array.from({ length: 10 }, (__, i) => `${i}`.repeat(40));
	await server.call(`PATCH /api/forms/${form.id}/submissions/${id}`, { json: { labels, note: 'n'.repeat(4000) } });
	const { page, signIn, goTo, close } = await openDashboard({ browser, server, viewport });
	await signIn();
	const isTooWide = () =>
		page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
	await goTo(`/forms/${form.id}`);
	await page
		.getByText(labels[0] as string)
		.first()
		.waitFor();
	expect(await isTooWide()).toBe(false);
	await goTo(`/forms/${form.id}/submissions/${id}`);
	await page.getByLabel('Note', { exact: true }).waitFor();
	expect(await isTooWide()).toBe(false);
	await close();
});

test('an open submission shows what another owner does to it, on the page of the list or not', async () => {
	const { form, stored } = await createFilledForm(server, 'Two owners');
	const { page, signIn, goTo, complaints, close } = await openDashboard({ browser, server });
	await signIn();
	const { id } = await stored('Ada');
	const change = (json: object) => server.call(`PATCH /api/forms/${form.id}/submissions/${id}`, { json });
	const detail = page.getByRole('article', { name: 'Submission' });
	const note = detail.getByLabel('Note', { exact: true });
	await goTo(`/forms/${form.id}/submissions/${id}`);
	await note.waitFor();
	await change({ isStarred: true, labels: ['Urgent'], note: 'Called back.' });
	await detail.getByRole('link', { name: 'Urgent' }).waitFor();
	await detail.getByRole('button', { name: 'Unstar', pressed: true }).waitFor();
	expect(await note.inputValue()).toBe('Called back.');

	await goTo(`/forms/${form.id}/submissions/${id}?filter=spam`);
	await page.getByText('No spam').waitFor();
	await change({ note: 'Called back twice.' });
	await until(async () => (await note.inputValue()) === 'Called back twice.');
	expect(complaints).toEqual([]);
	await server.call(`DELETE /api/forms/${form.id}/submissions/${id}`);
	await page.getByText('This submission is gone').waitFor();
	await close();
});

test('menus of many labels and views are within a small phone, and scroll', async () => {
	const { form, stored } = await createFilledForm(server, 'Many words');
	for (const [at, visitor] of ['Ada', 'Grace', 'Joan'].entries()) {
		const labels = Array.from({ length: 10 }, (_, i) => `Label ${at}${i}`);
		await server.call(`PATCH /api/forms/${form.id}/submissions/${(await stored(visitor)).id}`, { json: { labels } });
	}
	await server.call(`PATCH /api/forms/${form.id}`, { json: { views: [{ name: 'Mine', query: 'filter=starred' }] } });
	const viewport = { width: 320, height: 640 };
	const { page, signIn, goTo, close } = await openDashboard({ browser, server, viewport });
	await signIn();
	await goTo(`/forms/${form.id}`);
	await page.getByLabel('Views', { exact: true }).click();
	expect((await page.getByRole('link', { name: 'Mine' }).boundingBox())?.x).toBeGreaterThan(0);
	await page.keyboard.press('Escape');
	await page.getByLabel('Labels', { exact: true }).click();
	const menu = page.getByRole('navigation', { name: 'Labels' });
	await menu.getByRole('link').first().hover();
	const last = menu.getByRole('link', { name: 'Label 29' });
	await page.mouse.wheel(0, 5000);
	await until(async () => ((await last.boundingBox())?.y ?? viewport.height) < viewport.height - 30);
	await close();
});
