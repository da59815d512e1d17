/** A submission whose stored text was damaged, in the dashboard: in its place in the list, in words when opened, and in the mark of the navigation. */

import { expect, setDefaultTimeout, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { decodeId } from '../../src/ids.ts';
import { submissions } from '../../src/storage/tables.ts';
import { findAccessibilityFaults } from '../browser.ts';
import { createForm, openDashboard, openServerAndBrowser } from './dashboard.ts';

setDefaultTimeout(60_000);

const { server, browser } = await openServerAndBrowser();

test('is in its place among the others, says what happened, and is a mark in the navigation', async () => {
	const form = await createForm(server, 'Damaged');
	const ids: string[] = [];
	for (const name of ['Ada', 'Grace', 'Mary']) {
		const { headers } = await server.submit(form.slug, { name });
		ids.push(headers.get('Formsrv-Submission-Id') as string);
	}
	const damaged = decodeId(ids[1] as string) as number;
	await server.app.storage.batch((tx) => [
		tx.update(submissions).set({ data: '{"name":"Gra' }).where(eq(submissions.id, damaged)),
	]);
	const { page, signIn, goTo, complaints, close } = await openDashboard({ browser, server });
	await signIn();
	await goTo(`/forms/${form.id}`);
	const rows = page.locator('.submissions-table tbody tr');
	await rows.nth(2).waitFor();
	expect(await rows.count()).toBe(3);
	const texts = await rows.allTextContents();
	expect(texts.map((text) => /Mary|Gra|Ada/.exec(text)?.[0])).toEqual(['Mary', undefined, 'Ada']);
	await page.locator('.row-link').nth(1).click();
	const detail = page.getByRole('article', { name: 'Submission' });
	await detail.getByText('can no longer be read: the disk lost it').waitFor();
	expect(await findAccessibilityFaults(page)).toEqual([]);
	await goTo('/settings');
	await page.locator('.attention[title*="damaged"]').first().waitFor();
	expect(complaints).toEqual([]);
	await close();
});
