/** What the list of deliveries says of a form above its hourly mail cap, in a real browser. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { openBrowser } from '../browser.ts';
import { type ScriptedSmtp, startScriptedSmtp } from '../delivery/scripted-smtp.ts';
import { openTestServer, type TestServer } from '../server.ts';
import { createForm, openDashboard } from './dashboard.ts';

setDefaultTimeout(60_000);

let smtp: ScriptedSmtp;
let server: TestServer;
let browser: Browser;
beforeAll(async () => {
	smtp = await startScriptedSmtp();
	const settings = {
		FORMSRV_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
		FORMSRV_MAIL_FROM: 'forms@example.com',
		FORMSRV_MAIL_PER_HOUR: '1',
	};
	[server, browser] = await Promise.all([openTestServer({ settings }), openBrowser()]);
});
afterAll(async () => {
	await browser.close();
	await server.close();
	await smtp.close();
});

test('a form above its cap is named, with when its digest goes, and the digest is a click away', async () => {
	const { id, slug } = await createForm(server, 'Popular');
	await server.call(`PATCH /api/forms/${id}`, { json: { notificationEmail: 'owner@example.com' } });
	const { page, signIn, goTo, complaints, close } = await openDashboard({ browser, server });
	await signIn();
	await goTo('/deliveries');
	for (let n = 0; n < 3; n++) await server.submit(slug, { n });
	const notice = page.getByRole('status').filter({ hasText: 'Popular' });
	await notice.getByRole('link', { name: 'one mail about all of them' }).waitFor();
	expect(await notice.textContent()).toMatch(
		/^Popular reached its hourly mail limit \S.*\. Later submissions are collected: one mail about all of them goes in (59m|1h)\. Each submission is in the inbox as ever\.$/,
	);
	await notice.getByRole('link').click();
	await page
		.getByText(/[12] more submissions?/)
		.first()
		.waitFor();
	expect(complaints).toEqual([]);
	await close();
});
