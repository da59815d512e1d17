/** Files from every kind of client: what is stored is byte for byte what was sent, and a rejection is understood. */

import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page as Tab } from 'playwright-core';
import { openBrowser } from '../browser.ts';
import { startS3Server } from '../files/s3-server.ts';
import { startNginx } from '../nginx.ts';
import { withProgram } from '../programs.ts';
import { openTestServer, type TestServer } from '../server.ts';
import { openSite } from '../site.ts';
import { tempFolder } from '../temp-folder.ts';
import type { FormBody, ListBody, SubmissionBody } from './wire.ts';

setDefaultTimeout(30_000);

const curl = withProgram('curl');
const nginx = withProgram('nginx');
const site = openSite();
let browser: Browser;
let tab: Tab | undefined;

beforeAll(async () => {
	browser = await openBrowser();
});
afterEach(() => tab?.close());
afterAll(async () => {
	await browser.close();
	await site.close();
});

/** The counterpart of a client: a server, or a proxy before it. */
interface Place {
	server: TestServer;
	baseUrl: string;
	submitUrl: string;
	close(): Promise<void>;
}

async function openInFolder(settings: Record<string, string> = {}): Promise<Place> {
	const server = await openTestServer({ settings });
	const { baseUrl, submitUrl } = server;
	return { server, baseUrl, submitUrl, close: server.close };
}

async function openInBucket(): Promise<Place> {
	const s3 = await startS3Server();
	const place = await openInFolder(s3.newSettings());
	return { ...place, close: () => place.close().then(s3.stop) };
}

async function openBehindNginx(): Promise<Place> {
	const place = await openInFolder();
	const proxy = await startNginx(nginx.path, place);
	return { ...place, ...proxy, close: () => proxy.stop().then(place.close) };
}

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

const createForm = ({ server }: Place, json: object = {}) => server.createForm<FormBody>({ name: 'Jobs', ...json });

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

const plainForm = (action: string) =>
	`<form method="post" enctype="multipart/form-data" action="${action}">${FIELDS}</form>`;
/** The enctype of the form does not matter to it. */
const scriptedForm = (action: string) =>
	`<form method="post" action="${action}">${FIELDS}</form><script src="${new URL(action).origin}/formsrv.js"></script>`;

/** Each sends the five files to the address of a form. */
const CLIENTS: Record<string, (action: string) => Promise<void>> = {
	async 'a browser without script'(action) {
		const tab = await open(plainForm(action), { javaScriptEnabled: false });
		await fillAndSend(tab);
		await tab.getByRole('heading', { name: 'Thank you' }).waitFor();
	},
	async '/formsrv.js'(action) {
		const tab = await open(scriptedForm(action));
		await fillAndSend(tab);
		await tab.getByRole('status').getByText('Thank you').waitFor();
	},
	async '@formspree/ajax'(action) {
		const tab = await open(`<form id="f"><div data-fs-error></div><div data-fs-success></div>${FIELDS}</form>`);
		await tab.evaluate(readFileSync(require.resolve('@formspree/ajax/dist/global.js'), 'utf8'));
		const { origin, pathname } = new URL(action);
		await tab.evaluate(
			(options) => {
				(globalThis as unknown as { formspree(call: string, options: object): void }).formspree('initForm', options);
			},
			{ formElement: '#f', formId: pathname.slice('/f/'.length), origin },
		);
		await fillAndSend(tab);
		await tab.locator('[data-fs-success]').getByText('Thank you!').waitFor();
	},
	async 'fetch with FormData'(action) {
		const data = new FormData();
		data.append('name', 'Ada');
		for (const { name, mimeType, buffer } of FILES)
			data.append('cv', new File([new Uint8Array(buffer)], name, { type: mimeType }));
		expect((await fetch(action, { method: 'POST', body: data })).status).toBe(200);
	},
	async curl(action) {
		const cwd = tempFolder();
		for (const { name, buffer } of FILES) await Bun.write(join(cwd, name), buffer);
		const parts = FILES.flatMap(({ name, mimeType }) => ['-F', `cv=@${name};type=${mimeType}`]);
		const args = ['-sS', '-H', 'Accept: application/json', '-F', 'name=Ada', ...parts, action];
		const child = Bun.spawn([curl.path, ...args], { cwd, stdout: 'pipe' });
		expect(await new Response(child.stdout).json()).toMatchObject({ success: true });
	},
};

/** The one submission of the form has the five files, and their downloads are what was sent. */
async function expectFiles({ server, baseUrl }: Place, { id }: FormBody): Promise<void> {
	const get = (path: string) =>
		fetch(`${baseUrl}/api/forms/${id}/submissions${path}`, { headers: { Authorization: `Bearer ${server.adminKey}` } });
	const { submissions } = (await (await get('')).json()) as ListBody;
	expect(submissions.map(({ data }) => data)).toEqual([{ name: 'Ada', cv: FILES.map(({ name }) => name) }]);
	const [{ id: submissionId, files }] = submissions as [SubmissionBody];
	expect(files.map(({ field, name, size }) => [field, name, size])).toEqual(
		FILES.map(({ name, buffer }) => ['cv', name, buffer.length]),
	);
	for (const [i, file] of files.entries()) {
		const bytes = await (await get(`/${submissionId}/files/${file.id}`)).bytes();
		expect(FILES[i]?.buffer.equals(bytes)).toBe(true);
	}
}

const PLACES = [
	{ name: 'in a folder', open: openInFolder, describe },
	{ name: 'in a bucket', open: openInBucket, describe },
	{ name: 'through nginx', open: openBehindNginx, describe: nginx.describe },
];

for (const { name, open: openPlace, describe } of PLACES) {
	describe(`five files are downloaded as they were sent, ${name}`, () => {
		let place: Place;
		beforeAll(async () => {
			place = await openPlace();
		});
		afterAll(() => place.close());

		for (const [client, send] of Object.entries(CLIENTS)) {
			(client === 'curl' ? curl.test : test)(`by ${client}`, async () => {
				const form = await createForm(place);
				await send(`${place.submitUrl}/f/${form.slug}`);
				await expectFiles(place, form);
			});
		}
	});
}

describe('a rejected file is named', () => {
	const tooLarge = '“cv.pdf” can’t be attached: a file may have at most 100 KiB.';
	let place: Place;
	beforeAll(async () => {
		place = await openInFolder();
	});
	afterAll(() => place.close());

	async function strictAction(): Promise<string> {
		return `${place.submitUrl}/f/${(await createForm(place, { files: { maxBytes: '100KiB' } })).slug}`;
	}

	test('on a page, to a browser without script, also while more is to come', async () => {
		const tab = await open(plainForm(await strictAction()), { javaScriptEnabled: false });
		await fillAndSend(tab, [
			{ ...(FILES[0] as Sent), buffer: random(3_000_000) },
			{ ...(FILES[1] as Sent), buffer: random(3_000_000) },
		]);
		await tab.getByRole('heading', { name: 'The file is too large' }).waitFor();
		expect(await tab.getByText(tooLarge).count()).toBe(1);
	});

	test('beside its field, by /formsrv.js', async () => {
		const tab = await open(scriptedForm(await strictAction()));
		await fillAndSend(tab);
		await tab.getByText(tooLarge).waitFor();
		const input = tab.locator('[name=cv]');
		expect(await input.getAttribute('aria-invalid')).toBe('true');
		expect(await tab.locator(`#${await input.getAttribute('aria-describedby')}`).textContent()).toBe(tooLarge);
		expect(await tab.getByText(tooLarge).count()).toBe(1);
	});
});
