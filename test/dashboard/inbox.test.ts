/** Working in the inbox, in a real browser: by keyboard, live, with slips of the finger, over many pages. */

import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { until } from '../until.ts';
import { createForm, openDashboard, openServerAndBrowser, PHONE, row, submissionsOf } from './dashboard.ts';

setDefaultTimeout(60_000);

const { server, browser } = await openServerAndBrowser();

/** The text of the row that has the focus; of the whole page it would hold anything. */
const focusedRow = (page: Page) => page.evaluate(() => document.activeElement?.closest('.row-link')?.textContent);

describe('the keyboard', () => {
	test('reads, stars and leaves a submission that arrives while the list stands open', async () => {
		const form = await createForm(server, 'Keys');
		await server.submit(form.slug, { name: 'First' });
		const { page, signIn, goTo, complaints, close } = await openDashboard({ browser, server });
		await signIn();
		await goTo(`/forms/${form.id}`);
		await row(page, 'First').waitFor();
		await server.submit(form.slug, { name: 'Second' });
		await row(page, 'Second').waitFor();

		for (const key of ['j', 'j', 'k', 'Enter']) await page.keyboard.press(key);
		await page.getByRole('heading', { name: 'Second' }).waitFor();
		await page.keyboard.press('s');
		await until(async () => (await submissionsOf(server, form.id, '?filter=starred'))[0]?.isRead === true);
		await page.keyboard.press('e');
		await until(async () => (await submissionsOf(server, form.id, '?filter=unread')).length === 2);
		await page.keyboard.press('Escape');
		await page.getByRole('row').getByRole('link', { name: 'Second' }).waitFor();
		// The focus comes back with the frame after the list.
		await until(async () => (await focusedRow(page))?.includes('Second') === true);
		expect(complaints).toEqual([]);
		await close();
	});

	test('leads to other views by two keys, and can be switched off', async () => {
		const { page, signIn, close } = await openDashboard({ browser, server });
		await signIn();
		await page.keyboard.press('g');
		await page.keyboard.press('k');
		await page.getByRole('heading', { name: 'API keys' }).waitFor();
		await page.keyboard.press('?');
		await page.getByRole('switch', { name: 'Use single-key shortcuts' }).uncheck();
		await page.keyboard.press('Escape');
		await page.keyboard.press('g');
		await page.keyboard.press('f');
		expect(page.url()).toEndWith('#/keys');
		await close();
	});
});

describe('a slip of the finger', () => {
	test('while deleting is undone before the request to the server', async () => {
		const form = await createForm(server, 'Undo');
		await server.submit(form.slug, { name: 'Keep me' });
		await server.submit(form.slug, { name: 'Drop me' });
		const { page, signIn, goTo, close } = await openDashboard({ browser, server });
		await signIn();
		await goTo(`/forms/${form.id}`);

		await row(page, 'Keep me').getByRole('checkbox').check();
		await page.keyboard.press('#');
		await row(page, 'Keep me').waitFor({ state: 'detached' });
		await page.getByRole('button', { name: 'Undo' }).click();
		await row(page, 'Keep me').waitFor();

		await row(page, 'Drop me').getByRole('checkbox').check();
		await page.keyboard.press('#');
		await row(page, 'Drop me').waitFor({ state: 'detached' });
		expect(await submissionsOf(server, form.id)).toHaveLength(2);
		await page.getByRole('button', { name: 'Dismiss' }).click();
		await until(async () => (await submissionsOf(server, form.id)).length === 1);
		await row(page, 'Keep me').waitFor();
		await close();
	});

	test('is not counted off a search that does not find it', async () => {
		const form = await createForm(server, 'Counted');
		for (const name of ['Keep me', 'Keep that', 'Drop me']) await server.submit(form.slug, { name });
		await until(async () => (await submissionsOf(server, form.id, '?search=that')).length === 1);
		const { page, signIn, goTo, close } = await openDashboard({ browser, server });
		await signIn();
		await goTo(`/forms/${form.id}`);
		await row(page, 'Drop me').getByRole('checkbox').check();
		await page.keyboard.press('#');
		await row(page, 'Drop me').waitFor({ state: 'detached' });
		await page.getByLabel('Search submissions').fill('that');
		await page.getByRole('status').getByText('1 found').waitFor();
		await page.getByRole('button', { name: 'Undo' }).click();
		await close();
	});

	test('while deleting is not undone by leaving the page', async () => {
		const form = await createForm(server, 'Leaving');
		await server.submit(form.slug, { name: 'Drop me' });
		const { page, signIn, goTo, close } = await openDashboard({ browser, server });
		await signIn();
		await goTo(`/forms/${form.id}`);
		await row(page, 'Drop me').getByRole('checkbox').check();
		await page.keyboard.press('#');
		await row(page, 'Drop me').waitFor({ state: 'detached' });
		await page.goto('about:blank');
		await until(async () => (await submissionsOf(server, form.id)).length === 0);
		await close();
	});

	test('does not reach rows that moved to the next page while they were selected', async () => {
		const form = await createForm(server, 'Moved on');
		for (let i = 0; i < 52; i++) await server.submit(form.slug, { name: `Old ${i}` });
		const { page, signIn, goTo, close } = await openDashboard({ browser, server });
		await signIn();
		await goTo(`/forms/${form.id}`);
		const whole = page.getByRole('checkbox', { name: 'Select this page' });
		await whole.check();
		for (const name of ['New 1', 'New 2']) await server.submit(form.slug, { name });
		await page.getByRole('button', { name: '2 new' }).click();
		await row(page, 'New 2').waitFor();
		await page.getByRole('toolbar').getByText('48 selected').waitFor();
		expect(await whole.isChecked()).toBe(false);
		await page.keyboard.press('#');
		await page.getByText('48 submissions deleted').first().waitFor();
		await page.getByRole('button', { name: 'Dismiss' }).click();
		await until(async () => (await submissionsOf(server, form.id)).length === 6);
		await close();
	});

	test('that moved many to spam is undone', async () => {
		const form = await createForm(server, 'Bulk');
		for (const name of ['One', 'Two', 'Three']) await server.submit(form.slug, { name });
		const { page, signIn, goTo, close } = await openDashboard({ browser, server });
		await signIn();
		await goTo(`/forms/${form.id}`);
		await page.getByRole('checkbox', { name: 'Select this page' }).check();
		await page.getByRole('toolbar').getByRole('button', { name: 'Spam' }).click();
		await page.getByText('3 submissions moved to spam').waitFor();
		expect(await submissionsOf(server, form.id, '?filter=spam')).toHaveLength(3);
		await page.getByRole('button', { name: 'Undo' }).click();
		await until(async () => (await submissionsOf(server, form.id)).length === 3);
		await row(page, 'Two').waitFor();
		await close();
	});
});

describe('the open submission', () => {
	test('is that of the address, also if one opened before it arrives later', async () => {
		const form = await createForm(server, 'Late');
		await server.submit(form.slug, { name: 'Left behind' });
		await server.submit(form.slug, { name: 'Open now' });
		const [now, before] = await submissionsOf(server, form.id);
		const { page, signIn, goTo, close } = await openDashboard({ browser, server });
		await signIn();
		const gate = Promise.withResolvers<void>();
		await page.route(`**/submissions/${before?.id}`, async (route) => {
			if (route.request().method() === 'GET') await gate.promise;
			await route.continue();
		});
		await goTo(`/forms/${form.id}/submissions/${before?.id}`);
		await page.getByRole('link', { name: 'Open now' }).click();
		await page.getByRole('heading', { name: 'Open now' }).waitFor();
		const late = page.waitForResponse((response) => response.url().endsWith(`/submissions/${before?.id}`));
		gate.resolve();
		await (await late).finished();

		await page.keyboard.press('s');
		await until(async () => (await submissionsOf(server, form.id, '?filter=starred')).length === 1);
		expect((await submissionsOf(server, form.id, '?filter=starred'))[0]?.id).toBe(now?.id as string);
		expect(await page.getByRole('heading', { name: 'Open now' }).isVisible()).toBe(true);
		await close();
	});

	test('says why it could not be loaded, and tries again', async () => {
		const form = await createForm(server, 'Busy');
		await server.submit(form.slug, { name: 'Ada' });
		const [submission] = await submissionsOf(server, form.id);
		const { page, signIn, goTo, close } = await openDashboard({ browser, server });
		await signIn();
		const busy = { status: 503, json: { error: 'Busy for a moment.', code: 'BUSY' } };
		await page.route(`**/submissions/${submission?.id}`, (route) => route.fulfill(busy), { times: 1 });
		await goTo(`/forms/${form.id}/submissions/${submission?.id}`);
		const detail = page.getByRole('article', { name: 'Submission' });
		await detail.getByRole('alert').getByText('Busy for a moment.').waitFor();
		await detail.getByRole('button', { name: 'Try again' }).click();
		await detail.getByRole('heading', { name: 'Ada' }).waitFor();
		await close();
	});
});

describe('a page of the inbox', () => {
	test('has the focus where it was after a submission far down was read', async () => {
		const form = await createForm(server, 'Far down');
		for (let count = 1; count <= 40; count += 1) await server.submit(form.slug, { name: `Person ${count}.` });
		const { page, signIn, goTo, close } = await openDashboard({ browser, server });
		await signIn();
		await goTo(`/forms/${form.id}`);
		await row(page, 'Person 2.').getByRole('link').click();
		await page.getByRole('heading', { name: 'Person 2.' }).waitFor();
		await page.keyboard.press('Escape');
		await row(page, 'Person 2.').waitFor();
		await until(async () => (await focusedRow(page))?.includes('Person 2.') === true);
		await close();
	});

	test('is full, the next one begins where it ends, and everything can be marked at once', async () => {
		const form = await createForm(server, 'Pages');
		for (let count = 1; count <= 120; count += 1) await server.submit(form.slug, { name: `Person ${count}.` });
		const { page, signIn, goTo, close } = await openDashboard({ browser, server });
		await signIn();
		await goTo(`/forms/${form.id}`);
		await row(page, 'Person 120.').waitFor();
		await row(page, 'Person 71.').waitFor();
		await page.getByRole('link', { name: 'Next page' }).click();
		await row(page, 'Person 70.').waitFor();
		await page.getByText('51–100 of 120').waitFor();

		await page.getByRole('checkbox', { name: 'Select this page' }).check();
		await page.getByRole('button', { name: 'Select all 120' }).click();
		await page.getByRole('button', { name: 'Mark read' }).click();
		await page.getByText('120 submissions marked as read').waitFor();
		expect(await submissionsOf(server, form.id, '?filter=unread')).toEqual([]);
		await close();
	});

	test('gives way to the last one once it is emptied, and so does one that never was', async () => {
		const form = await createForm(server, 'Emptied');
		for (let count = 1; count <= 52; count += 1) await server.submit(form.slug, { name: `Person ${count}.` });
		const { page, signIn, goTo, complaints, close } = await openDashboard({ browser, server });
		await signIn();
		await goTo(`/forms/${form.id}?page=7`);
		await page.getByText('51–52 of 52').waitFor();
		await row(page, 'Person 1.').waitFor();
		await page.getByRole('checkbox', { name: 'Select this page' }).check();
		await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click();
		await row(page, 'Person 3.').waitFor();
		expect(page.url()).toEndWith(`/forms/${form.id}`);
		await page.goBack();
		await page.waitForURL((url) => !url.hash.includes(form.id));
		expect(complaints).toEqual([]);
		await close();
	});

	test('that is emptied by reading its last row gives way, and the row stays open', async () => {
		const form = await createForm(server, 'Read');
		for (let count = 1; count <= 51; count += 1) await server.submit(form.slug, { name: `Person ${count}.` });
		const { page, signIn, goTo, complaints, close } = await openDashboard({ browser, server });
		await signIn();
		await goTo(`/forms/${form.id}?filter=unread&page=2`);
		await row(page, 'Person 1.').click();
		await page.getByRole('heading', { name: 'Person 1.' }).waitFor();
		await until(async () => (await submissionsOf(server, form.id, '?order=asc&limit=1'))[0]?.isRead === true);
		const open = new URL(page.url()).hash.replace(/\?.*/, '');
		await page.reload();
		await page.waitForURL((url) => !url.hash.includes('page=2'));
		await page.getByText('Person 2.').first().waitFor();
		expect(new URL(page.url()).hash).toBe(`${open}?filter=unread`);
		await page.getByRole('heading', { name: 'Person 1.' }).waitFor();
		expect(complaints).toEqual([]);
		await close();
	});

	test('has the bar of what is selected on one line of a phone', async () => {
		const form = await createForm(server, 'Bar');
		await server.submit(form.slug, { name: 'Ada' });
		const { page, signIn, goTo, close } = await openDashboard({ browser, server, viewport: PHONE });
		await signIn();
		await goTo(`/forms/${form.id}`);
		await page.getByRole('checkbox').check();
		const boxOf = (name: string) => page.getByRole('button', { name }).boundingBox();
		const [first, last] = [await boxOf('Mark read'), await boxOf('Clear selection')];
		expect(last?.y).toBe(first?.y as number);
		expect((last?.x ?? PHONE.width) + (last?.width ?? 0)).toBeLessThanOrEqual(PHONE.width);
		await close();
	});

	test('has its rows within reach in the window that a zoom of 400 % leaves', async () => {
		const form = await createForm(server, 'Zoomed');
		for (let i = 0; i < 5; i += 1) await server.submit(form.slug, { name: `Visitor ${i}` });
		const viewport = { width: 320, height: 180 };
		const { page, signIn, goTo, close } = await openDashboard({ browser, server, viewport });
		await signIn();
		await goTo(`/forms/${form.id}`);
		const first = page.getByRole('link', { name: 'Visitor 0' });
		await first.scrollIntoViewIfNeeded();
		const isOnTop = await first.evaluate((link) => {
			const { x, y, width, height } = link.getBoundingClientRect();
			return link.contains(document.elementFromPoint(x + width / 2, y + height / 2));
		});
		expect(isOnTop).toBe(true);
		await close();
	});

	test.each([320, 360])('has the bar of an open submission within a screen of %d pixels', async (width) => {
		const form = await createForm(server, 'Narrow');
		await server.submit(form.slug, { name: 'Ada' });
		const [ada] = await submissionsOf(server, form.id);
		const { page, signIn, goTo, close } = await openDashboard({ browser, server, viewport: { width, height: 640 } });
		await signIn();
		await goTo(`/forms/${form.id}/submissions/${ada?.id}`);
		const last = await page.getByRole('button', { name: 'Next' }).boundingBox();
		expect((last?.x ?? width) + (last?.width ?? 0)).toBeLessThanOrEqual(width);
		await close();
	});

	test('of which all is selected, on other pages too, is not changed in part by a key', async () => {
		const form = await createForm(server, 'All by keys');
		for (let i = 0; i < 55; i += 1) await server.submit(form.slug, { name: `Visitor ${i}` });
		const { page, signIn, goTo, close } = await openDashboard({ browser, server });
		await signIn();
		await goTo(`/forms/${form.id}`);
		await page.getByLabel('Select this page').check();
		await page.getByRole('button', { name: 'Select all 55' }).click();
		const bar = page.getByRole('toolbar', { name: 'Selected submissions' });
		await bar.getByText('All 55 selected').waitFor();
		for (const key of ['a', 's', '#']) await page.keyboard.press(key);
		await bar.getByText('All 55 selected').waitFor();
		await bar.getByRole('button', { name: 'Star' }).click();
		await page.getByText('55 submissions starred.').waitFor();
		expect(await page.locator('.toast').count()).toBe(1);
		await close();
	});

	test('shows what others have changed while rows were selected, once none is', async () => {
		const form = await createForm(server, 'Selected');
		for (const name of ['Ada', 'Grace']) await server.submit(form.slug, { name });
		const [grace, ada] = await submissionsOf(server, form.id);
		const { page, signIn, goTo, close } = await openDashboard({ browser, server });
		await signIn();
		const isLive = page.waitForResponse(/\/api\/events$/);
		await goTo(`/forms/${form.id}`);
		await page.reload();
		await isLive;
		await page.getByLabel('Select Ada').check();
		await server.call(`DELETE /api/forms/${form.id}/submissions/${grace?.id}`);
		await page.waitForFunction(() => document.querySelector('.filters')?.textContent?.startsWith('All1'));
		await row(page, 'Grace').waitFor();
		await page.getByLabel('Select Ada').uncheck();
		await row(page, 'Grace').waitFor({ state: 'detached' });
		expect((await submissionsOf(server, form.id)).map(({ id }) => id)).toEqual([ada?.id ?? '']);
		await close();
	});

	test('all that a search finds is deleted after the question with its number', async () => {
		const form = await createForm(server, 'Doomed');
		for (let n = 0; n < 52; n++) await server.submit(form.slug, { email: 'ada@example.org' });
		await server.submit(form.slug, { email: 'bob@example.org' });
		await server.app.storage.search.catchUp();
		const { page, signIn, goTo, complaints, close } = await openDashboard({ browser, server });
		await signIn();
		await goTo(`/forms/${form.id}?search=ada`);
		await page.getByRole('checkbox', { name: 'this page' }).check();
		await page.getByRole('button', { name: 'Select all 52' }).click();
		// A later one was not seen; it shows once nothing is selected any more.
		const comeLater = async () => {
			await server.submit(form.slug, { email: 'ada@example.org' });
			await server.app.storage.search.catchUp();
		};
		await page.getByText('All 52 selected').waitFor();
		await comeLater();
		await page.getByRole('button', { name: 'Delete', exact: true }).click();
		const dialog = page.getByRole('dialog');
		await dialog.getByRole('heading', { name: 'Delete 52 submissions?' }).waitFor();
		await comeLater();
		await dialog.getByLabel('Type “delete” to confirm').fill('delete');
		await dialog.getByRole('button', { name: 'Delete all' }).click();
		await page.getByText('52 submissions deleted').waitFor();
		await page.getByRole('toolbar').waitFor({ state: 'detached' });
		await page.getByText('2 found').waitFor();
		expect(await submissionsOf(server, form.id)).toHaveLength(3);
		expect(complaints).toEqual([]);
		await close();
	});

	test('what is typed while a search begins stays in the field', async () => {
		const form = await createForm(server, 'Typed');
		await server.submit(form.slug, { email: 'ada@example.org' });
		await server.submit(form.slug, { email: 'ad@example.org' });
		await server.app.storage.search.catchUp();
		const { page, signIn, goTo, complaints, close } = await openDashboard({ browser, server });
		await signIn();
		await goTo(`/forms/${form.id}`);
		await row(page, 'ad@example.org').waitFor();
		await page.evaluate(() => {
			const replace = history.replaceState.bind(history);
			history.replaceState = (...state) => {
				replace(...state);
				history.replaceState = replace;
				document.execCommand('insertText', false, 'a');
			};
		});
		await page.getByLabel('Search submissions').pressSequentially('ad');
		await page.waitForURL(/search=ada/);
		await row(page, 'ad@example.org').waitFor({ state: 'detached' });
		await row(page, 'ada@example.org').waitFor();
		expect(await page.getByLabel('Search submissions').inputValue()).toBe('ada');
		await page.getByRole('link', { name: 'Clear' }).click();
		await row(page, 'ad@example.org').waitFor();
		await page.waitForFunction(() => document.querySelector<HTMLInputElement>('#inbox-search')?.value === '');
		expect(complaints).toEqual([]);
		await close();
	});

	test('a flag that is refused late takes back nothing else that was set meanwhile', async () => {
		const form = await createForm(server, 'Refused');
		await server.submit(form.slug, { name: 'Ada' });
		const [submission] = await submissionsOf(server, form.id);
		const { page, signIn, goTo, close } = await openDashboard({ browser, server });
		await signIn();
		const held = Promise.withResolvers<void>();
		await page.route(`**/submissions/${submission?.id}`, async (route) => {
			if (!route.request().postData()?.includes('isRead')) return route.continue();
			await held.promise;
			return route.fulfill({ status: 503, json: { error: 'Busy for a moment.', code: 'BUSY' } });
		});
		await goTo(`/forms/${form.id}/submissions/${submission?.id}`);
		const detail = page.getByRole('article', { name: 'Submission' });
		await detail.getByRole('textbox', { name: 'Note' }).fill('Call her');
		await detail.getByRole('button', { name: 'Star' }).click();
		await until(async () => (await submissionsOf(server, form.id, '?filter=starred&search=Ada')).length === 1);
		await detail.getByRole('button', { name: 'Unstar', pressed: true }).waitFor();
		held.resolve();
		await page.getByText('Busy for a moment.').waitFor();
		expect(await detail.getByRole('button', { name: 'Unstar', pressed: true }).count()).toBe(1);
		expect(await detail.getByRole('textbox', { name: 'Note' }).inputValue()).toBe('Call her');
		expect(await detail.getByRole('button', { name: 'Mark read' }).count()).toBe(1);
		await close();
	});

	test('a list of forms that arrives late hides no newer form', async () => {
		const { page, signIn, goTo, complaints, close } = await openDashboard({ browser, server });
		const late: (() => void)[] = [];
		await signIn();
		await page.getByRole('heading', { name: 'Forms', level: 1 }).waitFor();
		await page.route('**/api/forms', async (route) => {
			const response = await route.fetch();
			if (late.length === 0) await new Promise<void>((resolve) => late.push(resolve));
			await route.fulfill({ response });
		});
		const before = await createForm(server, 'Before');
		await server.submit(before.slug, { email: 'ada@example.org' });
		await until(() => late.length > 0);
		const after = await createForm(server, 'After');
		await goTo(`/forms/${after.id}/settings`);
		await page.getByRole('heading', { name: 'After', level: 1 }).waitFor();
		late[0]?.();
		await page.waitForTimeout(300);
		await page.getByRole('button', { name: 'Delete form…' }).waitFor({ timeout: 1000 });
		expect(complaints).toEqual([]);
		await close();
	});
});
