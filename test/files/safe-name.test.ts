/** Names for saved files: whatever visitors call theirs, every system can store them, side by side. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { createSafeNames } from '../../src/files/safe-name.ts';

const safe = (name: string) => createSafeNames()(name);

test.each([
	['cv.pdf', 'cv.pdf'],
	['Lebenslauf „Ada“.pdf', 'Lebenslauf „Ada“.pdf'],
	['../../etc/passwd', '_._.._etc_passwd'],
	['C:\\x\\y.txt', 'C__x_y.txt'],
	['CON', '_CON'],
	['nul.txt', '_nul.txt'],
	['CON .txt', '_CON.txt'],
	['aux\u00a0', '_aux'],
	['dots. .txt', 'dots..txt'],
	['com1.tar.gz', '_com1.tar.gz'],
	['console.txt', 'console.txt'],
	['.htaccess', '_htaccess'],
	['-rf', '_rf'],
	['dots. . .', 'dots'],
	['a\u202egnp.exe', 'a_gnp.exe'],
	['a\r\nb\0.txt', 'a__b_.txt'],
	['', 'file'],
	['...', '_'],
])('%p is stored as %p', (name, stored) => {
	expect(safe(name)).toBe(stored);
});

test('a long name keeps its extension and fits every file system', () => {
	expect(safe(`${'ä'.repeat(200)}.pdf`)).toBe(`${'ä'.repeat(98)}.pdf`);
	expect(Buffer.byteLength(safe('😀'.repeat(200)))).toBeLessThanOrEqual(200);
	expect(safe(`${'a'.repeat(199)}.${'b'.repeat(60)}`)).toBe('a'.repeat(199));
});

test('equal names are numbered, also where only case or accents differ', () => {
	const nameOf = createSafeNames(['taken.txt']);
	const names = ['a.txt', 'A.TXT', 'a.txt', 'a (2).txt', 'é', 'e\u0301', 'TAKEN.txt'].map(nameOf);
	expect(names).toEqual(['a.txt', 'A (2).TXT', 'a (3).txt', 'a (2) (2).txt', 'é', 'é (2)', 'TAKEN (2).txt']);
});

test('any names become distinct ones without what a system forbids', () => {
	fc.assert(
		fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 300 }), { maxLength: 20 }), (names) => {
			const stored = names.map(createSafeNames());
			expect(new Set(stored.map((name) => name.normalize('NFKC').toLowerCase())).size).toBe(names.length);
			for (const name of stored) {
				expect(name).toMatch(/^[^.\-~ <>:"/\\|?*\p{Cc}][^<>:"/\\|?*\p{Cc}]*$/u);
				expect(name).not.toMatch(/[. ]$|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i);
				expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200);
				expect(name.isWellFormed()).toBe(true);
			}
		}),
	);
});
