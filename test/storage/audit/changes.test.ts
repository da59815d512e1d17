/** The changes in an entry of the audit log, and their bound. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { changesBetween, mergeDetails, SECRET } from '../../../src/storage/audit/changes.ts';

test.each([
	['nothing', { a: 1 }, { a: 1 }, {}],
	['a member that is not there', { a: 1 }, {}, {}],
	['a value', { a: 1 }, { a: null }, { a: { before: 1, after: null } }],
	['a new object', undefined, { a: 'x' }, { a: { after: 'x' } }],
	['a part of an object', { a: { b: 1, c: 2 } }, { a: { b: 1, c: 3 } }, { 'a.c': { before: 2, after: 3 } }],
	['an object that ends', { a: { b: 1 } }, { a: null }, { a: { after: null }, 'a.b': { before: 1, after: null } }],
	['a list', { a: ['x', 'y'] }, { a: ['y', 'z'] }, { a: { before: 2, after: 2, added: ['z'], removed: ['x'] } }],
	[
		'a list of objects, by their names',
		{ a: [{ name: 'x', max: 1 }] },
		{ a: [{ name: 'x', max: 2 }] },
		{ a: { before: 1, after: 1, added: ['x'], removed: ['x'] } },
	],
])('tells of %s', (_, before, after, expected) => {
	expect(changesBetween(before, after, ['a'])).toEqual(expected as never);
});

test('sums counts, and keeps what was said before', () => {
	const first = mergeDetails(null, { counts: { submissions: 200 }, facts: { isRead: true } });
	expect(mergeDetails(first, { counts: { submissions: 50, deliveries: 1 }, facts: { filter: 'all' } })).toEqual({
		counts: { submissions: 250, deliveries: 1 },
		facts: { isRead: true, filter: 'all' },
	});
	expect(mergeDetails(null, {})).toBeNull();
});

test('keeps the names of settings where there is no room for their values', () => {
	const settings = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`setting${i}`, 'x'.repeat(500)]));
	const details = mergeDetails(null, { changes: changesBetween({}, settings, Object.keys(settings)) });
	expect(details?.changes).toEqual(Object.fromEntries(Object.keys(settings).map((name) => [name, SECRET])));
});

test('fits into 4,000 characters, whatever changed', () => {
	const settings = fc.dictionary(fc.string({ maxLength: 300 }), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 200 });
	fc.assert(
		fc.property(settings, settings, (before, after) => {
			const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
			const details = mergeDetails(null, { changes: changesBetween(before, after, names) });
			expect(JSON.stringify(details).length).toBeLessThanOrEqual(4000);
		}),
	);
});
