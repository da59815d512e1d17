/** A new file that is written from beginning to end, in large pieces. */

import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';

const OWNER_ONLY = 0o600;
const PIECE_BYTES = 1024 * 1024;

export type Output = ReturnType<typeof createOutput>;

/** @throws if there is a file already */
export function createOutput(path: string) {
	const fd = openSync(path, 'wx', OWNER_ONLY);
	const buffer = new Uint8Array(PIECE_BYTES);
	let filled = 0;

	function flush(): void {
		try {
			for (let at = 0; at < filled; ) at += writeSync(fd, buffer, at, filled - at);
		} catch (cause) {
			throw new Error(`${path} cannot be written: ${(cause as Error).message}.`, { cause });
		}
		filled = 0;
	}

	return {
		fd,
		write(bytes: Uint8Array): void {
			for (let at = 0; at < bytes.length; ) {
				const part = bytes.subarray(at, at + PIECE_BYTES - filled);
				buffer.set(part, filled);
				filled += part.length;
				at += part.length;
				if (filled === PIECE_BYTES) flush();
			}
		},
		/** Puts all of it on disk. */
		sync(): void {
			flush();
			fsyncSync(fd);
		},
		close: () => closeSync(fd),
	};
}

/** Puts the names in a folder on disk. */
export function syncFolder(path: string): void {
	const fd = openSync(path, 'r');
	try {
		fsyncSync(fd);
	} finally {
		closeSync(fd);
	}
}
