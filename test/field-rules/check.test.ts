/** Field rules hold what a browser holds with the same attributes, and say it with the label. */

import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { atOnce, createFieldCheck } from '../../src/field-rules/check.ts';
import type { FieldRule } from '../../src/field-rules/rules.ts';
import { parseExact } from '../../src/text/exact-json.ts';
import { openBrowser } from '../browser.ts';

setDefaultTimeout(60_000);

const NO_FILES: ReadonlySet<string> = new Set();

/** The code and sentence of what is wrong with the field `f`. */
function faultOf(rule: Partial<FieldRule>, value: unknown, files = NO_FILES) {
	const values = value === undefined ? {} : { f: value };
	const check = createFieldCheck([{ name: 'f', type: 'text', ...rule }]);
	const [fault] = atOnce(check({ values, files }));
	return fault;
}

describe('a field', () => {
	test.each<[Partial<FieldRule>, unknown, string | undefined]>([
		[{ required: true }, undefined, 'Please fill in “f”.'],
		[{ required: true }, '', 'Please fill in “f”.'],
		[{ required: true }, null, 'Please fill in “f”.'],
		[{ required: true }, ['', ''], 'Please fill in “f”.'],
		[{ required: true }, ['', 'x'], undefined],
		[{ required: true }, ' ', undefined],
		[{ required: true, unique: true }, ' ', 'Please fill in “f”.'],
		[{ required: true, unique: true }, '\u200b\u2060', 'Please fill in “f”.'],
		[{ required: true, unique: true, type: 'tel' }, '-', undefined],
		[{ unique: true }, '\u200b', undefined],
		[{ required: true, type: 'email' }, ' ', 'Please fill in “f”.'],
		[{ required: true, label: 'Your name' }, '', 'Please fill in “Your name”.'],
		[{ required: true, type: 'checkbox', label: 'I agree' }, false, 'Please tick “I agree”.'],
		[{ required: true, type: 'checkbox' }, true, undefined],
		[{ required: true, type: 'select' }, '', 'Please choose one for “f”.'],
		[{ required: true, type: 'file', label: 'CV' }, undefined, 'Please choose a file for “CV”.'],
		[{ type: 'file' }, 'cv.pdf', '“f” must be a file.'],
		[{ type: 'text' }, { nested: 1 }, '“f” must be a text, not a file or anything else.'],
		[{ type: 'text' }, [['x']], '“f” must be a text, not a file or anything else.'],
		[{ minLength: 3 }, '', undefined],
		[{ minLength: 3 }, 'ab', '“f” is too short: it has 2 characters, of at least 3.'],
		[{ maxLength: 2 }, '😀', undefined],
		[{ maxLength: 2 }, '😀a', '“f” is too long: it has 3 characters, of at most 2.'],
		[{ maxLength: 3 }, 'a\r\nb', undefined],
		[{ maxLength: 3 }, ['abc', 'abcd'], '“f” is too long: it has 4 characters, of at most 3.'],
		[{ type: 'email' }, 'ann@bücher.example', undefined],
		[{ type: 'email' }, ' ann@example.com ', undefined],
		[{ type: 'email' }, `ann@${'a.'.repeat(497)}a`, undefined],
		[{ type: 'email' }, `ann@${'a.'.repeat(499)}a`, '“f” must be an e-mail address, such as name@example.com.'],
		[{ type: 'email' }, 'ann', '“f” must be an e-mail address, such as name@example.com.'],
		[{ type: 'url' }, 'example.com', '“f” must be a web address, such as https://example.com.'],
		[{ type: 'number' }, 12, undefined],
		[{ type: 'number' }, '1e400', '“f” must be a number, such as 12 or 0.5.'],
		[{ type: 'number', min: 0 }, -1, '“f” must be 0 or more.'],
		[{ type: 'number', max: 0 }, '0.5', '“f” must be 0 or less.'],
		[{ type: 'date', min: '2026-01-31' }, '2026-01-30', '“f” must be 31 January 2026 or later.'],
		[{ type: 'date', max: '2026-01-31' }, '10000-01-01', '“f” must be 31 January 2026 or earlier.'],
		[{ type: 'select', options: ['a', 'b'] }, 'c', '“f” is not one of the choices.'],
		[{ type: 'checkbox', options: ['a', 'b'] }, ['a', 'b'], undefined],
		[{ type: 'checkbox', options: ['a', 'b'] }, ['a', 'c'], '“f” is not one of the choices.'],
		[{ type: 'checkbox' }, 'anything', undefined],
		[{ pattern: '\\d{5}' }, '1234', '“f” does not have the required format.'],
		[{ pattern: 'a+' }, 'a'.repeat(2001), '“f” is too long: it has 2,001 characters, of at most 2,000.'],
		[
			{ pattern: 'a+' },
			['a'.repeat(1500), 'a'.repeat(1500)],
			'“f” is too long: it has 3,000 characters, of at most 2,000.',
		],
	])('with the rule %j and the value %j: %s', (rule, value, message) => {
		expect(faultOf(rule, value)?.message).toBe(message as string);
	});

	test.each<[Partial<FieldRule>, string, string | undefined]>([
		[{ maxLength: 30 }, '1'.repeat(31), 'TOO_LONG'],
		[{ pattern: '\\d{22}' }, '1'.repeat(22), undefined],
		[{ pattern: '\\d\\.\\d\\d' }, '1.10', undefined],
		[{ type: 'select', options: ['1'] }, '1.00000000000000000001', 'NOT_AN_OPTION'],
		[
			{ type: 'select', options: ['12345678901234567890'] },
			'["12345678901234567890", 12345678901234567890]',
			undefined,
		],
		[{ type: 'number', min: 0 }, '1e400', 'INVALID_NUMBER'],
		[{ type: 'number', max: 12 }, '12.50', 'TOO_LARGE'],
		[{}, '{"rawJSON": "1"}', 'INVALID_TYPE'],
	])('with the rule %j and the JSON value %s is held against it with all digits', (rule, json, code) => {
		expect(faultOf(rule, parseExact(json))?.code).toBe(code as string);
	});

	test('of files may have a file, and no other', () => {
		expect(faultOf({ type: 'file', required: true }, 'cv.pdf', new Set(['f']))).toBeUndefined();
		expect(faultOf({ type: 'text' }, 'cv.pdf', new Set(['f']))?.code).toBe('INVALID_TYPE');
	});

	test('may be anything if its pattern cannot be read any more, as in browsers', () => {
		expect(faultOf({ pattern: '(?=x)', maxLength: 3 }, 'abc')).toBeUndefined();
	});

	test('named like a member of every object is a field as any other', () => {
		const check = createFieldCheck(
			['__proto__', 'constructor', 'toString'].map((name) => ({ name, type: 'text', required: true })),
		);
		expect(atOnce(check({ values: {}, files: NO_FILES }))).toHaveLength(3);
		expect(
			atOnce(check({ values: JSON.parse('{"__proto__":"a","constructor":"b","toString":"c"}'), files: NO_FILES })),
		).toEqual([]);
	});

	test('of a mebibyte takes no time to speak of', () => {
		const long = ' '.repeat(1024 * 1024);
		for (const type of ['text', 'email', 'url', 'tel', 'number', 'date', 'select', 'checkbox'] as const) {
			faultOf({ type, required: true }, `${long}x`);
			faultOf({ type, required: true }, `a@${'a.'.repeat(500_000)}`);
			faultOf({ type, required: true }, '9'.repeat(1024 * 1024));
		}
	});
});

test('every field at fault is named, in the order of the rules', () => {
	const check = createFieldCheck([
		{ name: 'b', type: 'email', label: 'E-mail' },
		{ name: 'a', type: 'text', required: true },
		{ name: 'c', type: 'number' },
	]);
	const faults = atOnce(check({ values: { b: 'x', c: '1' }, files: NO_FILES }));
	expect(faults.map(({ field, code }) => [field, code])).toEqual([
		['b', 'INVALID_EMAIL'],
		['a', 'REQUIRED'],
	]);
});

describe('a browser with the same attributes', async () => {
	const browser = await openBrowser();
	afterAll(() => browser.close());

	/** Not a blank in a host: Chromium takes that for valid, against the URL standard. */
	const VALUES = {
		email: [
			...[
				'a@b',
				'a@b.c',
				'a.b+c@d-e.example',
				'a@-b.c',
				'a@b-.c',
				'a b@c.d',
				'a@b@c',
				'@b',
				'a@',
				'ä@b.c',
				'a..b@c.d',
				'.a@b.c',
			],
			...[
				'a@b..c',
				'a@[127.0.0.1]',
				'"a b"@c.d',
				'a@b_c.d',
				`a@${'b'.repeat(63)}.c`,
				`a@${'b'.repeat(64)}.c`,
				'a@b.c.',
				'a,b@c.d',
			],
		],
		url: [
			...[
				'https://example.com',
				'http://a',
				'mailto:a@b',
				'javascript:1',
				'example.com',
				'/path',
				'//a.b',
				'http://',
				'https://[::1]/',
			],
			...[
				'ftp://x/y?z#q',
				'http://a:99999/',
				'urn:x',
				'a:b',
				':',
				'http://%zz/',

				'x',
			],
		],
		number: [
			...[
				'0',
				'-1',
				'+1',
				'1.',
				'.5',
				'-.5',
				'1e3',
				'1E+3',
				'1e',
				'1,5',
				'0x10',
				'NaN',
				'Infinity',
				' 1',
				'1e400',
				'--1',
				'00',
				'5',
				'5.5',
				'10.01',
			],
		],
		date: [
			...[
				'2026-01-31',
				'2026-02-29',
				'2024-02-29',
				'1900-02-29',
				'2000-02-29',
				'0000-01-01',
				'0001-01-01',
				'2026-13-01',
				'2026-00-01',
			],
			...[
				'2026-1-1',
				'26-01-01',
				'2026-01-32',
				'2026-04-31',
				'12026-01-01',
				'2026-01-15',
				'2026-01-10',
				'2026-01-20',
				' 2026-01-15',
				'2026/01/01',
			],
		],
		text: ['', 'a', 'ab', 'abc', '12345', '1234', 'ABC', 'ä', '😀', 'a\u00a0b', ' ', 'a-b', '(x)'],
	};
	const RULES: FieldRule[] = [
		{ name: 'f', type: 'email' },
		{ name: 'f', type: 'email', required: true, pattern: '.+@example\\.com' },
		{ name: 'f', type: 'url' },
		{ name: 'f', type: 'url', pattern: 'https:.*' },
		{ name: 'f', type: 'number' },
		{ name: 'f', type: 'number', min: 5, max: 10 },
		{ name: 'f', type: 'number', min: 0 },
		{ name: 'f', type: 'date' },
		{ name: 'f', type: 'date', min: '2026-01-10', max: '2026-01-20' },
		{ name: 'f', type: 'text', required: true },
		{ name: 'f', type: 'text', pattern: '\\d{5}|[A-Z]+' },
		{ name: 'f', type: 'text', pattern: '.' },
		{ name: 'f', type: 'text', pattern: '[\\p{L}\\-]+' },
		{ name: 'f', type: 'tel', pattern: '[\\d \\(\\)\\-]+', required: true },
	];
	const CASES = RULES.flatMap((rule) =>
		(VALUES[rule.type as keyof typeof VALUES] ?? VALUES.text).map((value) => ({ rule, value })),
	);

	test(`judges ${CASES.length} values alike`, async () => {
		const page = await browser.newPage();
		/** Returns whether the browser sends the value, and sends it as it is. */
		const sent = await page.evaluate(
			(cases) =>
				cases.map(({ rule: { type, required, min, max, pattern }, value }) => {
					const input = document.createElement('input');
					Object.assign(input, { type, required: required ?? false });
					if (min !== undefined) input.min = `${min}`;
					if (max !== undefined) input.max = `${max}`;
					if (pattern !== undefined) input.pattern = pattern;
					if (type === 'number') input.step = 'any';
					input.value = value;
					return { isSame: input.value === value, isValid: input.checkValidity() };
				}),
			CASES,
		);
		const differing = CASES.map(({ rule, value }, i) => {
			const { isSame, isValid } = sent[i] as { isSame: boolean; isValid: boolean };
			return { rule, value, browser: isSame && isValid, server: faultOf(rule, value) === undefined };
		}).filter(({ browser: isSent, server }) => isSent !== server);
		expect(differing).toEqual([]);
		await page.close();
	});
});
