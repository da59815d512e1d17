/** Numbers keep their digits on the way from the server to the eye. */

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { numeralText, parseExactJson } from '../../../src/dashboard/web/exact-json.ts';
import { jsonText, valueText } from '../../../src/dashboard/web/format.ts';

describe('JSON read without loss', () => {
	test.each(['12345678901234567890', '1.10', '1e400', '-0', '0.1000000000000000055511151231257827'])(
		'shows %s as it was written',
		(digits) => {
			expect(valueText(parseExactJson(digits))).toBe(digits);
			expect(jsonText(parseExactJson(`{"a":[${digits}]}`))).toBe(`{\n  "a": [\n    ${digits}\n  ]\n}`);
		},
	);

	test.each([
		'{"a" : 1.10}',
		'[1,\n 1.10]',
		'{"a":{"b":[[-0]]}}',
		'[12345678901234567890]',
		'{"t":"03:04:05.678","n":\t1E2}',
		' 1.0',
	])('finds the number in %j, wherever it stands', (text) => {
		const digits = /(1\.10|-0|\d{20}|1E2|1\.0)/.exec(text)?.[0] ?? 'none';
		expect(jsonText(parseExactJson(text))).toContain(digits);
	});

	test('leaves a number alone that JavaScript holds exactly', () => {
		expect(parseExactJson('[0, 12, 1.5, -3]')).toEqual([0, 12, 1.5, -3]);
		expect(numeralText(12)).toBeUndefined();
	});

	test('keeps members in the order in which they were sent, also in lists and with numbers of many digits', () => {
		const text = '{"z":1.10,"10":[{"b":1,"7":-0}],"2":"x"}';
		const data = parseExactJson(text) as object;
		expect(Object.keys(data)).toEqual(['z', '10', '2']);
		expect(jsonText(data).replace(/\s/g, '')).toBe(text);
	});

	test('keeps a member named __proto__ as a member', () => {
		const data = parseExactJson('{"__proto__": {"isAdmin": true}, "name": "x"}') as object;
		expect(Object.keys(data)).toEqual(['__proto__', 'name']);
		expect('isAdmin' in data).toBe(false);
	});

	test('keeps the digits of every number, between texts that look like numbers', () => {
		const digits = fc.array(fc.nat(9), { minLength: 1, maxLength: 20 }).map((all) => all.join(''));
		const whole = digits.map((text) => text.replace(/^0+(?=\d)/, ''));
		const numeral = fc
			.tuple(
				fc.constantFrom('', '-'),
				whole,
				fc.option(digits),
				fc.option(fc.tuple(fc.constantFrom('e', 'E-'), digits)),
			)
			.map(([sign, start, end, power]) => `${sign}${start}${end === null ? '' : `.${end}`}${power?.join('') ?? ''}`);
		const space = fc.constantFrom('', ' ', '\n\t');
		const text = fc.constantFrom('"12:00:05.678Z"', '"[1.5,"', 'null', '12');
		fc.assert(
			fc.property(numeral, space, text, text, (number, blank, before, behind) => {
				const [, shown] = parseExactJson(`[${before},${blank}${number}${blank},${behind}]`) as unknown[];
				expect(valueText(shown)).toBe(number);
			}),
			{ numRuns: 500 },
		);
	});

	test('shows any JSON value as JSON of the same meaning', () => {
		fc.assert(
			fc.property(fc.json(), (text) => {
				expect(JSON.parse(jsonText(parseExactJson(text)))).toEqual(JSON.parse(text));
			}),
		);
	});
});
