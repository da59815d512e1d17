/** Times, numbers and values as a person reads them. */

import { describe, expect, test } from 'bun:test';
import { formatDuration, previewText, relativeTime, valueText } from '../../../src/dashboard/web/format.ts';
import { plural } from '../../../src/text/plural.ts';

const NOW = Date.UTC(2026, 5, 15, 12);

describe('how long ago', () => {
	test.each([
		['2026-06-15T11:59:31Z', 'now'],
		['2026-06-15T11:55:00Z', '5m ago'],
		['2026-06-15T12:14:30Z', 'in 14m'],
		['2026-06-15T09:00:00Z', '3h ago'],
		['2026-06-15T23:59:59Z', 'in 11h'],
		['2026-06-14T11:00:00Z', 'yesterday'],
		['2026-06-13T13:00:00Z', '1d ago'],
		['2026-06-16T12:00:00Z', 'tomorrow'],
		['2026-06-17T11:00:00Z', 'in 1d'],
		['2026-06-08T12:00:01Z', '6d ago'],
		['2026-06-17T12:00:00Z', 'in 2d'],
		['2026-06-12T11:00:00Z', '3d ago'],
		['2026-05-03T12:00:00Z', '3 May'],
		['2024-05-03T12:00:00Z', '3 May 2024'],
	])('%s is %p', (iso, words) => {
		expect(relativeTime(iso, NOW)).toBe(words);
	});
});

describe('lengths', () => {
	test.each([
		[42, '42 s'],
		[300, '5 min'],
		[3_900, '1 h 5 min'],
		[273_900, '3 d 4 h'],
	])('%d seconds are %p', (seconds, words) => {
		expect(formatDuration(seconds)).toBe(words);
	});

	test('one is singular, everything else is not', () => {
		expect([plural(0, 'attempt'), plural(1, 'attempt'), plural(1234, 'attempt')]).toEqual([
			'0 attempts',
			'1 attempt',
			'1,234 attempts',
		]);
	});
});

describe('a value as text', () => {
	test('joins plain lists and shows what is nested as JSON', () => {
		expect(valueText(['a', 1, null, true])).toBe('a, 1, , true');
		expect(valueText([{ a: 1 }])).toBe('[\n  {\n    "a": 1\n  }\n]');
		expect(valueText(null)).toBe('');
	});

	test('fits on one line of a list', () => {
		expect(previewText('  two\n\nlines\t here ')).toBe('two lines here');
		expect(previewText('x'.repeat(500), 10)).toBe(`${'x'.repeat(9)}…`);
	});
});
