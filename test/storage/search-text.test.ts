/** Short words of plain texts are found by a pass of their own: it has to find what the definition says. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { searchText } from '../../src/storage/search-text.ts';
import { fold } from '../../src/storage/search-words.ts';

/** Letters and digits in a row, and whatever stands between two blanks; one or two characters of either. */
function shortWords(text: string): string[] {
	const words = [...text.split(/[ \n]/), ...(text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [])];
	return words.filter((word) => word.length === 1 || word.length === 2);
}

const plain = fc.string({ unit: fc.constantFrom(...'aZ09_-.,@ \t\n\r\x7f\0"\\') });

test('the short words of plain texts are those of the definition', () => {
	fc.assert(
		fc.property(plain, plain, (one, other) => {
			const { text, shortWords: found } = searchText(JSON.stringify({ one, other }));
			expect(text).toBe(`${fold(one)}\n${fold(other)}`);
			expect(new Set(found)).toEqual(new Set(shortWords(text)));
		}),
		{ numRuns: 2000 },
	);
});

test('plain texts are folded as if they were any', () => {
	fc.assert(
		fc.property(plain, (text) => {
			expect(fold(text)).toBe(text.toLowerCase().replace(/[\s\p{Cc}]+/gu, ' '));
			// With a letter beyond ASCII in it, a text takes the other way.
			expect(fold(`é${text}`)).toBe(`e${fold(text)}`);
		}),
		{ numRuns: 2000 },
	);
});
