/** Submitted fields as lines for a person. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { readFields } from '../../src/delivery/fields.ts';

test.each([
	['{}', []],
	['{ }', []],
	['{"a":"b"}', [['a', 'b']]],
	[
		'{"b":1,"1":2,"0":3}',
		[
			['b', '1'],
			['1', '2'],
			['0', '3'],
		],
	],
	['{"n":12345678901234567890.10}', [['n', '12345678901234567890.10']]],
	[
		'{"a":true,"b":null}',
		[
			['a', 'true'],
			['b', ''],
		],
	],
	['{"a":["x","y, z",3]}', [['a', 'x\ny, z\n3']]],
	['{"a":[]}', [['a', '']]],
	['{"a":{"b":[1,"}"]}}', [['a', '{"b":[1,"}"]}']]],
	['{"q\\"}: ,":"\\"],"}', [['q"}: ,', '"],']]],
	['{"__proto__":"x"}', [['__proto__', 'x']]],
	[
		'{ "a" : "b" , "c" : [ "d" , "e" ] }',
		[
			['a', 'b'],
			['c', 'd\ne'],
		],
	],
] as [string, [string, string][]][])('%s', (json, expected) => {
	expect(readFields(json).map(({ name, text }) => [name, text])).toEqual(expected);
});

test('every name and text comes out as it went in, in order', () => {
	const text = fc.string({ unit: 'binary' });
	fc.assert(
		fc.property(fc.uniqueArray(fc.tuple(text, text), { selector: ([name]) => name }), (members) => {
			const json = `{${members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`;
			expect(readFields(json).map((field) => [field.name, field.text])).toEqual(members);
		}),
	);
});

const anyText = fc.oneof(
	fc.string({ unit: 'binary' }),
	fc.constantFrom('\\', '\\u0041', '\\\\"', '😀😀', '\0\u0001', '"]},{["').map((unit) => unit.repeat(5)),
);
const anyValue = fc.oneof(anyText, fc.array(fc.oneof(anyText, fc.integer())), fc.jsonValue());
const anyMembers = fc.uniqueArray(fc.tuple(anyText, anyValue), { selector: ([name]) => name });
const objectOf = (members: [string, unknown][]) =>
	`{${members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`;

test('of a text that is cut anywhere, all fields but the last are whole, and that is the beginning of the real one', () => {
	fc.assert(
		fc.property(anyMembers, fc.nat(), (members, seed) => {
			const json = objectOf(members);
			const textMax = 1 + (seed % (json.length - 1));
			const whole = readFields(json);
			const cut = readFields(json, { textMax });
			expect(cut).toEqual(readFields(json.slice(0, textMax)));
			expect(cut.slice(0, -1)).toEqual(whole.slice(0, cut.length - 1));
			const last = cut.at(-1);
			const real = whole[cut.length - 1];
			expect(last?.isCut).toBe(true);
			if (real?.name === last?.name) expect(real?.text).toStartWith(last?.text ?? '');
			else expect(last).toEqual({ name: '', text: '', isCut: true });
		}),
	);
});

test('of a value that is longer than what is read of it comes the beginning, marked as such', () => {
	fc.assert(
		fc.property(anyMembers, fc.integer({ min: 1, max: 40 }), (members, valueMax) => {
			const json = objectOf(members);
			const whole = readFields(json);
			const bounded = readFields(json, { valueMax });
			expect(bounded.map(({ name }) => name)).toEqual(whole.map(({ name }) => name));
			for (const [index, { text, isCut }] of bounded.entries()) {
				expect(isCut).toBe(JSON.stringify(members[index]?.[1]).length > valueMax);
				if (isCut) expect(whole[index]?.text).toStartWith(text);
				else expect(text).toBe(whole[index]?.text as string);
			}
		}),
	);
});

test.each([
	['{', [['', '', true]]],
	['{"a":"b"', [['a', 'b', true]]],
	[
		'{"a":"b",',
		[
			['a', 'b', false],
			['', '', true],
		],
	],
	[
		'{"a":"b","c',
		[
			['a', 'b', false],
			['', '', true],
		],
	],
	['{"a":"b\\', [['a', 'b', true]]],
	['{"a":"b\\\\', [['a', 'b\\', true]]],
	['{"a":"b\\u00e', [['a', 'b', true]]],
	['{"a":"b\\\\u00e', [['a', 'b\\u00e', true]]],
	['{"a":"b\\ud83d\\ude0', [['a', 'b', true]]],
	['{"a":"b\ud83d', [['a', 'b', true]]],
	['{"a":{"b":"\ud83d', [['a', '{"b":"', true]]],
	['{"a":["b","c\\', [['a', 'b\nc', true]]],
] as [string, [string, string, boolean][]][])('the beginning %s', (json, expected) => {
	expect(readFields(json).map(({ name, text, isCut }) => [name, text, isCut])).toEqual(expected);
});
