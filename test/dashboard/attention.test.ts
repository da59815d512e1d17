/** Problems that need the operator's attention show in the navigation, wherever in the dashboard they are. */

import { expect, setDefaultTimeout, test } from 'bun:test';
import { until } from '../until.ts';
import { createForm, openDashboard, openServerAndBrowser } from './dashboard.ts';

setDefaultTimeout(60_000);

const { server, browser } = await openServerAndBrowser({ settings: { FORMSRV_SCAN: 'clamd:/nowhere/clamd.ctl' } });

const health = async () => (await server.call<{ health: string }>('GET /api/status')).body.health;

test('a virus scanner that is away is a mark at “Server”', async () => {
	const form = await createForm(server, 'Jobs');
	const { page, signIn, goTo, complaints, close } = await openDashboard({ browser, server });
	const looked = page.waitForResponse(/\/api\/status$/);
	await signIn();
	await looked;
	const mark = page.getByRole('link', { name: 'Server (needs attention)' });
	expect(await mark.count()).toBe(0);

	const body = new FormData();
	body.append('cv', new File(['Ada'], 'cv.txt'));
	const sent = await fetch(`${server.submitUrl}/f/${form.slug}`, { method: 'POST', body, redirect: 'manual' });
	expect(sent.status).toBe(303);
	await until(async () => (await health()) !== 'ok');
	await goTo('/settings');
	await mark.waitFor();
	expect(await mark.locator('.attention').getAttribute('title')).toBe(await health());
	await goTo(`/forms/${form.id}`);
	await page.reload();
	await mark.waitFor();
	expect(complaints).toEqual([]);
	await close();
});
