/** The names under which attached files are shown. */

import { expect, test } from 'bun:test';
import { cleanFileName } from '../../src/files/file-name.ts';

test.each([
	['C:\\tmp\\cv.pdf . .', 'cv.pdf'],
	[' . cv .pdf', '. cv .pdf'],
	['../ ..', 'file'],
])('%p is shown as %p', (sent, shown) => expect(cleanFileName(sent)).toBe(shown));

test('one with a million blanks in its middle is read in no time', () => {
	expect(cleanFileName(`cv${' '.repeat(1_000_000)}x.pdf`)).toBe('cv.pdf');
});
