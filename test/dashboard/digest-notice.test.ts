/** The list of deliveries explains a form above its hourly mail cap, in a real browser. */

import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { startScriptedSmtp } from '../delivery/scripted-smtp.ts';
import { createForm, openDashboard, openServerAndBrowser } from './dashboard.ts';

setDefaultTimeout(60_000);

const smtp = await startScriptedSmtp();
afterAll(() => smtp.close());
const { server, browser } = await openServerAndBrowser({
	settings: {
		FORMSRV_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
		FORMSRV_MAIL_FROM: 'forms@example.com',
		FORMSRV_MAIL_PER_HOUR: '1',
	},
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
		/^Popular reached its hourly mail limit \S.*\. Later submissions are collected: one mail about all of them goes in (59m|1h)\. Each submission is in the inbox as usual\.$/,
	);
	await notice.getByRole('link').click();
	await page
		.getByText(/[12] more submissions?/)
		.first()
		.waitFor();
	expect(complaints).toEqual([]);
	await close();
});
