/** Special fields control a submission and are never stored. */

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { DEFAULT_SPAM_SETTINGS } from '../../../src/form-values/spam-settings.ts';
import type { PostedField } from '../../../src/intake/body/fields.ts';
import { readJsonFields } from '../../../src/intake/body/json-fields.ts';
import { dataJson, specialNamesOf, splitSpecialFields as split } from '../../../src/intake/body/special-fields.ts';
import { LIMITS } from './bodies.ts';

const field = (name: string, value: unknown): PostedField => ({ name, json: JSON.stringify(value) });
const USUAL_NAMES = specialNamesOf({ spam: DEFAULT_SPAM_SETTINGS, aliases: [] });
const splitSpecialFields = (fields: PostedField[]) => split(fields, USUAL_NAMES);
const special = (name: string, value: unknown) => splitSpecialFields([field(name, value)]).special;
const NONE = { honeypotFilled: false, captchaTokens: {} };

describe('special fields', () => {
	test('are taken out of the others, which keep their order', () => {
		const { special: found, fields } = splitSpecialFields([
			field('b', 1),
			field('_next', '/thanks'),
			field('_subject', 'Hello'),
			field('a', [2]),
			field('_replyto', 'ada@example.com'),
			field('_gotcha', ''),
			field('g-recaptcha-response', 'r'),
			field('h-captcha-response', 'h'),
			field('cf-turnstile-response', 't'),
			field('altcha', 'x'),
		]);
		expect(found).toEqual({
			next: '/thanks',
			subject: 'Hello',
			replyTo: 'ada@example.com',
			honeypotFilled: false,
			captchaTokens: { recaptcha: 'r', hcaptcha: 'h', turnstile: 't', altcha: 'x' },
		});
		expect(dataJson(fields)).toBe('{"b":1,"a":[2]}');
	});

	test('are not looked for where there are none', () => {
		const fields = ['_NEXT', ' _next', '_next[]', '_Gotcha', 'next', 'g-recaptcha', 'constructor'].map((name) =>
			field(name, 'x'),
		);
		expect(splitSpecialFields(fields)).toEqual({ special: NONE, fields });
		expect(splitSpecialFields(fields).fields).toBe(fields);
	});

	test.each(['_next', '_subject', '_replyto', 'g-recaptcha-response', 'altcha'])(
		'that are not strings count as absent, but are not stored: %s',
		(name) => {
			for (const value of [null, 1, true, ['ada@example.com'], { path: '/etc/passwd' }, '']) {
				expect(splitSpecialFields([field(name, value)])).toEqual({ special: NONE, fields: [] });
			}
		},
	);
});

describe('_gotcha', () => {
	test.each([
		['x'],
		[' '],
		['\0'],
		['0'],
		[0],
		[true],
		[['x']],
		[['', 'x']],
		[[[]]],
		[{ a: '' }],
		[false],
		[{}],
		[[]],
		[['']],
		[[null, '']],
	])('is filled by %j', (value) => {
		expect(special('_gotcha', value)).toEqual({ ...NONE, honeypotFilled: true });
	});

	test.each([[''], [null], [['', '']], [['', '', '']]])('is not filled by %j', (value) => {
		expect(special('_gotcha', value)).toEqual(NONE);
	});
});

describe('the honeypots of a form', () => {
	const names = specialNamesOf({ spam: { threshold: 5, honeypot: ['website', 'fax'] }, aliases: [] });

	test('stand in place of _gotcha, and one that is filled in suffices', () => {
		const sent = [field('fax', 'x'), field('website', ''), field('_gotcha', 'y')];
		expect(split(sent, names)).toEqual({
			special: { ...NONE, honeypotFilled: true },
			fields: [field('_gotcha', 'y')],
		});
		expect(split(sent.slice(1), names).special).toEqual(NONE);
	});
});

describe('_subject', () => {
	test.each([
		['  Hello \t', 'Hello'],
		['Hello\r\nBcc: eve@example.com', 'HelloBcc: eve@example.com'],
		['a\0\u001b[31mb\u007f\u0085c\u2028d\u2029e', 'a[31mbcde'],
		['é 😀', 'é 😀'],
		['x'.repeat(201), 'x'.repeat(200)],
		[`${'x'.repeat(199)}😀`, 'x'.repeat(199)],
		[`${'x'.repeat(197)}👩‍👩‍👧`, 'x'.repeat(197)],
		[`${'x'.repeat(199)}e\u0301`, 'x'.repeat(199)],
		[`${'x'.repeat(198)}😀y`, `${'x'.repeat(198)}😀`],
	])('%j becomes %j', (sent, subject) => {
		expect(special('_subject', sent).subject).toBe(subject);
	});

	test.each([' ', '\r\n\t'])('of %j counts as absent', (sent) => {
		expect(special('_subject', sent)).toEqual(NONE);
	});
});

describe('_replyto', () => {
	test('is one address, blanks around it apart', () => {
		expect(special('_replyto', ' ada@example.com ').replyTo).toBe('ada@example.com');
	});

	test.each([
		'ada@example.com, eve@example.com',
		'Ada <ada@example.com>',
		'ada@example.com\r\nBcc: eve@example.com',
		'ada',
	])('of %j is dropped', (sent) => {
		expect(special('_replyto', sent)).toEqual(NONE);
	});
});

test.each([
	['_next', 2048],
	['g-recaptcha-response', 8192],
])('%s counts as absent beyond %d characters', (name, limit) => {
	expect(special(name, 'x'.repeat(limit))).not.toEqual(NONE);
	expect(special(name, 'x'.repeat(limit + 1))).toEqual(NONE);
});

test('the stored object keeps the text of every value and quotes every name', () => {
	expect(dataJson([])).toBe('{}');
	expect(
		dataJson([
			{ name: '__proto__', json: '1.0' },
			{ name: 'a"\n\ud800', json: '"\\u0041"' },
			{ name: '', json: '[1e400]' },
		]),
	).toBe('{"__proto__":1.0,"a\\"\\n\\ud800":"\\u0041","":[1e400]}');
});

test('the text that was sent is stored only if it is the stored object', () => {
	const blank = fc.constantFrom('', '', '', ' ', '\n');
	const names = ['a', 'ä', '', '_next', '_gotcha', '\\u0062', '\\n', '\\"', '\\/', '\\uD800', '\u2028'];
	const values = ['"x"', '""', '"\\u00e9\\/"', '1.0', '[ ]', '{"b": [1 ,2]}', 'null'];
	const member = fc.tuple(blank, fc.constantFrom(...values), blank);
	const body = fc
		.tuple(blank, fc.uniqueArray(fc.constantFrom(...names), { maxLength: 4 }), fc.array(member, { minLength: 4 }))
		.map(([around, used, members]) => {
			const texts = used.map((name, i) => {
				const [before, value, after] = members[i] as [string, string, string];
				return `${before}"${name}"${after}:${before}${value}${after}`;
			});
			return `${around}{${texts.join(',')}}${around}`;
		});
	fc.assert(
		fc.property(body, (sent) => {
			const { fields } = splitSpecialFields(readJsonFields(sent, LIMITS));
			expect(dataJson(fields, sent)).toBe(dataJson(fields));
		}),
		{ numRuns: 3000 },
	);
});
