/** `/formsrv.js` in a real browser: what it tells of the page, and what the page shows and hears. */

import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { findAccessibilityFaults } from '../../browser.ts';
import { tab } from '../../tabs.ts';
import {
	ACTION,
	accept,
	alert,
	endpoint,
	FIELDS,
	form,
	keyOf,
	open,
	openFormPages,
	reject,
	replies,
	sent,
	site,
	status,
} from './form-page.ts';

setDefaultTimeout(20_000);
openFormPages();

test('the moment in which a form was loaded is sent along, if the server gives a stamp of it', async () => {
	form.stamp = 'time.signature';
	const fetched = tab.waitForResponse((response) => response.url() === `${ACTION}/stamp`);
	await open();
	expect((await (await fetched).allHeaders())['set-cookie']).toBeUndefined();
	await tab.getByText('Send').click();
	await status().filter({ hasText: /./ }).waitFor();
	expect(sent[0]?.fields).toContainEqual(['_formsrv_stamp', 'time.signature']);
	form.stamp = undefined;
});

describe('a form that takes nothing now', () => {
	const closed = { open: false, code: 'FORM_CLOSED', message: 'See you <b>next</b> year.' };
	const ATTRIBUTES = `action="${ACTION}?from=page" method="post" data-formsrv-status`;

	test('says so before anybody fills it in, if the page wants that', async () => {
		form.status = closed;
		await open(ATTRIBUTES);
		await alert().getByText('See you <b>next</b> year.').waitFor();
		expect(await tab.locator('#send').isDisabled()).toBe(true);
		expect(await tab.evaluate(() => document.activeElement === document.body)).toBe(true);
		expect(await findAccessibilityFaults(tab)).toEqual([]);
	});

	test('says so once if the script stands in the head and again below, and disables a button outside of the form as well', async () => {
		form.status = closed;
		const script = `<script src="${endpoint.url}formsrv.js"></script>`;
		site.setPage(`${script}<form id="contact" ${ATTRIBUTES}><input name="a" aria-label="a"></form>
			<button id="send" form="contact">Send</button>${script}`);
		await tab.goto(site.url, { waitUntil: 'networkidle' });
		expect(await alert().allTextContents()).toEqual(['See you <b>next</b> year.']);
		expect(await tab.locator('#send').isDisabled()).toBe(true);
	});

	test('is left as it is if the page shows that itself, or the form is open', async () => {
		form.status = closed;
		const own = `<script>addEventListener('formsrv:closed', (event) => { event.preventDefault(); document.title = event.detail.code; })</script>`;
		await open(ATTRIBUTES, FIELDS + own);
		await tab.waitForFunction(() => document.title === 'FORM_CLOSED');
		expect(await tab.locator('#send').isEnabled()).toBe(true);
		form.status = { open: true };
		await Promise.all([tab.waitForResponse(`${ACTION}/status`), open(ATTRIBUTES)]);
		await tab.click('#send');
		await status().getByText('Thank you').waitFor();
	});
});

test('the whole address of the page is told if the page says so', async () => {
	for (const [attribute, referer] of [
		['', site.url],
		['data-formsrv-page', `${site.url}?utm_source=news`],
	] as const) {
		site.setPage(
			`<form action="${ACTION}" method="post" ${attribute}>${FIELDS}</form><script src="${endpoint.url}formsrv.js"></script>`,
		);
		await tab.goto(`${site.url}?utm_source=news`);
		await tab.click('#send');
		await status().getByText('Thank you').waitFor();
		expect(sent.at(-1)?.headers.get('Referer')).toBe(referer);
	}
});

describe('the page', () => {
	test('is redirected to _next or data-formsrv-redirect', async () => {
		await open(undefined, `<input type="hidden" name="_next" value="/thanks?a=1">${FIELDS}`);
		await tab.click('#send');
		await tab.waitForURL(`${site.url}thanks?a=1`);
		await open(`action="${ACTION}" method="post" data-formsrv-redirect="/other"`);
		await tab.click('#send');
		await tab.waitForURL(`${site.url}other`);
	});

	test('says thanks if the redirect leads to a place in it, or to a download', async () => {
		await open(
			`action="${ACTION}" method="post" data-formsrv-redirect="#thanks"`,
			`${FIELDS}<p id="thanks">Until soon.</p>`,
		);
		await tab.click('#send');
		await status().getByText('Thank you').waitFor();
		expect(tab.url()).toBe(`${site.url}#thanks`);
		await open(undefined, `<input type="hidden" name="_next" value="${endpoint.url}brochure">${FIELDS}`);
		const download = tab.waitForEvent('download');
		await tab.click('#send');
		await download;
		await status().getByText('Thank you').waitFor();
		expect(await tab.locator('form').getAttribute('aria-busy')).toBeNull();
	});

	test('is not redirected to a script', async () => {
		await open(undefined, `<input type="hidden" name="_next" value="javascript:document.title='pwned'">${FIELDS}`);
		await tab.click('#send');
		await status().getByText('Thank you').waitFor();
		expect(await tab.title()).toBe('Contact');
	});

	test.each([
		['success', accept],
		['error', reject(403, { error: 'Closed.', code: 'FORM_DISABLED' })],
	])('hears formsrv:%s and may take over', async (what, reply) => {
		replies.push(reply);
		await open(undefined, `<input type="hidden" name="_next" value="/away">${FIELDS}`);
		await tab.evaluate((name) => {
			document.addEventListener(name, (event) => {
				event.preventDefault();
				document.getElementById('send')?.setAttribute('disabled', '');
				document.title = JSON.stringify((event as CustomEvent).detail);
			});
		}, `formsrv:${what}`);
		await tab.click('#send');
		await tab.waitForFunction(() => document.title !== 'Contact');
		expect(JSON.parse(await tab.title())).toMatchObject(
			what === 'success' ? { status: 200 } : { code: 'FORM_DISABLED' },
		);
		expect(tab.url()).toBe(site.url);
		expect(await tab.locator('form').isVisible()).toBe(true);
		expect(await tab.locator('#send').isDisabled()).toBe(true);
		expect(await status().textContent()).toBe('');
		expect(await alert().textContent()).toBe('');
	});

	test('may be returned to by the history and sent again', async () => {
		await open(undefined, `<input type="hidden" name="_next" value="/thanks">${FIELDS}`);
		await tab.click('#send');
		await tab.waitForURL(`${site.url}thanks`);
		await tab.goBack();
		await tab.click('#send');
		await tab.waitForURL(`${site.url}thanks`);
		expect(sent).toHaveLength(2);
		expect(keyOf(0)).not.toBe(keyOf(1) ?? null);
	});
});
