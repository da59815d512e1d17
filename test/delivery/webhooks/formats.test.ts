/** The formats of messages, held against what their vendors publish; with what hostile visitors send. */

import { describe, expect, test } from 'bun:test';
import { requestOf, type Told } from '../../../src/delivery/webhooks/message.ts';
import { MESSAGE_FORMAT_NAMES, type MessageFormatName } from '../../../src/form-values/message-formats.ts';
import { INCLUDE_NAMES, type Include } from '../../../src/form-values/webhook-formats.ts';
import { encodeId } from '../../../src/ids.ts';
import { faultsOf, PUBLISHED } from './published-formats.ts';

const BASE = 'https://forms.example.com';
const LINK = `${BASE}/#/forms/${encodeId(1001)}/submissions/${encodeId(2002)}`;

/** Texts that mean something in one format or another. */
const HOSTILE = [
	'@everyone @here @channel @all @room <!channel> <!here> <@U123> <@&1> <#1> @admin',
	'[Click](https://evil.example) <https://evil.example|Bank> https://evil.example www.evil.example evil.example',
	'![x](https://evil.example/x.png) <img src=x onerror=alert(1)> <a href="https://evil.example">x</a>',
	'```\n@everyone https://evil.example\n```',
	'` `` ``` ```` ~~~\n```',
	'</code></pre><a href="https://evil.example">x</a><mx-reply>',
	'</at><at>everyone</at> {{name}} {{form.name}} {{submission.url}} $& $1 \\',
	'**bold** __x__ ~~s~~ ||spoiler|| > quote # head - list\n\n---\n| a | b |\n|--|--|',
	'\r\nX-Injected: 1\r\n\r\nGET / HTTP/1.1\u0000\u001b[31m\u202e\u2028',
	'"},{"type":"link","url":"https://evil.example"},{"',
	'tg://user?id=1 /start@bot #hash $USD +4915112345678 a@evil.example',
	'👩‍👩‍👧‍👦'.repeat(3000),
	'e\u0301'.repeat(5000),
	`a${'\u0301'.repeat(9000)}`,
	'&amp;&lt;"\'<>'.repeat(2000),
	'`'.repeat(6000),
	'\n'.repeat(6000),
	'漢字'.repeat(4000),
	'\ud800 half \udc00',
	' ',
];

function told(fields: [name: string, value: unknown][], name = 'Contact'): Told {
	const members = fields.map(([field, value]) => `${JSON.stringify(field)}:${JSON.stringify(value)}`);
	return {
		event: 'submission.created',
		headline: 'new submission',
		form: { id: 1001, name, fields: null },
		submission: { id: encodeId(2002), createdAt: '2026-01-02T03:04:05.678Z', data: `{${members.join()}}` },
		baseUrl: BASE,
	};
}

function send(about: Told, format: MessageFormatName, include: Include = 'all') {
	const { address } = PUBLISHED[format];
	const { url, method = 'POST', body } = requestOf(about, { url: address, format, include, body: null }, 'msg_1');
	return { url, method, body: JSON.parse(body) };
}

describe.each(MESSAGE_FORMAT_NAMES)('%s', (format) => {
	test.each(INCLUDE_NAMES)('takes a message that includes: %s', (include) => {
		const about = told([
			['name', 'Ada'],
			['message', `Hello ${'long '.repeat(100)}the end`],
		]);
		const request = send(about, format, include);
		expect(faultsOf(format, request, LINK)).toEqual([]);
		const text = JSON.stringify(request.body);
		expect(text).toContain('Contact');
		expect(text.includes('name: Ada')).toBe(include !== 'link');
		expect(text.includes('the end')).toBe(include === 'all');
	});

	test('takes nothing of hostile names, values and form names for more than text, and keeps its bounds', () => {
		let tried = 0;
		for (const name of HOSTILE) {
			for (const value of HOSTILE) {
				const fields: [string, unknown][] = [
					[name, value],
					[value.slice(0, 300), [name, value]],
				];
				for (const include of INCLUDE_NAMES.slice(1)) {
					expect(faultsOf(format, send(told(fields), format, include), LINK)).toEqual([]);
					tried++;
				}
			}
			expect(faultsOf(format, send(told([['a', 'b']], name.slice(0, 200) || 'x'), format), LINK)).toEqual([]);
		}
		expect(tried * MESSAGE_FORMAT_NAMES.length).toBeGreaterThan(2000);
	}, 120_000);

	test('is cut at a whole character, and says so', () => {
		const { body } = send(told([['a', '👩‍👩‍👧‍👦'.repeat(3000)]]), format);
		const text = JSON.stringify(body);
		expect(text).toMatch(/👩‍👩‍👧‍👦…/);
		expect(text.match(/👩(?!‍👩‍👧‍👦|‍👧‍👦)/)).toBeNull();
	});

	test('shows what a visitor wrote, sign by sign', () => {
		const value = 'a*b_c <d> & "e" \\f @all';
		const text = JSON.stringify(send(told([['x', value]]), format).body);
		const shown = format === 'matrix' ? JSON.parse(text).body : text.replace(/\\(["\\])/g, '$1');
		expect(shown).toContain(value);
	});
});

test('a body of the owner’s keeps its shape, whatever visitors send', () => {
	const body = {
		text: 'From {{name}} ({{ e mail }}): {{message}}',
		'{{name}}': ['{{form.name}}', 7, null, true, { url: '{{submission.url}}', id: '{{submission.id}}' }],
		at: '{{submission.createdAt}}',
	};
	for (const hostile of HOSTILE) {
		for (const other of HOSTILE) {
			const about = told([
				['name', hostile],
				['e mail', other],
				[hostile, other],
			]);
			const {
				url,
				method,
				body: sent,
			} = requestOf(about, { url: 'https://crm.example.com/', format: 'custom', include: 'all', body }, 'msg_1');
			expect([url, method]).toEqual(['https://crm.example.com/', undefined]);
			const { text, ...rest } = JSON.parse(sent);
			expect(rest).toEqual({
				'{{name}}': ['Contact', 7, null, true, { url: LINK, id: encodeId(2002) }],
				at: '2026-01-02T03:04:05.678Z',
			});
			const whole = `From ${hostile} (${other}): `.toWellFormed();
			if (Math.max(hostile.length, other.length) <= 20_000) expect(text).toBe(whole);
			else expect(text.length).toBeLessThanOrEqual(40_000);
		}
	}
});
