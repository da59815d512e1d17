/** Five hundred hostile files opened from the dashboard, in a real browser: none runs, and no request leaves. */

import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type Attached, attach } from '../submissions/files/attached.ts';
import { createForm, type Dashboard, harmIn, openDashboard, openServerAndBrowser } from './dashboard.ts';
import { HOSTILE_FILES } from './hostile-files.ts';

setDefaultTimeout(180_000);

const EACH = 20;
/** One of so many is opened like a page: of no common factor with the numbers of kinds and names. */
const OPENED_OF = 7;

const { server, browser } = await openServerAndBrowser({
	settings: { FORMSRV_RATE_SUBMIT: '0', FORMSRV_RATE_API: '0' },
});
const sent: Attached[] = [];
let dashboard: Dashboard;

beforeAll(async () => {
	const { id, slug } = await createForm(server, 'Hostile files');
	await server.call(`PATCH /api/forms/${id}`, { json: { files: { maxFiles: EACH } } });
	for (let first = 0; first < HOSTILE_FILES.length; first += EACH) {
		sent.push(await attach(server, HOSTILE_FILES.slice(first, first + EACH), { slug }));
	}
	dashboard = await openDashboard({ browser, server });
	await dashboard.signIn();
});

const addressesOf = ({ path, files }: Attached) => files.map(({ id }) => `${server.baseUrl}${path}/files/${id}`);
const addresses = () => sent.flatMap(addressesOf);
/** Each kind of file, and each name, several times; that all are sent alike is a test of its own. */
const someAddresses = () => addresses().filter((_, at) => at % OPENED_OF === 0);

describe('hostile files', () => {
	test('are five hundred, and none has the type of a page or drawing', () => {
		const files = sent.flatMap((submission) => submission.files);
		expect(new Set(files.map(({ id }) => id)).size).toBe(500);
		expect(files.filter(({ type }) => /svg|html/.test(type))).toEqual([]);
	});

	test('run nothing and load nothing in the submission that shows them', async () => {
		const { page, goTo, complaints } = dashboard;
		const opened: string[] = [];
		page.on('popup', (popup) => opened.push(popup.url()));
		page.on('download', (download) => opened.push(download.url()));
		page.on('dialog', (dialog) => opened.push(dialog.message()));
		page.on('frameattached', (frame) => opened.push(frame.url()));
		let drawn = 0;
		for (const submission of sent) {
			const { formId, submissionId, files } = submission;
			await goTo(`/forms/${formId}/submissions/${submissionId}`);
			await page.locator(`[id="file-${files[0]?.id}"]`).waitFor();
			await page.getByText('Loading the picture…').first().waitFor({ state: 'detached' });
			const links = page.locator('.file a');
			expect(await links.evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href))).toEqual(
				addressesOf(submission),
			);
			drawn += await page.locator('canvas').count();
			expect(await harmIn(page)).toEqual([]);
		}
		// Those that are a picture first and a page behind it.
		expect(drawn).toBeGreaterThanOrEqual(3 * EACH);
		expect(opened).toEqual([]);
		expect(complaints).toEqual([]);
	});

	test('are saved and not shown where their address is opened like a page', async () => {
		const tab = await dashboard.page.context().newPage();
		const requests: string[] = [];
		tab.on('request', (request) => requests.push(request.url()));
		for (const address of someAddresses()) {
			const download = tab.waitForEvent('download');
			await tab.goto(address).catch(() => undefined);
			await (await download).cancel();
			expect(tab.url()).toBe('about:blank');
		}
		expect(requests).toEqual(someAddresses());
		await tab.close();
	});

	test('are all sent as nothing that a browser shows or runs', async () => {
		for (const address of addresses()) {
			const { headers } = await fetch(address, { headers: { Authorization: `Bearer ${server.adminKey}` } });
			expect(Object.fromEntries(headers)).toMatchObject({
				'content-type': 'application/octet-stream',
				'content-disposition': expect.stringMatching(
					/^attachment; filename="[ !#-~]+"(?:; filename\*=UTF-8''[\w%.~-]+)?$/,
				),
				'x-content-type-options': 'nosniff',
				'content-security-policy': "sandbox; default-src 'none'",
			});
		}
	});

	test('are no script, style or picture in a page of the same address', async () => {
		const tab = await dashboard.page.context().newPage();
		const requests: string[] = [];
		tab.on('request', (request) => requests.push(request.url()));
		await tab.goto(`${server.baseUrl}/health`);
		for (const { path, files } of sent) {
			const address = `${server.baseUrl}${path}/files/${files[0]?.id}`;
			await tab.evaluate(async (url) => {
				const elements = [
					Object.assign(document.createElement('script'), { src: url }),
					Object.assign(document.createElement('link'), { rel: 'stylesheet', href: url }),
					Object.assign(document.createElement('img'), { src: url }),
				];
				const ended = elements.map(
					(element) =>
						new Promise((resolve) => {
							element.onload = resolve;
							element.onerror = resolve;
						}),
				);
				document.body.append(...elements);
				await Promise.all(ended);
			}, address);
		}
		expect(await tab.evaluate(() => 'pwned' in window)).toBe(false);
		expect(requests.filter((url) => !url.startsWith(server.baseUrl))).toEqual([]);
		await tab.close();
	});
});
