/** Sizes as people write and read them. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { formatSize, parseSize, roughSize } from '../../src/text/byte-sizes.ts';

test.each([
	[5 * 1024 ** 3, '5GiB'],
	[10 * 1024 ** 2, '10MiB'],
	[5_000_000, '5MB'],
	[1536, '1536B'],
	[1500, '1500B'],
	[512_000, '500KiB'],
	[500_000, '500kB'],
	[0, '0B'],
])('%p bytes are written exactly, as %p', (bytes, written) => {
	expect(formatSize(bytes)).toBe(written);
});

test('a size that was written is read as it was', () => {
	const factor = fc.constantFrom(1, 1000, 1024, 1000 ** 2, 1024 ** 2, 1000 ** 3, 1024 ** 3);
	fc.assert(
		fc.property(fc.nat({ max: 100_000 }), factor, (count, of) => {
			expect(parseSize(formatSize(count * of))).toBe(count * of);
		}),
	);
});

test.each([
	[812, '812 B'],
	[48_230, '47.1 KiB'],
	[3 * 1024 ** 2, '3 MiB'],
	[2_306_867, '2.2 MiB'],
	[5 * 1024 ** 3, '5 GiB'],
	[3 * 1024 ** 4, '3 TiB'],
])('%p bytes are told to people as %p', (bytes, told) => {
	expect(roughSize(bytes)).toBe(told);
});
