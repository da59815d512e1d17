/** A file, or a part of it, as a stream that reads a piece when one is asked for. */

import type { FileHandle } from 'node:fs/promises';
import type { ByteRange } from './file-store.ts';

const PIECE_BYTES = 256 * 1024;

/** Closes the file at the end. */
export function streamFile(file: FileHandle, range?: ByteRange): ReadableStream<Uint8Array> {
	const end = range?.end ?? Number.POSITIVE_INFINITY;
	let at = range?.start ?? 0;

	async function pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
		const piece = new Uint8Array(Math.max(0, Math.min(PIECE_BYTES, end - at)));
		const { bytesRead } = piece.length === 0 ? { bytesRead: 0 } : await file.read(piece, 0, piece.length, at);
		at += bytesRead;
		if (bytesRead > 0) return controller.enqueue(piece.subarray(0, bytesRead));
		if (range && at < end) throw new Error(`The file ends at byte ${at}, before byte ${end}.`);
		await file.close();
		controller.close();
	}

	return new ReadableStream<Uint8Array>(
		{
			async pull(controller) {
				try {
					await pull(controller);
				} catch (error) {
					await file.close();
					throw error;
				}
			},
			cancel: () => file.close(),
		},
		{ highWaterMark: 0 },
	);
}
