/** The list of forms says what has come in, what fails, and what opens or ends soon. */

import { expect, setDefaultTimeout, test } from 'bun:test';
import type { Locator } from 'playwright-core';
import { decodeId } from '../../src/ids.ts';
import { deliveries } from '../../src/storage/tables.ts';
import { DAY_MS } from '../../src/tasks/durations.ts';
import { createForm, DESKTOP, openDashboard, openServerAndBrowser } from './dashboard.ts';

setDefaultTimeout(60_000);

const { server, browser } = await openServerAndBrowser();
const SENT: Record<string, number> = { Scarce: 2, Full: 1 };
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS + 3_600_000).toISOString();

test('each form by its state, counts and failed deliveries', async () => {
	const settings = {
		Quiet: {},
		Paused: { isActive: false },
		Later: { opensAt: inDays(2) },
		Ending: { closesAt: inDays(3) },
		Lasting: { closesAt: inDays(30) },
		Over: { closesAt: inDays(-3) },
		Scarce: { maxSubmissions: 3 },
		Full: { maxSubmissions: 1 },
	};
	for (const [name, json] of Object.entries(settings)) {
		const { id, slug } = await createForm(server, name);
		const sent = SENT[name] ?? 0;
		for (let n = 0; n < sent; n++) await server.submit(slug, { n });
		if (name === 'Scarce') {
			await server.submit(slug, { n: 9, _gotcha: 'x' });
			const { storage } = server.app;
			const row = {
				id: storage.nextId(),
				formId: decodeId(id) as number,
				channel: 'webhook',
				state: 'failed',
			} as const;
			await storage.batch((tx) => [tx.insert(deliveries).values({ ...row, destination: 'https://hooks.example.com' })]);
		}
		await server.call(`PATCH /api/forms/${id}`, { json });
	}
	const { page, signIn, complaints, close } = await openDashboard({ browser, server });
	await signIn();
	const cellsOf = async (name: string) => {
		const row = page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
		const texts = await row.getByRole('cell').allInnerTexts();
		return texts.map((text) => text.replace(/\s+/g, ' ').trim());
	};
	await page.getByRole('columnheader', { name: 'Failed deliveries' }).waitFor();
	const heads = await page.getByRole('columnheader').allInnerTexts();
	const shown = async (name: string) => {
		const cells = await cellsOf(name);
		return ['State', 'Today (UTC)', 'Unread', 'Spam', 'Failed deliveries', 'All'].map(
			(head) => cells[heads.indexOf(head)],
		);
	};
	expect(await shown('Quiet')).toEqual(['Active', '0', '0', '0', '0', '0']);
	expect(await shown('Paused')).toEqual(['Paused', '0', '0', '0', '0', '0']);
	expect((await shown('Later'))[0]).toBe('Not open yet opens in 2d');
	expect((await shown('Ending'))[0]).toBe('Active closes in 3d');
	expect((await shown('Lasting'))[0]).toBe('Active');
	expect((await shown('Over'))[0]).toBe('Closed');
	expect(await shown('Scarce')).toEqual(['Active 1 place left', '2', '2', '1', '1', '2']);
	expect(await shown('Full')).toEqual(['Full', '1', '1', '0', '0', '1']);

	const scarce = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'Scarce', exact: true }) });
	await scarce.locator('.attention').click();
	await page.getByText('https://hooks.example.com').first().waitFor();
	expect(await page.evaluate(() => location.hash)).toContain('state=failed');
	expect(complaints).toEqual([]);
	await close();
});

test('many forms hide neither the rest of the navigation, nor what a key for some of them may do, nor a column', async () => {
	for (let form = 0; form < 60; form += 1) await createForm(server, `One of many ${form}`);
	await createForm(server, 'w'.repeat(200));
	const { page, signIn, complaints, close } = await openDashboard({ browser, server });
	const isSeen = async (text: Locator) => {
		const box = await text.boundingBox();
		return box !== null && box.y + box.height <= DESKTOP.height && box.x + box.width <= DESKTOP.width;
	};
	await signIn();
	await page.getByRole('row').filter({ hasText: 'www' }).waitFor();
	expect(await isSeen(page.getByRole('columnheader', { name: 'Created' }))).toBe(true);
	const keys = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'API keys' });
	expect(await isSeen(keys)).toBe(true);
	await keys.click();
	await page.getByRole('button', { name: 'New key' }).click();
	await page.getByRole('dialog').getByLabel('For', { exact: true }).selectOption({ index: 1 });
	await page.getByRole('group', { name: 'And for' }).getByLabel('One of many 0').check();
	expect(await isSeen(page.getByRole('group', { name: 'It may' }).getByText('It may'))).toBe(true);
	expect(complaints).toEqual([]);
	await close();
});
