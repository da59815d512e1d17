import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { isSlug, slugFromName } from '../../src/forms/slug.ts';

test.each([
	['Contact us!', 'contact-us-k3v9x2qm'],
	['  Über Ünï  ', 'uber-uni-k3v9x2qm'],
	['联系', 'form-k3v9x2qm'],
	['--', 'form-k3v9x2qm'],
	['a'.repeat(200), `${'a'.repeat(40)}-k3v9x2qm`],
])('the name %p makes the slug %p', (name, slug) => {
	expect(slugFromName(name, () => 'k3v9x2qm')).toBe(slug);
});

test('a slug made from any name is one that an owner could have chosen', () => {
	fc.assert(fc.property(fc.string({ unit: 'binary' }), (name) => isSlug(slugFromName(name))));
});

test.each(['a', 'a1', 'abc', 'a-b', `a${'b'.repeat(62)}c`])('%p is a slug', (slug) => expect(isSlug(slug)).toBe(true));

test.each(['', '-', 'a-', '-ab', 'ab-', 'A', 'ä', 'a b', 'a/b', 'a%2fb', `a${'b'.repeat(63)}c`, 'abc\n'])(
	'%p is no slug',
	(slug) => expect(isSlug(slug)).toBe(false),
);
