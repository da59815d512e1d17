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
