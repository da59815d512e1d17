/** The dashboard says why a submission is spam, blocks senders, and keeps the lists. */

import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { findAccessibilityFaults } from '../browser.ts';
import { until } from '../until.ts';
import { createForm, DESKTOP, openDashboard, openServerAndBrowser, PHONE, submissionsOf } from './dashboard.ts';

setDefaultTimeout(60_000);

const { server, browser } = await openServerAndBrowser();

const ADVERT = {
	name: 'Max',
	email: 'max@spam.example',
	message: 'Online CASINO, get $5,000 for FREE!!!! [url=https://win.prize.xyz]CLAIM YOUR PRIZE[/url]',
};

async function setUp(
	name: string,
	fields: object = ADVERT,
	look: { viewport?: typeof DESKTOP; colorScheme?: 'dark' | 'light' } = {},
) {
	const form = await createForm(server, name);
	await server.submit(form.slug, fields);
	const dashboard = await openDashboard({ browser, server, ...look });
	await dashboard.signIn();
	const [spam] = await submissionsOf(server, form.id, '?filter=spam');
	const [genuine] = await submissionsOf(server, form.id);
	const id = (spam ?? genuine)?.id;
	await dashboard.goTo(`/forms/${form.id}/submissions/${id}${spam ? '?filter=spam' : ''}`);
	return { ...dashboard, form, id };
}

describe('the verdict', () => {
	test.each([
		['light and wide', { viewport: DESKTOP, colorScheme: 'light' as const }],
		['dark and narrow', { viewport: PHONE, colorScheme: 'dark' as const }],
	])('answers why it is spam: signs, points, sum and threshold; %s', async (title, look) => {
		const { page, complaints, close } = await setUp(`Why ${title}`, ADVERT, look);
		const verdict = page.getByRole('region', { name: 'Why is this spam?' });
		await verdict.waitFor();
		const text = ((await verdict.textContent()) ?? '').replace(/\s+/g, ' ');
		expect(text).toMatch(/It has [\d.]+ points\. This form treats 5 points or more as spam\./);
		expect(text).toMatch(
			/\+4\.5 ?Markup for links: “\[url” in \d+ words ?It has links in the markup of websites or forums/,
		);
		expect(text).toContain('Where a link leads: win.prize.xyz');
		const points = await verdict.locator('tbody .points').allInnerTexts();
		const sum = points.reduce((tenths, one) => tenths + Math.round(Number(one) * 10), 0) / 10;
		expect(await verdict.locator('tfoot .points').textContent()).toBe(`${sum}`);
		expect(await findAccessibilityFaults(page)).toEqual([]);
		expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
		expect(complaints).toEqual([]);
		await close();
	});

	test('has its points in the list of spam, on a wide and on a narrow screen', async () => {
		for (const viewport of [DESKTOP, PHONE]) {
			const { page, form, goTo, close } = await setUp(`List ${viewport.width}`, ADVERT, { viewport });
			await goTo(`/forms/${form.id}?filter=spam`);
			const [spam] = await submissionsOf(server, form.id, '?filter=spam');
			await page.getByText(`Spam score ${spam?.spamScore}`).first().waitFor({ state: 'attached' });
			expect(await findAccessibilityFaults(page)).toEqual([]);
			await close();
		}
	});

	test('of a genuine message with some signs is there if it is asked for', async () => {
		const { page, close } = await setUp('Some signs', {
			name: 'Ada',
			message: 'See https://a.example for the drawings',
		});
		await page.getByText('Spam score 0.5 of 5').click();
		await page.getByText('It has 0.5 points. This form treats 5 points or more as spam.').waitFor();
		expect(await findAccessibilityFaults(page)).toEqual([]);
		await close();
	});

	test('follows a mark, by one key', async () => {
		const { page, form, id, close } = await setUp('Marks', { name: 'Ada', message: 'Hello' });
		await page.getByRole('heading', { name: 'Ada' }).waitFor();
		await page.keyboard.press('!');
		await until(async () => (await submissionsOf(server, form.id, '?filter=spam')).length === 1);
		await page.goto(`${server.baseUrl}/#/forms/${form.id}/submissions/${id}?filter=spam`);
		await page.getByText('It was marked as spam by hand.').waitFor();
		await close();
	});
});

test('a genuine message in the inbox is marked as such by one key, and stays there', async () => {
	const { page, form, id, close } = await setUp('Genuine', { name: 'Ada', message: 'Hello' });
	await page.getByRole('heading', { name: 'Ada' }).waitFor();
	await page.keyboard.press('+');
	await page.getByText('1 submission marked as genuine.').waitFor();
	const { body } = await server.call<{ mark: string }>(`GET /api/forms/${form.id}/submissions/${id}/spam`);
	expect(body.mark).toBe('genuine');
	expect(await submissionsOf(server, form.id)).toHaveLength(1);
	await close();
});

describe('blocking', () => {
	test('has its panel on the screen of a phone', async () => {
		const { page, close } = await setUp(
			'Blocks on a phone',
			{ name: 'Eve', email: 'eve@spam.example' },
			{ viewport: PHONE },
		);
		await page.getByLabel('Block the sender').click();
		const box = await page.locator('.block-menu').boundingBox();
		expect(box?.x).toBeGreaterThanOrEqual(0);
		expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(PHONE.width);
		expect(await findAccessibilityFaults(page)).toEqual([]);
		await close();
	});

	test('a domain from the inbox moves the submission to spam, and what comes from there later', async () => {
		const { page, form, close, complaints } = await setUp('Blocks', {
			name: 'Eve',
			email: 'eve@spam.example',
			message: 'Hello',
		});
		await page.getByLabel('Block the sender').click();
		expect(await findAccessibilityFaults(page)).toEqual([]);
		await page.getByRole('button', { name: 'Block all of spam.example' }).click();
		await page.getByText('spam.example is blocked at this form.').waitFor();
		await until(async () => (await submissionsOf(server, form.id, '?filter=spam')).length === 1);
		await server.submit(form.slug, { email: 'other@mail.spam.example', message: 'Me too' });
		expect(await submissionsOf(server, form.id)).toHaveLength(0);
		expect(complaints).toEqual([]);
		await close();
	});

	test('at all forms is taken back by the toast', async () => {
		const { page, close } = await setUp('Blocks all', { name: 'Eve', email: 'eve@spam.example', message: 'Hello' });
		const listed = async () => (await server.call<{ block: string[] }>('GET /api/lists')).body.block;
		await page.getByLabel('Block the sender').click();
		await page.getByRole('switch', { name: 'At all forms' }).check();
		await page.getByRole('button', { name: 'Block eve@spam.example' }).click();
		await page.getByText('eve@spam.example is blocked at all forms.').waitFor();
		expect(await listed()).toEqual(['email:eve@spam.example']);
		await page.getByRole('button', { name: 'Unblock' }).click();
		await until(async () => (await listed()).length === 0);
		await close();
	});
});

test('the lists of a form are edited in its settings, with faults beside them', async () => {
	const { page, form, goTo, close } = await setUp('Lists', { a: 'b' });
	await goTo(`/forms/${form.id}/settings`);
	await page.getByLabel('Block list').fill('domain:Spam.example\n\ntext:buy followers\nnonsense');
	await page.getByRole('button', { name: 'Save lists' }).click();
	await page.getByText('“nonsense” must be email:, domain:, cidr: or text:').waitFor();
	await page.getByLabel('Block list').fill('domain:Spam.example\n\ntext:buy followers');
	await page.getByLabel('Allow list').fill('email:ada@example.com');
	await page.getByRole('button', { name: 'Save lists' }).click();
	await page.getByText('Lists saved.').waitFor();
	expect(await page.getByLabel('Block list').inputValue()).toBe('domain:spam.example\ntext:buy followers');
	expect((await server.call(`GET /api/forms/${form.id}/lists`)).body).toEqual({
		block: ['domain:spam.example', 'text:buy followers'],
		allow: ['email:ada@example.com'],
	});
	expect(await findAccessibilityFaults(page)).toEqual([]);
	await goTo('/settings');
	await page.getByRole('heading', { name: 'Blocked and allowed at all forms' }).waitFor();
	await close();
});

test('lists are saved without undoing what another owner has added and removed meanwhile', async () => {
	const { page, form, goTo, close } = await setUp('Lists of two', { a: 'b' });
	const route = `/api/forms/${form.id}/lists` as const;
	await server.call(`PATCH ${route}`, {
		json: { block: ['domain:a.example', 'domain:b.example', 'domain:c.example'] },
	});
	await goTo(`/forms/${form.id}/settings`);
	const input = page.getByLabel('Block list');
	await input.fill('domain:b.example\ndomain:c.example\ndomain:ours.example');
	await server.call(`PATCH ${route}`, {
		json: { block: { add: ['domain:theirs.example'], remove: ['domain:b.example'] } },
	});
	await page.getByRole('button', { name: 'Save lists' }).click();
	await page.getByText('Lists saved.').waitFor();
	const kept = ['domain:c.example', 'domain:theirs.example', 'domain:ours.example'];
	expect((await server.call(`GET ${route}`)).body).toEqual({ block: kept, allow: [] });
	expect(await input.inputValue()).toBe(kept.join('\n'));
	await close();
});

test('what is typed while lists are saved stays, and is saved next', async () => {
	const { page, form, goTo, close } = await setUp('Slow lists', { a: 'b' });
	const route = `/api/forms/${form.id}/lists` as const;
	await goTo(`/forms/${form.id}/settings`);
	const input = page.getByLabel('Block list');
	const save = page.getByRole('button', { name: 'Save lists' });
	await input.waitFor();
	const saving = Promise.withResolvers<void>();
	await page.route(`**${route}`, async (request) => {
		await saving.promise;
		await request.continue();
	});
	await input.fill('domain:a.example');
	await save.click();
	await page.getByRole('button', { name: 'Saving…' }).waitFor();
	await server.call(`PATCH ${route}`, { json: { block: { add: ['domain:theirs.example'] } } });
	await input.fill('domain:a.example\ndomain:b.example');
	saving.resolve();
	await page.getByText('Lists saved.').waitFor();
	expect(await input.inputValue()).toBe('domain:a.example\ndomain:b.example');
	await save.click();
	await until(async () => (await input.inputValue()).includes('theirs'));
	const { body } = await server.call<{ block: string[] }>(`GET ${route}`);
	expect(body.block.toSorted()).toEqual(['domain:a.example', 'domain:b.example', 'domain:theirs.example']);
	await close();
});
