/** The strings in a JSON text, whatever became of it. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { allStrings, namedStringValues, stringValues, withoutFileNames } from '../../src/text/json-string.ts';

const PIECES = ['"', '\\', '\\q', '\\u00', '\\n', '\x01', '{', '}', '[', ':', ',', 'a', '\ufffd'];

test('are read of any text, also of one that is damaged', () => {
	fc.assert(
		fc.property(fc.array(fc.constantFrom(...PIECES)), (pieces) => {
			const text = pieces.join('');
			for (const read of [stringValues, namedStringValues, allStrings]) expect(read(text)).toBeArray();
			expect(withoutFileNames(text, [{ field: 'a', name: 'a' }])).toBeString();
		}),
	);
});

test('with an escape that is none are as they are; the others as they were', () => {
	expect(stringValues('{"a":"one\\n","b":"tw\\qo","c":"three\\u00"}')).toEqual(['one\n', 'tw\\qo', 'three\\u00']);
});

test('of an object that has a name twice are all there', () => {
	expect(allStrings('{"a":"1","a":["\\u0032",{"b":"3"}]}')).toEqual(['a', '1', 'a', '2', 'b', '3']);
});
