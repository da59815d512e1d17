/** Reads files that an operator names: whole, but within a bound, as a device such as `/dev/zero` has no end. */

import { closeSync, openSync, readSync } from 'node:fs';
import { roughSize } from '../text/byte-sizes.ts';

const MIB = 2 ** 20;
/** The most bytes of a file, by what it holds: `settings` are secrets, keys and certificates too, `content` is forms, lists and records. */
export const FILE_MAX = { settings: MIB, content: 64 * MIB };
const PIECE_BYTES = 64 * 1024;

/** @throws Error also of a file that holds more */
export function readBounded(path: string, maxBytes: number): Buffer {
	const handle = openSync(path, 'r');
	try {
		const piece = Buffer.alloc(PIECE_BYTES);
		const pieces: Buffer[] = [];
		for (let total = 0; ; ) {
			const bytes = readSync(handle, piece);
			if (bytes === 0) return Buffer.concat(pieces);
			total += bytes;
			if (total > maxBytes) throw new Error(`it holds more than ${roughSize(maxBytes)}`);
			pieces.push(Buffer.from(piece.subarray(0, bytes)));
		}
	} finally {
		closeSync(handle);
	}
}

/** The same as a text, without the mark at its beginning that editors of Windows write. @throws Error also of one in another encoding, of which letters would be lost */
export function readBoundedText(path: string, maxBytes: number): string {
	const bytes = readBounded(path, maxBytes);
	try {
		return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
	} catch {
		throw new Error('it is not valid UTF-8');
	}
}
