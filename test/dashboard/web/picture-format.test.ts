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

describe('a small picture that unfolds to a large one', () => {
	test('is a GIF whose first frame is larger than its screen', () => {
		const frame = GIF.indexOf(0x2c);
		const large = Buffer.from(GIF);
		large.writeUInt16LE(200, frame + 1);
		large.writeUInt16LE(60_000, frame + 5);
		large.writeUInt16LE(50_000, frame + 7);
		expect(readPictureFormat(new Uint8Array(large))).toEqual({ type: 'image/gif', width: 60_200, height: 50_000 });
	});

	test.each([0x00, 0x01, 0xd0, 0xd7, 0xd8])(
		'is no JPEG whose marker %d hides the frame by a length that it has not',
		(marker) => {
			const comment = [0xff, 0xfe, 0, 20, ...bytesOf(' '.repeat(18))];
			const hidden = [0xff, 0xc0, 0, 17, 8, 0, 1, 0, 1];
			const bytes = [0xff, 0xd8, 0xff, marker, ...comment, ...JPEG.subarray(2)];
			bytes.push(...Array(4 + 0xfffe - bytes.length).fill(0), ...hidden);
			expect(readPictureFormat(Uint8Array.from(bytes))).toBeUndefined();
		},
	);
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
