/** Tables for people. */

import { expect, test } from 'bun:test';
import { formatTable, shorten, shortTime } from '../../src/cli/table.ts';

test('columns are aligned by display width, wide characters included', () => {
	expect(
		formatTable(
			['A', 'NAME', 'N'],
			[
				['1', '你好', '2'],
				['22', 'x', ''],
			],
		),
	).toBe(['A   NAME  N', '1   你好  2', '22  x', ''].join('\n'));
});

test('no cell can break the table or control the terminal', () => {
	expect(formatTable(['A'], [['a\nb\x1b[2J\u202e']])).toBe('A\na\\nb\\u001b[2J\\u202e\n');
});

test('texts and times are shortened', () => {
	expect(shorten('abcdef', 4)).toBe('abc…');
	expect(shorten('abcd', 4)).toBe('abcd');
	expect(shortTime('2026-01-02T03:04:05.678Z')).toBe('2026-01-02 03:04:05Z');
	expect(shortTime(null)).toBe('-');
});
