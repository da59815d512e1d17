/** Five thousand payloads as values, names, subjects and names of forms: shown as text everywhere, run nowhere. */

import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import {
	createForm,
	type Dashboard,
	harmIn,
	type Made,
	openDashboard,
	openServerAndBrowser,
	submissionsOf,
} from './dashboard.ts';
import { PAYLOADS } from './payloads.ts';

setDefaultTimeout(120_000);

const PAGE_SIZE = 50;
const AT_ONCE = 50;

const { server, browser } = await openServerAndBrowser({
	settings: { FORMSRV_RATE_SUBMIT: '0', FORMSRV_RATE_API: '0' },
});
let dashboard: Dashboard;
let form: Made;

/** Every how manieth payload is also looked at by itself, searched for, and made a form's name. */
const sample = (step: number) => PAYLOADS.filter((_, at) => at % step === 0);

beforeAll(async () => {
	form = await createForm(server, 'Hostile');
	for (let first = 0; first < PAYLOADS.length; first += AT_ONCE) {
		const sent = PAYLOADS.slice(first, first + AT_ONCE).map((payload, at) =>
			server.submit(form.slug, at === 0 ? { [payload]: payload, list: [payload] } : { name: payload, email: payload }),
		);
		for (const { status } of await Promise.all(sent)) expect(status).toBe(200);
	}
	dashboard = await openDashboard({ browser, server });
	await dashboard.signIn();
});

/** Returns harm, of which there should be none. */
const harm = async (): Promise<string[]> => [...(await harmIn(dashboard.page)), ...dashboard.complaints];

describe('payloads', () => {
	test('are five thousand different ones', () => {
		expect(new Set(PAYLOADS).size).toBeGreaterThanOrEqual(4_000);
		expect(PAYLOADS).toHaveLength(5_000);
	});

	test('are text on every page of the list, wide and narrow', async () => {
		const { page, goTo } = dashboard;
		for (let number = 1; number <= PAYLOADS.length / PAGE_SIZE; number += 1) {
			await goTo(`/forms/${form.id}?page=${number}`);
			await page.getByText(`${((number - 1) * PAGE_SIZE + 1).toLocaleString('en')}–`).waitFor();
		}
		expect(await page.locator('.submissions-table tbody tr').count()).toBe(PAGE_SIZE);
		expect(await harm()).toEqual([]);
	});

	test('are text in the view of a submission', async () => {
		const { page, goTo } = dashboard;
		for (let offset = 0; offset < PAYLOADS.length; offset += 100) {
			const [first] = await submissionsOf(server, form.id, `?limit=1&offset=${offset}`);
			await goTo(`/forms/${form.id}/submissions/${first?.id}`);
			await page.locator('.field-row').first().waitFor();
		}
		expect(await harm()).toEqual([]);
	});

	test('are text while they are searched for', async () => {
		const { page, goTo } = dashboard;
		for (const payload of sample(250)) {
			await goTo(`/forms/${form.id}?search=${encodeURIComponent(payload)}`);
			await page.locator('.toolbar-note').waitFor();
		}
		expect(await harm()).toEqual([]);
	});

	test('are text as the name of a form: in lists, titles, dialogs and toasts', async () => {
		const { page, goTo } = dashboard;
		for (const payload of sample(500)) {
			const made = await createForm(server, payload);
			await server.submit(made.slug, { name: payload });
			for (const view of ['', '/connect', '/settings']) await goTo(`/forms/${made.id}${view}`);
			await page.getByRole('button', { name: 'Delete form…' }).click();
			await page.getByRole('dialog').getByRole('textbox').fill(made.slug);
			await page.getByRole('button', { name: 'Delete for good' }).click();
			await page.getByRole('heading', { name: 'Forms', level: 1 }).waitFor();
			await page.getByText('is gone').last().waitFor();
		}
		expect(await harm()).toEqual([]);
	});

	test('are text in a captured mail, which can run nothing in any case', async () => {
		const key = await server.createKey({ mode: 'test' });
		const json = { name: 'Mails', notificationEmail: 'owner@example.com' };
		const made = (await server.call<Made>('POST /api/forms', { key, json })).body;
		for (const payload of sample(500)) await server.submit(made.slug, { name: payload, _subject: payload });
		const own = await openDashboard({ browser, server });
		await own.signIn(key);
		const { body } = await server.call<{ deliveries: { id: string }[] }>('GET /api/deliveries', { key });
		expect(body.deliveries).toHaveLength(10);
		for (const { id } of body.deliveries) {
			await own.goTo(`/deliveries/${id}`);
			const mail = own.page.frameLocator('iframe[sandbox=""]');
			await mail.getByText('Mails').first().waitFor();
			expect(await mail.locator('script, img, svg, iframe').count()).toBe(0);
			await own.page.keyboard.press('Escape');
		}
		expect(await own.page.evaluate(() => 'pwned' in window)).toBe(false);
		expect(own.complaints).toEqual([]);
		await own.close();
	});
});
