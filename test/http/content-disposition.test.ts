/** The header under which a response is saved: no name ends it early, or begins another. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { attachment } from '../../src/http/content-disposition.ts';

test.each([
	['cv (1).pdf', 'attachment; filename="cv (1).pdf"'],
	['a"b\\c.txt', `attachment; filename="a_b_c.txt"; filename*=UTF-8''a%22b%5Cc.txt`],
	['a\r\nX: y', `attachment; filename="a__X_ y"; filename*=UTF-8''a%0D%0AX%3A%20y`],
	["100% 'ü'*.txt", `attachment; filename="100_ '_'_.txt"; filename*=UTF-8''100%25%20%27%C3%BC%27%2A.txt`],
	['\ud800.txt', `attachment; filename="_.txt"; filename*=UTF-8''%EF%BF%BD.txt`],
])('of %j', (name, header) => {
	expect(attachment(name)).toBe(header);
});

test('of any name is a header of two parameters at most, from which it can be read', () => {
	fc.assert(
		fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }), (name) => {
			const [, plain, encoded] =
				/^attachment; filename="([ !#-[\]-~]*)"(?:; filename\*=UTF-8''([\w!#$&+.^`|~%-]+))?$/.exec(attachment(name)) ??
				[];
			expect(encoded === undefined ? plain : decodeURIComponent(encoded)).toBe(name.toWellFormed());
		}),
	);
});
