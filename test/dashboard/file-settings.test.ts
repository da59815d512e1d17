/** Files in the dashboard where no submission is open: a form's setting, its snippets, the room they take. */

import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Form } from '../../src/forms/schema.ts';
import { openSite } from '../site.ts';
import { until } from '../until.ts';
import { createForm, openDashboard, openServerAndBrowser } from './dashboard.ts';

setDefaultTimeout(60_000);

const { server, browser } = await openServerAndBrowser({ settings: { FORMSRV_FILES_QUOTA: '1MB' } });

const formOf = async (id: string) => (await server.call<Form>(`GET /api/forms/${id}`)).body;

async function sendFile(slug: string, bytes: number): Promise<void> {
	const body = new FormData();
	body.append('files', new File([new Uint8Array(bytes)], 'zeros.bin'));
	const response = await fetch(`${server.submitUrl}/f/${slug}`, { method: 'POST', body, redirect: 'manual' });
	expect(response.status).toBe(303);
}

describe('what visitors may attach', () => {
	test('is set in the form’s settings: how many, how large, which types, or nothing', async () => {
		const form = await createForm(server, 'Rules');
		const { page, signIn, goTo, complaints, close } = await openDashboard({ browser, server });
		await signIn();
		await goTo(`/forms/${form.id}/settings`);
		const save = async () => {
			await page.getByRole('button', { name: 'Save changes' }).click();
			await page.getByText('Settings saved.').last().waitFor();
			await page.getByRole('button', { name: 'Dismiss' }).click();
		};
		await page.getByLabel('Number of files').fill('2');
		await page.getByLabel('Size of one file').fill('1.5 MiB');
		await page.getByLabel('Types').fill('image/*, .PDF');
		await page.getByLabel('Other files').selectOption('Store the submission without the file');
		await save();
		expect((await formOf(form.id)).files).toEqual({
			maxFiles: 2,
			maxBytes: 1_572_864,
			types: ['image/*', '.pdf'],
			onRefused: 'drop',
		});
		expect(await page.getByLabel('Types').inputValue()).toBe('image/*, .pdf');

		await page.getByRole('switch', { name: 'Take files' }).uncheck();
		expect(await page.getByLabel('Size of one file').count()).toBe(0);
		await save();
		expect((await formOf(form.id)).files).toBeNull();

		await page.getByRole('switch', { name: 'Take files' }).check();
		await save();
		expect((await formOf(form.id)).files).toEqual({
			maxFiles: 5,
			maxBytes: 10_485_760,
			types: [],
			onRefused: 'refuse',
		});
		expect(complaints).toEqual([]);
		await close();
	});

	test('is sent by mail if a switch says so, which is saved at once', async () => {
		const form = await createForm(server, 'Mails');
		const { page, signIn, goTo, complaints, close } = await openDashboard({ browser, server });
		await signIn();
		await goTo(`/forms/${form.id}/settings`);
		await page.getByRole('switch', { name: 'Send files by mail' }).check();
		await until(async () => (await formOf(form.id)).attachFiles);
		expect(complaints).toEqual([]);
		await close();
	});

	test('is said beside the input that is wrong', async () => {
		const form = await createForm(server, 'Faults');
		const { page, signIn, goTo, close } = await openDashboard({ browser, server });
		await signIn();
		await goTo(`/forms/${form.id}/settings`);
		await page.getByLabel('Number of files').fill('99');
		await page.getByLabel('Size of one file').fill('huge');
		await page.getByLabel('Types').fill('pictures');
		await page.getByRole('button', { name: 'Save changes' }).click();
		await page.getByText('“pictures” must be a type').waitFor();
		const wrong = page.locator('[aria-invalid=true]');
		expect(await wrong.evaluateAll((inputs) => inputs.map((input) => (input as HTMLInputElement).value))).toEqual([
			'99',
			'huge',
			'pictures',
		]);
		await close();
	});
});

test('the snippet with a file input sends files from another website', async () => {
	const form = await createForm(server, 'Snippet');
	const { page, signIn, goTo, complaints, close } = await openDashboard({ browser, server });
	await signIn();
	await goTo(`/forms/${form.id}/connect`);
	await page.getByText('It takes 5 files of up to 10 MiB each of any type.').waitFor();
	await page.getByRole('switch', { name: 'With a file input' }).check();
	const site = openSite();
	site.setPage((await page.locator('pre').first().textContent()) ?? '');
	const visitor = await browser.newPage();
	await visitor.goto(site.url);
	for (const [name, value] of [
		['name', 'Ada'],
		['email', 'ada@example.com'],
		['message', 'See the files.'],
	] as const) {
		await visitor.locator(`[name=${name}]`).fill(value);
	}
	const sent = ['a.txt', 'b.txt'].map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name) }));
	await visitor.locator('[type=file]').setInputFiles(sent);
	await visitor.getByRole('button', { name: 'Send' }).click();
	await visitor.waitForURL(/thanks/);
	await visitor.close();
	await site.close();
	expect((await formOf(form.id)).fileBytes).toBe(8192);
	expect(complaints).toEqual([]);
	await close();
});

test('the room that files take is shown in all and of each form, and who deletes is told of them', async () => {
	const form = await createForm(server, 'Room');
	await sendFile(form.slug, 460_000);
	const { page, signIn, goTo, complaints, close } = await openDashboard({ browser, server });
	await signIn();
	await goTo('/settings');
	const bars = page.locator('.use');
	await bars.filter({ hasText: 'All forms' }).getByText('457.2 KiB of 976.6 KiB').waitFor();
	const own = bars.filter({ hasText: form.slug });
	expect(await own.getByText('449.2 KiB of 488.3 KiB').count()).toBe(1);
	expect(await own.evaluate((bar) => bar.classList.contains('full'))).toBe(true);
	expect(await own.locator('progress').evaluate((bar) => (bar as HTMLProgressElement).position)).toBe(0.92);
	await goTo('/');
	await page.getByRole('row').filter({ hasText: 'Room' }).getByText('449.2 KiB').waitFor();
	await goTo(`/forms/${form.id}/settings`);
	await page.getByText('their files (449.2 KiB)').waitFor();
	await page.getByRole('button', { name: 'Delete form…' }).click();
	await page.getByRole('dialog').getByText('all files attached to them').waitFor();
	expect(complaints).toEqual([]);
	await close();
});
