/** The files of a submission in the dashboard, in a real browser: seen, downloaded, given away, and what cannot be had. */

import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { decodeId } from '../../src/ids.ts';
import { findAccessibilityFaults } from '../browser.ts';
import { type Attached, attach, setScan } from '../submissions/files/attached.ts';
import { until } from '../until.ts';
import { createForm, openDashboard, openServerAndBrowser, row } from './dashboard.ts';
import { AVIF, GIF, JPEG, PNG, WEBP } from './pictures.ts';

setDefaultTimeout(60_000);

const { server, browser } = await openServerAndBrowser();

const text = (name: string, content = 'Hello') => new File([content], name, { type: 'text/plain' });
const picture = (name: string, bytes = PNG) => new File([bytes], name, { type: 'image/png' });

/** A submission with files, opened in a dashboard. */
async function open(files: File[]) {
	const { slug } = await createForm(server, 'Files');
	const attached = await attach(server, files, { slug });
	return { ...attached, ...(await openAttached(attached)) };
}

async function openAttached({ formId, submissionId, files: [first] }: Attached, key?: string) {
	const dashboard = await openDashboard({ browser, server });
	await dashboard.signIn(key);
	await dashboard.goTo(`/forms/${formId}/submissions/${submissionId}`);
	await dashboard.page.locator(`[id="file-${first?.id}"]`).waitFor();
	return dashboard;
}

const file = (page: Page, name: string) => page.locator('.file').filter({ hasText: name });

async function downloaded(page: Page, start: () => Promise<void>): Promise<[name: string, bytes: Buffer]> {
	const waiting = page.waitForEvent('download');
	await start();
	const download = await waiting;
	return [download.suggestedFilename(), readFileSync(await download.path())];
}

describe('an attached file', () => {
	test('is a picture if its content is one of five formats, whatever it is called', async () => {
		const sent: [name: string, bytes: Uint8Array<ArrayBuffer>, size: string][] = [
			['a.png', PNG, '3x2'],
			['b.txt', JPEG, '3x2'],
			['c.gif', GIF, '1x1'],
			['d.html', WEBP, '3x2'],
			['e.avif', AVIF, '2x2'],
		];
		const { page, complaints, close } = await open(sent.map(([name, bytes]) => picture(name, bytes)));
		for (const [name, , size] of sent) {
			const canvas = page.getByRole('img', { name, exact: true });
			await canvas.waitFor();
			const drawn = await canvas.evaluate((element: HTMLCanvasElement) => {
				const [red = 0, green = 0, , alpha] = element.getContext('2d')?.getImageData(0, 0, 1, 1).data ?? [];
				return { size: `${element.width}x${element.height}`, isRed: red > 150 && green < 100, alpha };
			});
			expect({ name, ...drawn }).toMatchObject({ name, size, alpha: 255, ...(name !== 'e.avif' && { isRed: true }) });
		}
		expect(await page.locator('.file img, .file a[href^="blob:"]').count()).toBe(0);
		expect(complaints).toEqual([]);
		await close();
	});

	test('is downloaded byte for byte, by itself and with the others', async () => {
		const { page, complaints, close } = await open([text('one.txt', 'One'), text('größe "2".txt', 'Two')]);
		await page.getByRole('heading', { name: '2 files' }).waitFor();
		const one = page.getByRole('link', { name: 'Download one.txt' });
		expect(await downloaded(page, () => one.click())).toEqual(['one.txt', Buffer.from('One')]);
		const two = page.getByRole('link', { name: 'Download größe' });
		const [name, bytes] = await downloaded(page, () => two.press('Enter'));
		expect([name.startsWith('größe'), bytes.toString()]).toEqual([true, 'Two']);
		const all = page.getByRole('link', { name: 'Download all as ZIP' });
		const [archive, zip] = await downloaded(page, () => all.click());
		expect(archive).toEndWith('.zip');
		expect(zip.includes('one.txt') && zip.includes('größe')).toBe(true);
		expect(complaints).toEqual([]);
		await close();
	});

	test('has its name where the others have theirs, also one that is written from right to left', async () => {
		const { page, close } = await open([text('name.txt'), text('اسم.txt')]);
		const edges = await page
			.locator('.file bdi')
			.evaluateAll((names) => names.map((name) => name.getBoundingClientRect()));
		expect(edges.map(({ left }) => left)).toEqual([edges[0]?.left ?? 0, edges[0]?.left ?? 0]);
		expect(edges[1]?.width).toBeLessThan(100);
		await close();
	});

	test('is given away by a link, for as long as the owner says', async () => {
		const { page, complaints, close } = await open([text('cv.txt', 'My life')]);
		await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
		await page.getByRole('button', { name: 'Copy link to cv.txt' }).click();
		const dialog = page.getByRole('dialog');
		await dialog.getByRole('radio', { name: '7 days' }).check();
		expect(await findAccessibilityFaults(page)).toEqual([]);
		await dialog.getByRole('button', { name: 'Create link' }).click();
		const url = (await dialog.locator('code').textContent()) ?? '';
		const response = await fetch(url);
		expect(await response.text()).toBe('My life');
		const seconds = Number(new URL(url).searchParams.get('until')) - Date.now() / 1000;
		expect(seconds).toBeGreaterThan(6.9 * 86_400);
		await dialog.getByRole('button', { name: 'Copy the link' }).click();
		await dialog.getByText('Copied').waitFor();
		expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(url);
		await dialog.getByRole('button', { name: 'Done' }).click();
		await dialog.waitFor({ state: 'detached' });
		expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Copy link to cv.txt');
		expect(complaints).toEqual([]);
		await close();
	});

	test('is found from the field that holds its name, and counted in the list', async () => {
		const { page, formId, goTo, close } = await open([text('a.txt'), text('b.txt')]);
		await page.locator('.field-row').getByRole('button', { name: 'b.txt' }).press('Enter');
		expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('b.txt');
		await goTo(`/forms/${formId}`);
		await row(page, '2 files').waitFor();
		await close();
	});

	test('is found also if another one has its name', async () => {
		const { page, files, close } = await open([text('cv.txt', 'one'), text('cv.txt', 'two')]);
		const focused = async (at: number) => {
			await page.locator('.field-row').getByRole('button', { name: 'cv.txt' }).nth(at).press('Enter');
			return page.evaluate(() => document.activeElement?.id);
		};
		expect([await focused(0), await focused(1)]).toEqual(files.map(({ id }) => `file-${id}`));
		await close();
	});

	test('goes with its submission, which is said', async () => {
		const { page, formId, close } = await open([text('a.txt'), text('b.txt')]);
		await page.getByRole('toolbar', { name: 'Submission' }).getByRole('button', { name: 'Delete' }).click();
		await page.getByText('1 submission deleted, with 2 files.').waitFor();
		await page.getByRole('button', { name: 'Dismiss' }).click();
		await until(async () => {
			const { body } = await server.call<{ fileBytes: number }>(`GET /api/forms/${formId}`);
			return body.fileBytes === 0;
		});
		await close();
	});
});

describe('a file that is not shown or given', () => {
	test('is an infected one: said in list and submission, and given to an admin who confirms it', async () => {
		const { formId, page, ...rest } = await open([picture('virus.png'), picture('fine.png')]);
		const [virus, fine] = rest.files;
		if (!virus || !fine) throw new Error('Where are the files?');
		// A request for it that is on its way would be rejected.
		await page.getByRole('img', { name: 'virus.png' }).waitFor();
		await setScan(server, virus, 'infected');
		await setScan(server, fine, 'clean');
		await page.reload();
		await page.getByRole('img', { name: 'fine.png' }).waitFor();
		expect(await page.locator('canvas').count()).toBe(1);
		await file(page, 'virus.png').getByText('found something in this file').waitFor();
		expect(await file(page, 'virus.png').getByRole('button', { name: 'Copy link' }).count()).toBe(0);
		expect(await page.locator('.attached.bad').count()).toBe(1);
		await file(page, 'virus.png').getByRole('button', { name: 'Download…' }).click();
		expect(await findAccessibilityFaults(page)).toEqual([]);
		const confirm = page.getByRole('dialog').getByRole('button', { name: 'Download it' });
		const [name, bytes] = await downloaded(page, () => confirm.click());
		expect([name, bytes.equals(PNG)]).toEqual(['virus.png', true]);
		expect(rest.complaints).toEqual([]);
		await rest.close();

		const reader = await openAttached({ formId, ...rest }, await server.createKey({ permissions: ['read'] }));
		await file(reader.page, 'virus.png').getByText('Only a key with the permission admin').waitFor();
		expect(await file(reader.page, 'virus.png').getByRole('button').count()).toBe(0);
		await reader.close();
	});

	test('is an unchecked picture: it is named, can be downloaded, and appears once it is clean', async () => {
		const attached = await open([picture('new.png')]);
		await setScan(server, attached.files[0] as (typeof attached.files)[0], 'unchecked');
		await attached.page.reload();
		await attached.page.getByText('has not checked it yet').waitFor();
		expect(await attached.page.locator('canvas').count()).toBe(0);
		expect(await attached.page.getByRole('link', { name: 'Download new.png' }).count()).toBe(1);
		await setScan(server, attached.files[0] as (typeof attached.files)[0], 'clean');
		server.app.storage.events.publish({ type: 'change', formId: decodeId(attached.formId) ?? -1 });
		await attached.page.getByRole('img', { name: 'new.png' }).waitFor();
		expect(await attached.page.getByText('has not checked it yet').count()).toBe(0);
		await attached.close();
	});

	test('is one that came with spam: only its name and size were kept', async () => {
		const { id, slug } = await createForm(server, 'Spam');
		await attach(server, [picture('spam.png')], { slug, fields: { name: 'Bot', _gotcha: 'x' } });
		const { page, signIn, goTo, complaints, close } = await openDashboard({ browser, server });
		await signIn();
		await goTo(`/forms/${id}?filter=spam`);
		await row(page, 'Bot').getByRole('link').click();
		await page.getByText('only its name and size were kept').waitFor();
		expect(await page.locator('.file a, .file button, canvas').count()).toBe(0);
		expect(complaints).toEqual([]);
		await close();
	});

	test('says why its picture is missing: damaged, too large, lost, or on its way', async () => {
		const bomb = Buffer.from(PNG);
		bomb.writeUInt32BE(60_000, 16);
		bomb.writeUInt32BE(60_000, 20);
		const attached = await attach(
			server,
			[
				picture('damaged.png', PNG.slice(0, 40)),
				picture('bomb.png', new Uint8Array(bomb)),
				picture('lost.png'),
				picture('slow.png'),
			],
			{ slug: (await createForm(server, 'Faults')).slug },
		);
		const id = (name: string) => attached.files.find((candidate) => candidate.name === name)?.id;
		const { page, signIn, goTo, close } = await openDashboard({ browser, server });
		const arrived = Promise.withResolvers<void>();
		await page.route(`**/files/${id('slow.png')}`, (route) => arrived.promise.then(() => route.continue()));
		await page.route(`**/files/${id('lost.png')}`, (route) => route.abort());
		await signIn();
		await goTo(`/forms/${attached.formId}/submissions/${attached.submissionId}`);
		await file(page, 'damaged.png').getByText('damaged, or this browser').waitFor();
		await file(page, 'bomb.png').getByText('60,000 × 60,000 pixels are too many').waitFor();
		await file(page, 'lost.png').getByText('The server cannot be reached').waitFor();
		await file(page, 'slow.png').getByText('Loading the picture…').waitFor();
		arrived.resolve();
		await page.getByRole('img', { name: 'slow.png' }).waitFor();
		await close();
	});
});

test('a form-level key shows and downloads the files of its form', async () => {
	const { slug } = await createForm(server, 'One form');
	const attached = await attach(server, [picture('a.png'), text('b.txt')], { slug });
	const { page, complaints, close } = await openAttached(
		attached,
		await server.createKey({ permissions: ['read'], form: slug }),
	);
	await page.getByRole('img', { name: 'a.png' }).waitFor();
	const link = page.getByRole('link', { name: 'Download b.txt' });
	expect(await downloaded(page, () => link.click())).toEqual(['b.txt', Buffer.from('Hello')]);
	expect(complaints).toEqual([]);
	await close();
});

test('a key without the permission to read shows nothing of files', async () => {
	const { formId, submissionId } = await attach(server, [text('secret.txt')], {
		slug: (await createForm(server, 'Secret')).slug,
	});
	const { page, signIn, goTo, close } = await openDashboard({ browser, server });
	const answers: string[] = [];
	page.on(
		'response',
		(response) =>
			void response.text().then(
				(body) => answers.push(body),
				() => {},
			),
	);
	await signIn(await server.createKey({ permissions: ['write'] }));
	await goTo(`/forms/${formId}/submissions/${submissionId}`);
	await page.getByRole('main').waitFor();
	await until(async () => (await page.getByRole('main').textContent()) !== '');
	expect(await page.content()).not.toContain('secret.txt');
	expect(answers.join('\n')).not.toContain('secret.txt');
	await close();
});

test('a file that was not taken is named beside the submission, with the reason', async () => {
	const form = await createForm(server, 'Without');
	await server.call(`PATCH /api/forms/${form.id}`, { json: { files: { types: ['.pdf'], onRefused: 'drop' } } });
	const body = new FormData();
	body.append('name', 'Ada');
	body.append('cv', text('<b>cv.txt', 'x'.repeat(1536)));
	const response = await fetch(`${server.submitUrl}/f/${form.slug}`, { method: 'POST', body, redirect: 'manual' });
	const { page, signIn, goTo, complaints, close } = await openDashboard({ browser, server });
	await signIn();
	await goTo(`/forms/${form.id}/submissions/${response.headers.get('Formsrv-Submission-Id')}`);
	const context = page.getByRole('region', { name: 'Context' });
	await context
		.getByText('<b>cv.txt (1.5 KiB), not accepted: the form does not accept this type', { exact: true })
		.waitFor();
	expect(complaints).toEqual([]);
	await close();
});
