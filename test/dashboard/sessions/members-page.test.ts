/** Members in the dashboard, in a real browser: one is made, signs in by single sign-on or by the proxy, and out again. */

import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { openDashboard, openServerAndBrowser, row } from '../dashboard.ts';
import { CLIENT, startProvider } from './real-provider.ts';

setDefaultTimeout(60_000);

const provider = await startProvider();
afterAll(provider.close);
const { server, browser } = await openServerAndBrowser({
	settings: {
		FORMSRV_OIDC_ISSUER: provider.issuer,
		FORMSRV_OIDC_CLIENT_ID: CLIENT.id,
		FORMSRV_OIDC_CLIENT_SECRET: CLIENT.secret,
		FORMSRV_AUTH_HEADER: 'Remote-Email',
		FORMSRV_TRUSTED_PROXIES: '127.0.0.1',
	},
});
await provider.serve(`${server.baseUrl}/api/session/oidc/callback`);

/** So that a second try of a test begins as the first one did. */
async function revokeMembers(): Promise<void> {
	const { keys } = (await server.call<{ keys: { id: string; email: string | null }[] }>('GET /api/keys')).body;
	for (const { id, email } of keys) if (email !== null) await server.call(`DELETE /api/keys/${id}`);
}

test('a member is made in the dashboard, and comes in by single sign-on', async () => {
	await revokeMembers();
	const admin = await openDashboard({ browser, server });
	await admin.signIn();
	await admin.goTo('/keys');
	await admin.page.getByRole('button', { name: 'New key' }).click();
	await admin.page.getByLabel('Name').fill('Ada');
	await admin.page.getByLabel('Mail address of a member').fill('Ada@example.org');
	await admin.page.getByRole('button', { name: 'Create key' }).click();
	await admin.page.getByText('ada@example.org can sign in now.').waitFor();
	await row(admin.page, 'Ada').getByText('ada@example.org').waitFor();
	await admin.page.getByRole('button', { name: 'New key' }).click();
	await admin.page.getByLabel('Mail address of a member').fill('ada@example.org');
	await admin.page.getByRole('button', { name: 'Create key' }).click();
	await admin.page.getByText('ada@example.org is a member already').waitFor();

	provider.person({ email: 'ada@example.org', email_verified: true });
	const colleague = await openDashboard({ browser, server });
	await colleague.page.goto(server.baseUrl);
	await colleague.page.getByRole('link', { name: 'Sign in with single sign-on' }).click();
	await colleague.page.getByRole('heading', { name: 'Forms', level: 1 }).waitFor();
	expect(colleague.page.url()).toBe(`${server.baseUrl}/#/`);
	await colleague.page.reload();
	await colleague.page.getByRole('heading', { name: 'Forms', level: 1 }).waitFor();
	expect(colleague.complaints.filter((one) => !one.startsWith(provider.issuer))).toEqual([]);

	await admin.goTo('/settings');
	await row(admin.page, 'Ada').getByText('ada@example.org').waitFor();
	await Promise.all([admin.close(), colleague.close()]);
});

test('a person whom the proxy names comes in by a button, and one who is not known is told so', async () => {
	const { page, close } = await openDashboard({ browser, server });
	await page.setExtraHTTPHeaders({ 'Remote-Email': 'eve@example.org' });
	await page.goto(server.baseUrl);
	await page.getByRole('button', { name: 'Sign in as eve@example.org' }).click();
	await page.getByText('eve@example.org is not a member here').waitFor();
	await page.setExtraHTTPHeaders({ 'Remote-Email': 'ada@example.org' });
	await page.reload();
	await page.getByRole('button', { name: 'Sign in as ada@example.org' }).click();
	await page.getByRole('heading', { name: 'Forms', level: 1 }).waitFor();
	await page.getByRole('button', { name: 'Sign out' }).click();
	await page.getByText('You have signed out.').waitFor();
	await close();
});

test('a stranger sees whom to ask, and the way back', async () => {
	const { page, close } = await openDashboard({ browser, server });
	provider.person({ email: 'eve@example.org', email_verified: true });
	await page.goto(server.baseUrl);
	await page.getByRole('link', { name: 'Sign in with single sign-on' }).click();
	await page.getByRole('heading', { name: 'You are not a member here' }).waitFor();
	await page.getByRole('link', { name: 'Other ways to sign in' }).click();
	await page.getByLabel('API key or setup link').waitFor();
	await close();
});
