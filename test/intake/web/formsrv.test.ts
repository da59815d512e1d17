/** `/formsrv.js` in a real browser: which forms it sends, what it sends again, and how it shows errors. */

import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { findAccessibilityFaults } from '../../browser.ts';
import { tab } from '../../tabs.ts';
import { tempFolder } from '../../temp-folder.ts';
import {
	ACTION,
	accept,
	alert,
	CORS,
	endpoint,
	FIELDS,
	keyOf,
	lose,
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

describe('a form that posts to the server', () => {
	test('is sent without leaving the page, with the button that was pressed', async () => {
		await open();
		await tab.click('#send');
		await status().getByText('Thank you').waitFor();
		expect(tab.url()).toBe(site.url);
		expect(sent.map(({ fields }) => fields)).toEqual([
			[
				['email', 'ann@example.com'],
				['message', 'Hello'],
				['via', 'main'],
			],
		]);
		expect(sent[0]?.headers.get('Content-Type')).toStartWith('multipart/form-data; boundary=');
		expect(keyOf(0)).toMatch(/^[!-~]{20,255}$/);
	});

	test('is replaced by the thanks, which get the focus', async () => {
		await open();
		await tab.click('#send');
		await status().getByText('Thank you').waitFor();
		expect(await tab.locator('form').isVisible()).toBe(false);
		expect(await tab.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('status');
		expect(await findAccessibilityFaults(tab)).toEqual([]);
	});

	test('thanks in its own words and stays, emptied, if it asks for that', async () => {
		await open(`action="${ACTION}" method="post" data-formsrv-success="Merci !" data-formsrv-keep`);
		await tab.fill('textarea', 'changed');
		await tab.click('#send');
		await status().getByText('Merci !', { exact: true }).waitFor();
		expect(await tab.locator('textarea').inputValue()).toBe('Hello');
		expect(await tab.locator('#send').isEnabled()).toBe(true);
	});

	test('says what there is left to do if it waits for a confirmation, whatever its own words of thanks', async () => {
		const message = 'Almost done: please open the link.';
		replies.push(() => Response.json({ success: true, message, pending: true }, { headers: CORS }));
		await open(`action="${ACTION}" method="post" data-formsrv-success="Merci !"`);
		await tab.click('#send');
		await status().getByText(message, { exact: true }).waitFor();
		expect(await status().getByText('Merci !').count()).toBe(0);
	});

	test('is recognised at the address under /api as well', async () => {
		await open(`action="${endpoint.url}api/f/contact" method="POST"`);
		await tab.click('#send');
		await status().getByText('Thank you').waitFor();
		expect(sent[0]?.path).toBe('/api/f/contact');
	});

	test('is recognised anywhere by data-formsrv', async () => {
		await open(`action="${endpoint.url}elsewhere" method="post" data-formsrv`);
		await tab.click('#send');
		await status().getByText('Thank you').waitFor();
	});

	test('may have fields named like the members of a form', async () => {
		const names = [
			'action',
			'method',
			'reset',
			'submit',
			'elements',
			'style',
			'getAttribute',
			'querySelectorAll',
			'after',
		];
		const inputs = names.map((name) => `<input aria-label="${name}" name="${name}" value="1">`).join('');
		await open(undefined, `${inputs}<button id="send">Send</button>`);
		await tab.evaluate(() => document.getElementById('send')?.click());
		await status().getByText('Thank you').waitFor();
		expect(sent[0]?.fields).toEqual(names.map((name) => [name, '1']));
	});

	test('follows the formaction of the button', async () => {
		await open(
			undefined,
			`<input name="a" aria-label="a"><button id="send" formaction="${endpoint.url}f/other">Send</button>`,
		);
		await tab.click('#send');
		await status().getByText('Thank you').waitFor();
		expect(sent[0]?.path).toBe('/f/other');
	});

	test('sends files as they are', async () => {
		await open(undefined, '<input type="file" name="cv" aria-label="cv"><button id="send">Send</button>');
		await tab.setInputFiles('input', { name: 'cv.txt', mimeType: 'text/plain', buffer: Buffer.from('my life') });
		await tab.click('#send');
		await status().getByText('Thank you').waitFor();
		expect(sent[0]?.body).toContain('filename="cv.txt"');
		expect(sent[0]?.body).toContain('my life');
	});
});

describe('a form is left to the browser', () => {
	test.each([
		['goes elsewhere', `action="${endpoint.url}elsewhere" method="post"`],
		['opts out', `action="${ACTION}" method="post" data-formsrv="off"`],
		['opens another window', `action="${ACTION}" method="post" target="_top"`],
	])('if it %s', async (_, attributes) => {
		await open(attributes);
		await tab.click('#send');
		await tab.getByText('native thanks').waitFor();
		expect(keyOf(0)).toBeNull();
	});

	test('if the browser is too old to send it with all that belongs to it', async () => {
		await tab.addInitScript('delete URL.canParse; delete AbortSignal.timeout; delete Promise.try');
		await open();
		await tab.click('#send');
		await tab.getByText('native thanks').waitFor();
		expect(sent[0]?.fields).toContainEqual(['via', 'main']);
		expect(keyOf(0)).toBeNull();
	});

	test('if the button closes a dialog', async () => {
		const cancel = '<button id="cancel" formmethod="dialog" formnovalidate>Cancel</button>';
		site.setPage(`<dialog open><form action="${ACTION}" method="post" data-formsrv>${FIELDS}${cancel}</form></dialog>
			<script src="${endpoint.url}formsrv.js"></script>`);
		await tab.goto(site.url);
		await tab.click('#cancel');
		await tab.locator('dialog').waitFor({ state: 'hidden' });
		expect(await tab.locator('form').getAttribute('aria-busy')).toBeNull();
		expect(sent).toEqual([]);
	});

	test('if the page handles the event itself', async () => {
		await open(`action="${ACTION}" method="post" onsubmit="event.preventDefault(); document.title = 'own'"`);
		await tab.click('#send');
		await tab.waitForFunction(() => document.title === 'own');
		expect(sent).toEqual([]);
	});

	test('if the page handles the event of all its forms, however late it begins to; what it changes is sent', async () => {
		await open();
		await tab.evaluate(() => {
			document.addEventListener('submit', (event) => {
				const input = document.querySelector('input') as HTMLInputElement;
				if (input.value === 'complete') return;
				event.preventDefault();
				input.value = 'complete';
			});
		});
		await tab.click('#send');
		expect(await tab.locator('[name=email]').inputValue()).toBe('complete');
		expect(await tab.locator('form').getAttribute('aria-busy')).toBeNull();
		await tab.evaluate(() => {
			document.addEventListener('submit', () => {
				(document.querySelector('textarea') as HTMLTextAreaElement).value = 'changed';
			});
		});
		await tab.click('#send');
		await status().getByText('Thank you').waitFor();
		expect(sent.map(({ fields }) => fields.slice(0, 2))).toEqual([
			[
				['email', 'complete'],
				['message', 'changed'],
			],
		]);
	});

	test('while its fields are invalid, unless it asks for no validation', async () => {
		const content = '<input required name="email" aria-label="E-mail"><button id="send">Send</button>';
		await open(undefined, content);
		await tab.click('#send');
		expect(await tab.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('email');
		expect(sent).toEqual([]);
		await open(`action="${ACTION}" method="post" novalidate`, content);
		await tab.click('#send');
		await status().getByText('Thank you').waitFor();
		expect(sent).toHaveLength(1);
	});
});

describe('sending', () => {
	test('twice at once is not possible', async () => {
		let answer = () => {};
		const wait = new Promise<void>((resolve) => {
			answer = resolve;
		});
		replies.push(async (item) => wait.then(() => accept(item)));
		await open();
		await tab.evaluate(() => {
			const form = document.querySelector('form') as HTMLFormElement;
			form.requestSubmit();
			form.requestSubmit();
		});
		expect(await tab.locator('#send').isDisabled()).toBe(true);
		expect(await tab.locator('form').getAttribute('aria-busy')).toBe('true');
		answer();
		await status().getByText('Thank you').waitFor();
		expect(sent).toHaveLength(1);
		expect(await tab.locator('form').getAttribute('aria-busy')).toBeNull();
	});

	test('again after a lost response repeats key and bytes', async () => {
		replies.push(lose);
		await open();
		await tab.click('#send');
		await alert().getByText('could not be sent').waitFor();
		expect(await findAccessibilityFaults(tab)).toEqual([]);
		expect(await tab.locator('textarea').inputValue()).toBe('Hello');
		await tab.getByRole('button', { name: 'Try again' }).click();
		await status().getByText('Thank you').waitFor();
		expect(await alert().textContent()).toBe('');
		expect(keyOf(1)).toBe(keyOf(0) ?? '');
		expect(sent[1]?.body).toBe(sent[0]?.body ?? '');
	});

	test('again with a file that the page makes anew each time repeats key and bytes, unless its bytes are others', async () => {
		replies.push(lose, lose);
		await open();
		await tab.evaluate(() => {
			document.querySelector('form')?.addEventListener('formdata', ({ formData }) => {
				formData.append('signature', new Blob([document.title]), 'signature.png');
			});
			document.title = 'Ann';
		});
		const retry = tab.getByRole('button', { name: 'Try again' });
		await tab.click('#send');
		await retry.click();
		await retry.waitFor();
		await tab.evaluate(() => {
			document.title = 'Bob';
		});
		await retry.click();
		await status().getByText('Thank you').waitFor();
		expect(sent.map(({ body }) => /Ann|Bob/.exec(body)?.[0])).toEqual(['Ann', 'Ann', 'Bob']);
		expect(keyOf(1)).toBe(keyOf(0) ?? '');
		expect(keyOf(2)).not.toBe(keyOf(0) ?? '');
	});

	test('is not over with a page in place of the JSON: a portal, or an offline page of a service worker', async () => {
		const portal = new Response('<h1>Welcome to our Wi-Fi</h1>', { headers: { ...CORS, 'Content-Type': 'text/html' } });
		replies.push(() => portal);
		await open();
		await tab.click('#send');
		await alert().getByText('could not be sent').waitFor();
		await tab.getByRole('button', { name: 'Try again' }).click();
		await status().getByText('Thank you').waitFor();
		expect(keyOf(1)).toBe(keyOf(0) ?? '');
	});

	test('again is possible with the keyboard after the page has made its button anew; the thanks get the focus', async () => {
		replies.push(lose);
		await open(`action="${ACTION}" method="post" data-formsrv-keep`);
		await tab.click('#send');
		const retry = tab.getByRole('button', { name: 'Try again' });
		await retry.waitFor();
		await tab.locator('#send').evaluate((button) => button.replaceWith(button.cloneNode(true)));
		await retry.press('Enter');
		await status().getByText('Thank you').waitFor();
		expect(await tab.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('status');
	});

	test('a file that cannot be read any more says so at its field, without another try', async () => {
		const path = join(tempFolder(), 'cv.txt');
		await Bun.write(path, 'my life');
		await open(undefined, `<label>CV <input type="file" name="cv"></label>${FIELDS}`);
		await tab.setInputFiles('[name=cv]', path);
		await rm(path);
		await tab.click('#send');
		await tab.getByText('“cv.txt” cannot be read any more. Please choose the file again.', { exact: true }).waitFor();
		expect(await alert().textContent()).toBe('');
		const field = tab.locator('[name=cv]');
		expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
		expect(await findAccessibilityFaults(tab)).toEqual([]);
		expect(sent).toEqual([]);
		await field.setInputFiles({ name: 'cv.txt', mimeType: 'text/plain', buffer: Buffer.from('my life') });
		await tab.click('#send');
		await status().getByText('Thank you').waitFor();
	});

	test('something else after a failure, or the same after a success, takes another key', async () => {
		replies.push(reject(503, { error: 'Back soon.' }));
		await open(`action="${ACTION}" method="post" data-formsrv-keep`);
		await tab.click('#send');
		await alert().getByText('Back soon.').waitFor();
		await tab.fill('textarea', 'Other');
		await tab.click('#send');
		await status().getByText('Thank you').waitFor();
		await tab.fill('textarea', 'Other');
		await Promise.all([tab.waitForResponse(ACTION), tab.click('#send')]);
		expect(new Set(sent.map((_, index) => keyOf(index))).size).toBe(3);
	});
});

describe('an error', () => {
	const envelope = {
		error: 'Two fields need to be corrected.',
		code: 'VALIDATION_ERROR',
		errors: [
			{ field: 'message', code: 'X', message: 'Write <b>more</b>.' },
			{ field: 'nowhere', code: 'X', message: 'Also this.' },
		],
	};

	// No vendor can be had here: their objects are stood in for, with the ids that their widgets give to their inputs.
	test.each([
		['grecaptcha', 'g-recaptcha-response', 'g-recaptcha-response', [null]],
		['grecaptcha', 'g-recaptcha-response', 'g-recaptcha-response-1', [1]],
		['hcaptcha', 'h-captcha-response', 'h-captcha-response-0in0ufid6aoc', ['0in0ufid6aoc']],
		['turnstile', 'cf-turnstile-response', 'cf-chl-widget-ouvb3_response', ['cf-chl-widget-ouvb3']],
	])('renews the widget of %s in its own form: %s', async (vendor, name, id, expected) => {
		replies.push(reject(400, envelope));
		await open(undefined, `${FIELDS}<textarea hidden name="${name}" id="${id}">used</textarea>`);
		await tab.evaluate((global) => {
			const reset = (...args: unknown[]) => {
				document.title = JSON.stringify(args);
			};
			Object.assign(globalThis, { [global]: { reset } });
		}, vendor);
		await tab.click('#send');
		await alert().getByText('Two fields need to be corrected.').waitFor();
		expect(JSON.parse(await tab.title())).toEqual(expected);
	});

	test('is announced, points to the fields and takes it back when they are changed', async () => {
		replies.push(reject(400, envelope));
		await open();
		await tab.click('#send');
		await alert().getByText('Two fields need to be corrected.').waitFor();
		const field = tab.locator('textarea');
		expect(await field.getAttribute('aria-invalid')).toBe('true');
		expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
		const described = await field.evaluate((element) => {
			const id = element.getAttribute('aria-describedby') ?? '';
			return document.getElementById(id)?.textContent ?? '';
		});
		expect(described).toBe('Write <b>more</b>.');
		expect(await alert().getByRole('listitem').allTextContents()).toEqual(['Also this.']);
		expect(await field.evaluate((element) => element.closest('label')?.nextElementSibling?.textContent)).toBe(
			described,
		);
		expect(await tab.getByRole('button', { name: 'Try again' }).count()).toBe(0);
		expect(await findAccessibilityFaults(tab)).toEqual([]);
		await field.fill('More');
		expect(await field.getAttribute('aria-invalid')).toBeNull();
		expect(await field.getAttribute('aria-describedby')).toBeNull();
	});

	test('of a field appears in the place that the page has for it, or behind the last of its inputs', async () => {
		const days = ['Mo', 'Tu'].map((day) => `<label>${day}<input type="checkbox" name="days"></label>`).join('');
		replies.push(
			reject(400, {
				...envelope,
				errors: [
					{ field: 'email', code: 'X', message: 'Not an address.' },
					{ field: 'days', code: 'X', message: 'Tick one.' },
					{ field: 'secret', code: 'X', message: 'Hidden.' },
				],
			}),
			accept,
		);
		await open(
			undefined,
			`<span data-formsrv-error="email"></span>${days}<input type="hidden" name="secret" value="x">${FIELDS}`,
		);
		await tab.click('#send');
		await tab.locator('[data-formsrv-error=email]').getByText('Not an address.').waitFor();
		expect(await tab.getByText('Tick one.').evaluate((element) => element.previousElementSibling?.textContent)).toBe(
			'Tu',
		);
		expect(await alert().getByRole('listitem').allTextContents()).toEqual(['Hidden.']);
		expect(await tab.locator('[aria-invalid=true]').count()).toBe(4);
		expect(await findAccessibilityFaults(tab)).toEqual([]);
		await tab.getByLabel('Tu').check();
		expect(await tab.locator('[name=days][aria-invalid=true]').count()).toBe(0);
		await tab.click('#send');
		await status().getByText('Thank you').waitFor();
		expect(await tab.locator('.formsrv-field-error').count()).toBe(0);
	});

	test('leaves a box and the label behind it together', async () => {
		replies.push(reject(400, { ...envelope, errors: [{ field: 'terms', code: 'X', message: 'Please tick this.' }] }));
		await open(undefined, `<input type="checkbox" id="terms" name="terms"><label for="terms">I agree</label>${FIELDS}`);
		await tab.click('#send');
		const message = tab.getByText('Please tick this.');
		expect(await message.evaluate((element) => element.previousElementSibling?.textContent)).toBe('I agree');
		expect(await tab.getByLabel('I agree').getAttribute('aria-describedby')).toBe(await message.getAttribute('id'));
	});

	test('names its language and takes its own direction at a field too, which need not be those of the page', async () => {
		const headers = { ...CORS, 'Access-Control-Expose-Headers': 'Content-Language', 'Content-Language': 'ar' };
		const errors = [{ field: 'message', message: 'يُرجى ملء «Message».' }];
		replies.push(() => Response.json({ success: false, code: 'VALIDATION_ERROR', errors }, { status: 400, headers }));
		await open();
		await tab.click('#send');
		const message = tab.locator('.formsrv-field-error');
		expect(await message.getAttribute('lang')).toBe('ar');
		expect(await message.evaluate((element) => getComputedStyle(element).direction)).toBe('rtl');
	});

	test('focuses the first field at fault that can be seen, also outside of the form, and no other that the page marks', async () => {
		const errors = ['secret', 'email'].map((field) => ({ field, code: 'X', message: `Wrong: ${field}.` }));
		replies.push(reject(400, { ...envelope, errors }));
		site.setPage(`<form id="contact" action="${ACTION}" method="post"><input name="secret" type="hidden">
			<label>Own <input name="own" aria-invalid="true"></label></form>
			<label>E-mail <input name="email" form="contact"></label><button id="send" form="contact">Send</button>
			<script src="${endpoint.url}formsrv.js"></script>`);
		await tab.goto(site.url);
		await tab.click('#send');
		await tab.getByText('Wrong: email.').waitFor();
		expect(await tab.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('email');
	});

	test('appears where the form has a place for it', async () => {
		replies.push(reject(403, { error: 'Closed.' }));
		await open(undefined, `<div id="place" data-formsrv-message></div>${FIELDS}`);
		await tab.click('#send');
		await tab.locator('#place').getByText('Closed.').waitFor();
	});

	test('without JSON is a message as well', async () => {
		replies.push(() => new Response('<h1>Bad gateway</h1>', { status: 502, headers: CORS }));
		await open(`action="${ACTION}" method="post" data-formsrv-unsent="Not sent." data-formsrv-retry="Once more"`);
		await tab.click('#send');
		await alert().getByText('Not sent.').waitFor();
		await tab.getByRole('button', { name: 'Once more' }).click();
		await status().getByText('Thank you').waitFor();
	});
});
