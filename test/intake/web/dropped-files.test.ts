/** `/formsrv.js` in a real browser, with a real server that does without a file: the visitor reads which one. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { findAccessibilityFaults } from '../../browser.ts';
import { openTestServer, type TestServer } from '../../server.ts';
import { openSite } from '../../site.ts';
import { openTabs, tab } from '../../tabs.ts';

setDefaultTimeout(30_000);
openTabs();

const site = openSite();
let server: TestServer;
beforeAll(async () => {
	server = await openTestServer();
	await server.call('POST /api/forms', {
		json: { name: 'Jobs', slug: 'jobs', files: { types: ['.pdf'], onRefused: 'drop' } },
	});
});
afterAll(() => server.close());

async function send(attributes: string, content = '') {
	site.setPage(
		`<form action="${server.submitUrl}/f/jobs" method="post" ${attributes}><label>Name <input name="name" value="Ada"></label>
		<label>CV <input name="cv" type="file" multiple></label>${content}<button id="send">Send</button></form>
		<script src="${server.submitUrl}/formsrv.js"></script>`,
	);
	await tab.goto(site.url);
	await tab.setInputFiles('[type=file]', [
		{ name: 'cv.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7') },
		{ name: '<b>ä, %.exe', mimeType: 'application/pdf', buffer: Buffer.from('MZ') },
	]);
	await tab.click('#send');
}

test('the thanks name the file that was not taken', async () => {
	await send('');
	const status = tab.locator('[role=status]');
	await status.getByText('Thank you').waitFor();
	expect(await status.textContent()).toContain('These files were not accepted:');
	expect(await status.getByRole('listitem').allInnerTexts()).toEqual(['<b>ä, %.exe']);
	expect(await status.getByRole('link').count()).toBe(0);
	expect(await findAccessibilityFaults(tab)).toEqual([]);
});

test('without script, the thank-you page names the file that was not taken', async () => {
	site.setPage(
		`<form action="${server.submitUrl}/f/jobs" method="post" enctype="multipart/form-data"><input name="name" value="Ada">
		<input name="cv" type="file"><button id="send">Send</button></form>`,
	);
	await tab.goto(site.url);
	const mz = { name: '<b>ä, %.exe', mimeType: 'application/pdf', buffer: Buffer.from('MZ') };
	await tab.setInputFiles('[type=file]', [mz]);
	await tab.click('#send');
	await tab.getByRole('heading', { name: 'Thank you' }).waitFor();
	expect(await tab.getByRole('listitem').allInnerTexts()).toEqual([
		'<b>ä, %.exe (2 B), not accepted: the form does not accept this type',
	]);
	expect(await findAccessibilityFaults(tab)).toEqual([]);
});

test('before a redirect the visitor reads of it, in the words of the page, and goes on by a link', async () => {
	const words = 'data-formsrv-dropped="Nicht angenommen:" data-formsrv-continue="Weiter"';
	await send(words, `<input type="hidden" name="_next" value="${site.url}?done">`);
	const status = tab.locator('[role=status]');
	await status.getByText('Nicht angenommen:').waitFor();
	expect(tab.url()).toBe(site.url);
	await status.getByRole('link', { name: 'Weiter' }).click();
	await tab.waitForURL(/\?done$/);
});
