/** The list of sessions in the dashboard, in a real browser. */

import { expect, setDefaultTimeout, test } from 'bun:test';
import { openDashboard, openServerAndBrowser, row } from '../dashboard.ts';

setDefaultTimeout(60_000);

const { server, browser } = await openServerAndBrowser();

test('shows who is signed in, marks its own, ends one and then all others, and their pages say so', async () => {
	const mine = await openDashboard({ browser, server });
	const theirs = await openDashboard({ browser, server });
	await mine.signIn(await server.createKey({ name: 'office' }));
	await theirs.signIn(await server.createKey({ name: 'laptop' }));
	await server.app.sessions.openWithLink(await server.app.sessions.createLink());
	await mine.goTo('/settings');
	await row(mine.page, 'office').getByText('This one').waitFor();
	await row(mine.page, 'Setup link').getByRole('button', { name: 'End' }).click();
	await row(mine.page, 'Setup link').waitFor({ state: 'detached' });
	await mine.page.getByRole('button', { name: 'End all others…' }).click();
	await mine.page.getByRole('button', { name: 'End them' }).click();
	await row(mine.page, 'laptop').waitFor({ state: 'detached' });
	expect(await mine.page.getByRole('button', { name: 'End all others…' }).count()).toBe(0);
	expect((await server.app.sessions.list()).map(({ key }) => key?.name)).toEqual(['office']);
	// Its stream ends with it, so that the page shows it without a click.
	await theirs.page.getByText('Your session has ended.').waitFor();
	expect(mine.complaints).toEqual([]);
	await Promise.all([mine.close(), theirs.close()]);
});
