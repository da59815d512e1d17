/** Bytes that are taken for a picture, and its size. */

import { describe, expect, test } from 'bun:test';
import { readPictureFormat } from '../../../src/dashboard/web/picture-format.ts';
import { AVIF, GIF, JPEG, PNG, WEBP } from '../pictures.ts';

const bytesOf = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

describe('a picture', () => {
	test.each([
		['PNG', PNG, { type: 'image/png', width: 3, height: 2 }],
		['JPEG', JPEG, { type: 'image/jpeg', width: 3, height: 2 }],
		['GIF', GIF, { type: 'image/gif', width: 1, height: 1 }],
		['WebP', WEBP, { type: 'image/webp', width: 3, height: 2 }],
		['AVIF', AVIF, { type: 'image/avif', width: 2, height: 2 }],
	] as const)('is recognised with its size: %s', (_, bytes, format) => {
		expect(readPictureFormat(bytes)).toEqual(format);
	});

	test.each([PNG, JPEG, GIF, WEBP, AVIF])(
		'that is cut off anywhere is a smaller one or none, never an error',
		(bytes) => {
			for (let end = 0; end < bytes.length; end += 1) {
				const found = readPictureFormat(bytes.subarray(0, end));
				if (found) expect(found).toEqual(readPictureFormat(bytes) as typeof found);
			}
		},
	);

	test('of other forms of WebP has its size too', () => {
		const head = (chunk: string, rest: string) => bytesOf(`RIFF\x40\0\0\0WEBP${chunk}${rest}`);
		expect(readPictureFormat(head('VP8X', '\x0a\0\0\0\0\0\0\0\xff\x0f\0\x01\x02\x00'))).toEqual({
			type: 'image/webp',
			width: 4096,
			height: 514,
		});
		expect(readPictureFormat(head('VP8L', '\x0a\0\0\0\x2f\x01\x80\x00\x00\0\0'))).toEqual({
			type: 'image/webp',
			width: 2,
			height: 3,
		});
	});
});

describe('no picture', () => {
	test.each([
		'',
		'<svg xmlns="http://www.w3.org/2000/svg"/>',
		'<!doctype html><script>1</script>',
		'BM\x1e\0\0\0\0\0\0\0',
		'\0\0\x01\0\x01\0',
		'%PDF-1.7',
		'\xff\xd8\xff\xd9',
		'\0\0\0\x20ftypmp42',
	])('is %j', (text) => {
		expect(readPictureFormat(bytesOf(text))).toBeUndefined();
	});
});
