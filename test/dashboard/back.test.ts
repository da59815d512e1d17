/** The browser's way back leads to the view before, in a real browser. */

import { setDefaultTimeout, test } from 'bun:test';
import { openDashboard, openServerAndBrowser } from './dashboard.ts';

setDefaultTimeout(60_000);

const { server, browser } = await openServerAndBrowser();

test('from days that were typed into the filter of the audit log', async () => {
	const { page, signIn, goTo, close } = await openDashboard({ browser, server });
	await signIn();
	await goTo('/keys');
	await page.getByRole('heading', { name: 'API keys' }).waitFor();
	await goTo('/audit');
	await page.getByLabel('From', { exact: true }).focus();
	await page.keyboard.type('03042026');
	await page.waitForURL(/from=2026-03-04$/);
	await page.goBack();
	await page.getByRole('heading', { name: 'API keys' }).waitFor();
	await close();
});
