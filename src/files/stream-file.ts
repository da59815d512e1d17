/** A part of a file as a stream that reads a piece when one is asked for. */

import type { ByteRange } from '../http/byte-range.ts';
import { pulled } from '../tasks/pulled-stream.ts';

const PIECE_BYTES = 256 * 1024;

/**
 * The file is open only while a piece is read, so that a stream that is left alone holds nothing.
 * @param onPiece Called when a piece is asked for.
 */
export function streamFile(path: string, { start, end }: ByteRange, onPiece = () => {}): ReadableStream<Uint8Array> {
	const file = Bun.file(path);

	async function* pieces() {
		for (let at = start; at < end; ) {
			onPiece();
			const piece = await file.slice(at, Math.min(at + PIECE_BYTES, end)).bytes();
			if (piece.length === 0) throw new Error(`The file ends at byte ${at}, before byte ${end}.`);
			at += piece.length;
			yield piece;
		}
	}

	return pulled(pieces());
}
