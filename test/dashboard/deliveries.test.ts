/** The list of deliveries in a real browser. */

import { expect, setDefaultTimeout, test } from 'bun:test';
import { createForm, openDashboard, openServerAndBrowser } from './dashboard.ts';

setDefaultTimeout(60_000);

const { server, browser } = await openServerAndBrowser({ settings: { FORMSRV_WEBHOOK_ALLOW: '127.0.0.1' } });

test('a page past the end gives way to the last one, and what is open stays open', async () => {
	const form = await createForm(server, 'Past the end');
	await server.call(`POST /api/forms/${form.id}/webhooks`, { json: { url: 'http://127.0.0.1:9999/' } });
	await server.submit(form.slug, { name: 'Ada' });
	const { page, signIn, goTo, complaints, close } = await openDashboard({ browser, server });
	await signIn();
	const { body } = await server.call<{ deliveries: { id: string }[] }>('GET /api/deliveries');
	await goTo('/deliveries?page=3');
	await page.waitForURL(/#\/deliveries$/);
	await page.getByRole('row').filter({ hasText: 'http://127.0.0.1:9999/' }).waitFor();
	await goTo(`/deliveries/${body.deliveries[0]?.id}?page=3`);
	await page.waitForURL(/#\/deliveries\/\w+$/);
	await page.getByRole('dialog').getByText('Because of').waitFor();
	expect(complaints).toEqual([]);
	await close();
});

test('a body of the owner’s is shown as it was posted, also if it has members that a mail has', async () => {
	const form = await createForm(server, 'Helpdesk');
	const body = { subject: 'From {{name}}', comment: 'Wrote {{text}}', html: '<p>{{text}}</p>' };
	const json = { format: 'custom', url: 'http://127.0.0.1:9999/tickets', body };
	expect((await server.call(`POST /api/forms/${form.id}/webhooks`, { json })).status).toBe(201);
	await server.submit(form.slug, { name: 'Ada', text: 'Hello' });
	const list = await server.call<{ deliveries: { id: string }[] }>(`GET /api/forms/${form.id}/deliveries`);
	const { page, signIn, goTo, complaints, close } = await openDashboard({ browser, server });
	await signIn();
	await goTo(`/deliveries/${list.body.deliveries[0]?.id}`);
	const posted = await page.getByRole('dialog').locator('pre').textContent();
	expect(JSON.parse(posted ?? '')).toEqual({ subject: 'From Ada', comment: 'Wrote Hello', html: '<p>Hello</p>' });
	expect(complaints).toEqual([]);
	await close();
});

test('a flood of deliveries does not become one of requests', async () => {
	const form = await createForm(server, 'Flood');
	const receiver = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
	await server.call(`POST /api/forms/${form.id}/webhooks`, { json: { url: `${receiver.url}` } });
	const { page, signIn, goTo, complaints, close } = await openDashboard({ browser, server });
	await signIn();
	const isLive = page.waitForResponse(/\/api\/events$/);
	await goTo('/deliveries');
	await page.reload();
	await isLive;
	await page.getByRole('table').waitFor();
	let asked = 0;
	page.on('request', (request) => {
		if (request.url().includes('/api/deliveries')) asked += 1;
	});
	for (let n = 0; n < 100; n++) await server.submit(form.slug, { name: `Visitor ${n}` });
	await page.getByText(/of 1\d\d/).waitFor();
	expect(asked).toBeLessThan(50);
	expect(complaints).toEqual([]);
	await close();
	await receiver.stop(true);
});
