/** Files from every kind of client: what is stored is byte for byte what was sent, and a rejection is understood. */

import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page as Tab } from 'playwright-core';
import { decodeId } from '../../src/ids.ts';
import type { StoredFile } from '../../src/storage/submission.ts';
import { openBrowser } from '../browser.ts';
import { withProgram } from '../programs.ts';
import { openTestServer, type TestServer } from '../server.ts';
import { openSite } from '../site.ts';
import { tempFolder } from '../temp-folder.ts';
import type { FormBody, ListBody } from './wire.ts';

setDefaultTimeout(30_000);

const curl = withProgram('curl');
const site = openSite();
let server: TestServer;
let browser: Browser;
let tab: Tab | undefined;

beforeAll(async () => {
	server = await openTestServer();
	browser = await openBrowser();
});
afterEach(() => tab?.close());
afterAll(async () => {
	await browser.close();
	await server.close();
	await site.close();
});

interface Sent {
	name: string;
	mimeType: string;
	buffer: Buffer;
}

function random(bytes: number): Buffer {
	const all = Buffer.alloc(bytes);
	for (let at = 0; at < bytes; at += 65_536) crypto.getRandomValues(all.subarray(at, at + 65_536));
	return all;
}

/** Five files, with what browsers, shells and parsers may stumble over. */
const FILES: Sent[] = [
	{
		name: 'cv.pdf',
		mimeType: 'application/pdf',
		buffer: Buffer.concat([Buffer.from('%PDF-1.7\n'), random(2_000_000)]),
	},
	{ name: 'größe 日本 🎉.bin', mimeType: 'application/octet-stream', buffer: random(70_000) },
	{ name: 'empty.txt', mimeType: 'text/plain', buffer: Buffer.alloc(0) },
	{ name: 'lines.txt', mimeType: 'text/plain', buffer: Buffer.from('a\r\n--b\r\n\r\n\n\r'.repeat(5000)) },
	{ name: 'page.html', mimeType: 'text/html', buffer: Buffer.from('<script>alert(1)</script>') },
];

async function createForm(json: object = {}): Promise<FormBody> {
	const { status, body } = await server.call<FormBody>('POST /api/forms', { json: { name: 'Jobs', ...json } });
	expect(status).toBe(201);
	return body;
}

const sha256 = (bytes: Uint8Array) => new Bun.CryptoHasher('sha256').update(bytes).digest('hex');

/** The one submission of the form has the five files, as they were sent. */
async function expectFiles({ id }: FormBody): Promise<void> {
	const { body } = await server.call<ListBody>(`GET /api/forms/${id}/submissions`);
	expect(body.submissions.map(({ data }) => data)).toEqual([{ name: 'Ada', cv: FILES.map(({ name }) => name) }]);
	const submissionId = decodeId(body.submissions[0]?.id ?? '') as number;
	const files = (await server.app.storage.submissions.files([submissionId])).get(submissionId) as StoredFile[];
	expect(files.map(({ field, name, sha256: hash }) => [field, name, hash])).toEqual(
		FILES.map(({ name, buffer }) => ['cv', name, sha256(buffer)]),
	);
	for (const [i, { key }] of files.entries()) {
		const stream = await server.app.files.store.read(key as string);
		expect(Buffer.from(await new Response(stream).arrayBuffer()).equals(FILES[i]?.buffer as Buffer)).toBe(true);
	}
}

const url = ({ slug }: FormBody) => `${server.submitUrl}/f/${slug}`;

const FIELDS = '<input name="name"><input type="file" name="cv" multiple><button>Send</button>';

async function open(content: string, { javaScriptEnabled = true } = {}): Promise<Tab> {
	tab = await browser.newPage({ javaScriptEnabled });
	site.setPage(content);
	await tab.goto(`${site.url}jobs`);
	return tab;
}

async function fillAndSend(tab: Tab, files: Sent[] = FILES): Promise<void> {
	await tab.fill('[name=name]', 'Ada');
	await tab.setInputFiles('[name=cv]', files);
	await tab.click('button');
}

describe('five files are stored as they were sent', () => {
	test('by a browser without script', async () => {
		const form = await createForm();
		const html = `<form method="post" enctype="multipart/form-data" action="${url(form)}">${FIELDS}</form>`;
		const tab = await open(html, { javaScriptEnabled: false });
		await fillAndSend(tab);
		await tab.getByRole('heading', { name: 'Thank you' }).waitFor();
		await expectFiles(form);
	});

	test('by /formsrv.js, whatever the enctype of the form', async () => {
		const form = await createForm();
		const html = `<form method="post" action="${url(form)}">${FIELDS}</form>`;
		const tab = await open(`${html}<script src="${server.submitUrl}/formsrv.js"></script>`);
		await fillAndSend(tab);
		await tab.getByRole('status').getByText('Thank you').waitFor();
		await expectFiles(form);
	});

	test('by @formspree/ajax', async () => {
		const form = await createForm();
		const tab = await open(`<form id="f"><div data-fs-error></div><div data-fs-success></div>${FIELDS}</form>`);
		await tab.evaluate(readFileSync(require.resolve('@formspree/ajax/dist/global.js'), 'utf8'));
		await tab.evaluate(
			(options) => {
				(globalThis as unknown as { formspree(call: string, options: object): void }).formspree('initForm', options);
			},
			{ formElement: '#f', formId: form.slug, origin: server.submitUrl },
		);
		await fillAndSend(tab);
		await tab.locator('[data-fs-success]').getByText('Thank you!').waitFor();
		await expectFiles(form);
	});

	test('by fetch with FormData', async () => {
		const form = await createForm();
		const data = new FormData();
		data.append('name', 'Ada');
		for (const { name, mimeType, buffer } of FILES)
			data.append('cv', new File([new Uint8Array(buffer)], name, { type: mimeType }));
		expect((await fetch(url(form), { method: 'POST', body: data })).status).toBe(200);
		await expectFiles(form);
	});

	curl.test('by curl', async () => {
		const form = await createForm();
		const folder = tempFolder();
		for (const { name, buffer } of FILES) await Bun.write(join(folder, name), buffer);
		const parts = FILES.flatMap(({ name, mimeType }) => ['-F', `cv=@${name};type=${mimeType}`]);
		const child = Bun.spawn(
			[curl.path, '-sS', '-H', 'Accept: application/json', '-F', 'name=Ada', ...parts, url(form)],
			{
				cwd: folder,
				stdout: 'pipe',
			},
		);
		expect(await new Response(child.stdout).json()).toMatchObject({ success: true });
		await expectFiles(form);
	});
});

describe('a rejected file is named', () => {
	const tooLarge = 'The file "cv.pdf" in the field "cv" was not taken: a file may have at most 100KiB.';

	test('on a page, to a browser without script, also while more is to come', async () => {
		const form = await createForm({ files: { maxBytes: '100KiB' } });
		const html = `<form method="post" enctype="multipart/form-data" action="${url(form)}">${FIELDS}</form>`;
		const tab = await open(html, { javaScriptEnabled: false });
		await fillAndSend(tab, [
			{ ...(FILES[0] as Sent), buffer: random(3_000_000) },
			{ ...(FILES[1] as Sent), buffer: random(3_000_000) },
		]);
		await tab.getByRole('heading', { name: 'The file is too large' }).waitFor();
		expect(await tab.getByText(tooLarge).count()).toBe(1);
	});

	test('beside its field, by /formsrv.js', async () => {
		const form = await createForm({ files: { maxBytes: '100KiB' } });
		const html = `<form method="post" action="${url(form)}">${FIELDS}</form>`;
		const tab = await open(`${html}<script src="${server.submitUrl}/formsrv.js"></script>`);
		await fillAndSend(tab);
		await tab.getByRole('alert').getByText(tooLarge).waitFor();
		const input = tab.locator('[name=cv]');
		expect(await input.getAttribute('aria-invalid')).toBe('true');
		expect(await tab.locator(`#${await input.getAttribute('aria-describedby')}`).textContent()).toBe(tooLarge);
		expect(await tab.getByText(tooLarge).count()).toBe(1);
	});
});
