/** Members of objects keep the order in which they were written, also where JavaScript would change it. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { parseInOrder } from '../../src/text/ordered-json.ts';

const name = fc.oneof(
	fc.nat(20).map(String),
	fc.constantFrom('', '_', '_1', '__proto__', '4294967295', '01'),
	fc.string(),
);
const json = fc.letrec<{ value: string; list: string; object: string }>((tie) => ({
	list: fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
	object: fc
		.uniqueArray(name, { maxLength: 6 })
		.chain((names) => fc.tuple(...names.map((one) => tie('value').map((value) => `${JSON.stringify(one)}:${value}`))))
		.map((members) => `{${members.join(',')}}`),
	value: fc.oneof(
		{ depthSize: 'small', withCrossShrink: true },
		fc
			.oneof(fc.string(), fc.constantFrom('"1":', '{"1":2}', '\\"1":'), fc.integer(), fc.constant(null))
			.map((value) => JSON.stringify(value)),
		tie('list'),
		tie('object'),
	),
}));

test('what is written again is what was read', () => {
	fc.assert(
		fc.property(json.object, (text) => {
			expect(JSON.stringify(parseInOrder(text))).toBe(text);
		}),
	);
});

test('a name that is a number in escapes is one too', () => {
	const read = parseInOrder('{"b": {"d": 1, "\\u0031" : 2}}') as { b: object };
	expect(Object.entries(read.b)).toEqual([
		['d', 1],
		['1', 2],
	]);
});

test('members are found by their names, and no others are', () => {
	const read = parseInOrder('{"b":1,"2":{"__proto__":3}}') as Record<string, unknown>;
	expect([read.b, read['2'], read._b, Object.hasOwn(read, '2'), Object.hasOwn(read, 'c')]).toEqual([
		1,
		expect.anything(),
		undefined,
		true,
		false,
	]);
	expect(Object.keys(read['2'] as object)).toEqual(['__proto__']);
});
