/** Lifetimes and dates. */

import { expect, test } from 'bun:test';
import { parseExpiry } from '../../src/cli/keys.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);

test.each([
	['90d', '2026-04-02T03:04:05.000Z'],
	['12h', '2026-01-02T15:04:05.000Z'],
	['30m', '2026-01-02T03:34:05.000Z'],
	['2w', '2026-01-16T03:04:05.000Z'],
	['1y', '2027-01-02T03:04:05.000Z'],
	['2027-01-31', '2027-01-31T00:00:00.000Z'],
	['2027-01-31T12:00Z', '2027-01-31T12:00:00.000Z'],
	['2027-01-31T12:00:00+02:00', '2027-01-31T10:00:00.000Z'],
])('%s is %s', (text, iso) => {
	expect(parseExpiry(text, NOW)?.toISOString()).toBe(iso);
});

test.each([
	'',
	'90',
	'd',
	'-1d',
	'1.5d',
	'90 d',
	'9999999d',
	'999999y',
	'9000y',
	'2027-02-30',
	'2027-02-30T00:00:00Z',
	'2027-02-28T24:00:00Z',
	'2027-13-01',
	'tomorrow',
	'2027-01-31T12:00',
])('"%s" names no moment', (text) => {
	expect(parseExpiry(text, NOW)).toBeUndefined();
});
