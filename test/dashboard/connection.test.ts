/** A server that goes away and comes back, seen from an open page in a real browser. */

import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { openCommandLine } from '../cli/command-line.ts';
import { startTcpProxy } from '../tcp-proxy.ts';
import { createForm, openDashboard, openServerAndBrowser, row, submissionsOf } from './dashboard.ts';

setDefaultTimeout(60_000);

const { server, browser } = await openServerAndBrowser();
const line = await startTcpProxy(server.baseUrl);
afterAll(() => line.close());
/** The server as the browser reaches it. */
const far = { baseUrl: new URL(line.address).origin, adminKey: server.adminKey };
const LOST = 'Connection lost. Reconnecting …';

test('an idle page says that the server is away, and has what came meanwhile once it is back', async () => {
	const form = await createForm(server, 'Idle');
	const { page, signIn, goTo, close } = await openDashboard({ browser, server: far });
	await signIn();
	const isLive = page.waitForResponse(/\/api\/events$/);
	await goTo(`/forms/${form.id}`);
	await page.reload();
	await isLive;
	await page.getByText('Waiting for the first submission').waitFor();
	expect(await page.getByText(LOST).count()).toBe(0);

	line.cut();
	await page.getByRole('alert').getByText(LOST).waitFor();
	await server.submit(form.slug, { name: 'Meanwhile' });
	line.restore();
	await row(page, 'Meanwhile').waitFor();
	await page.getByText(LOST).waitFor({ state: 'detached' });
	await server.submit(form.slug, { name: 'Afterwards' });
	await row(page, 'Afterwards').waitFor();
	await close();
});

test('a network that falls silent is noticed, and the page comes back by itself', async () => {
	const form = await createForm(server, 'Silent');
	const { page, signIn, goTo, close } = await openDashboard({ browser, server: far });
	await signIn();
	await goTo(`/forms/${form.id}`);
	await page.getByText('Waiting for the first submission').waitFor();
	// Past a first beat.
	await Bun.sleep(2500);
	expect(await page.getByText(LOST).count()).toBe(0);
	line.silence();
	await page.getByRole('alert').getByText(LOST).waitFor();
	await server.submit(form.slug, { name: 'Unheard' });
	line.restore();
	await row(page, 'Unheard').waitFor();
	await page.getByText(LOST).waitFor({ state: 'detached' });
	await close();
});

test('a view that could not load loads once the server is back', async () => {
	const { page, signIn, goTo, close } = await openDashboard({ browser, server: far });
	await signIn();
	await page.getByRole('heading', { name: 'Forms', level: 1 }).waitFor();
	line.cut();
	await page.getByText(LOST).waitFor();
	await goTo('/keys');
	await page.getByText('This could not be loaded').waitFor();
	line.restore();
	await page.getByRole('table', { name: 'API keys' }).waitFor();
	await close();
});

test.each([502, 503, 504])('a proxy that responds with %d for the server signs nobody out', async (status) => {
	const { page, signIn, close } = await openDashboard({ browser, server });
	await signIn();
	await page.getByRole('heading', { name: 'Forms', level: 1 }).waitFor();
	const body = { status, contentType: 'text/html', body: '<h1>Bad gateway</h1>' };
	await page.route(/\/(api|health)/, (route) => route.fulfill(body));
	await page.reload();
	await page.getByText(LOST).waitFor();
	await page.unroute(/\/(api|health)/);
	await page.getByText(LOST).waitFor({ state: 'detached' });
	await createForm(server, `Back after ${status}`);
	await page
		.getByRole('table', { name: 'Forms' })
		.getByRole('link', { name: `Back after ${status}` })
		.waitFor();
	await close();
});

test('a page that a proxy sends in place of the server, as to sign in there, is named and not read as data', async () => {
	const form = await createForm(server, 'Proxied');
	const { page, signIn, goTo, close } = await openDashboard({ browser, server });
	await signIn();
	await page.route(`**/api/forms/${form.id}/lists`, (route) =>
		route.fulfill({ status: 200, contentType: 'text/html', body: '<h1>Sign in</h1>' }),
	);
	await goTo(`/forms/${form.id}/settings`);
	await page.getByText('responds with a page of its own').waitFor();
	expect(await page.getByText(/Unexpected token/).count()).toBe(0);
	await close();
});

test('what the server declines to send is not taken for what was there before, and can be asked for again', async () => {
	const form = await createForm(server, 'Declined');
	const { page, signIn, goTo, close } = await openDashboard({ browser, server });
	await signIn();
	const declined = { status: 429, json: { error: 'Too many requests.', code: 'RATE_LIMITED' } };
	const again = page.getByRole('button', { name: 'Try again' });
	await page.route('**/api/forms', (route) => route.fulfill(declined));
	await goTo(`/forms/${form.id}/settings`);
	await page.reload();
	await page.getByText('Too many requests.').waitFor();
	await page.unroute('**/api/forms');
	await again.click();
	await page.getByRole('heading', { name: 'Privacy' }).waitFor();

	await goTo('/audit');
	await page.getByRole('table', { name: 'Audit log' }).waitFor();
	await page.route('**/api/audit*', (route) => route.fulfill(declined));
	await page.getByLabel('Action').selectOption('createForm');
	await page.getByText('Too many requests.').waitFor();
	expect(await page.getByRole('table').count()).toBe(0);
	await page.unroute('**/api/audit*');
	await again.click();
	await page.getByRole('table', { name: 'Audit log' }).waitFor();
	await close();
});

test('what comes while the stream of events is not open yet is shown once it is', async () => {
	const form = await createForm(server, 'Slow stream');
	const { page, signIn, goTo, close } = await openDashboard({ browser, server });
	await signIn();
	const opening = Promise.withResolvers<void>();
	await page.route(/\/api\/events$/, async (route) => {
		await opening.promise;
		await route.continue();
	});
	await goTo(`/forms/${form.id}`);
	await page.reload();
	await page.getByText('Waiting for the first submission').waitFor();
	await Bun.sleep(500);
	await server.submit(form.slug, { name: 'Early' });
	opening.resolve();
	await row(page, 'Early').waitFor();
	await close();
});

test('what comes is shown even if a proxy holds back the stream of events for ever', async () => {
	const form = await createForm(server, 'Held back');
	const { page, signIn, goTo, close } = await openDashboard({ browser, server });
	await signIn();
	await page.route(/\/api\/events$/, () => {});
	await goTo(`/forms/${form.id}`);
	await page.reload();
	await page.getByText('Waiting for the first submission').waitFor();
	await server.submit(form.slug, { name: 'Asked for' });
	await row(page, 'Asked for').waitFor({ timeout: 20_000 });
	await server.submit(form.slug, { name: 'Asked again' });
	await row(page, 'Asked again').waitFor({ timeout: 20_000 });
	expect(await page.getByText(LOST).count()).toBe(0);
	await close();
});

test('a page shows what commands do beside the server', async () => {
	const beside = openCommandLine(undefined, { FORMSRV_DATABASE_URL: `sqlite:${server.app.config.database}` });
	const { page, signIn, goTo, close } = await openDashboard({ browser, server });
	const isLive = page.waitForResponse(/\/api\/events$/);
	await signIn();
	await isLive;
	const made = await beside.json('forms', 'create', 'By command');
	const link = page.getByRole('table', { name: 'Forms' }).getByRole('link', { name: 'By command' });
	await link.waitFor();
	await goTo(`/forms/${made.id}`);
	await server.submit(made.slug, { name: 'Read by command' });
	const submitted = row(page, 'Read by command');
	await submitted.waitFor();
	const [{ id } = { id: '' }] = await submissionsOf(server, made.id);
	await beside.json('submissions', 'delete', made.slug, id, '--yes');
	await submitted.waitFor({ state: 'detached' });
	await goTo('/keys');
	await page.getByRole('table', { name: 'API keys' }).waitFor();
	await beside.call('keys', 'create', '--name', 'Key by command');
	await row(page, 'Key by command').waitFor();
	await close();
});

test('more tabs than a browser has connections all load, and those behind hear what comes', async () => {
	const form = await createForm(server, 'Tabs');
	const { page, signIn, goTo, close } = await openDashboard({ browser, server });
	const context = page.context();
	// Every tab of a browser without a window counts as seen.
	await context.addInitScript(() => {
		Object.defineProperty(document, 'hidden', { get: () => 'isBehind' in window });
	});
	await signIn();
	await goTo(`/forms/${form.id}`);
	await page.reload();
	const tabs = [page];
	while (tabs.length < 8) {
		await tabs.at(-1)?.evaluate(() => Object.assign(window, { isBehind: true }));
		const next = await context.newPage();
		await next.goto(page.url());
		await next.getByText('Waiting for the first submission').waitFor({ timeout: 10_000 });
		tabs.push(next);
	}
	await server.submit(form.slug, { name: 'To all' });
	for (const tab of tabs) await row(tab, 'To all').waitFor({ timeout: 10_000 });
	await tabs.at(-1)?.close();
	await page.evaluate(() => {
		delete (window as { isBehind?: true }).isBehind;
		document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
	});
	await server.submit(form.slug, { name: 'In front again' });
	await row(page, 'In front again').waitFor();
	await close();
});
