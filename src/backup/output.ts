/** A new file that is written from beginning to end, in large pieces. */

import { closeSync, fstatSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { streamFile } from '../files/stream-file.ts';
import { sha256Of } from './sha256.ts';

const OWNER_ONLY = 0o600;
const PIECE_BYTES = 1024 * 1024;

export interface Output {
	fd: number;
	write(bytes: Uint8Array): void | Promise<void>;
	sync(): void | Promise<void>;
	/** Reads it from there, and returns the SHA-256 of its bytes. @throws Error if they are not what was written */
	verify(): Promise<string>;
	close(): void;
}

/** @throws if there is a file already */
export function createOutput(path: string) {
	const fd = openSync(path, 'wx', OWNER_ONLY);
	const buffer = new Uint8Array(PIECE_BYTES);
	const hash = new Bun.CryptoHasher('sha256');
	let filled = 0;

	function flush(): void {
		try {
			for (let at = 0; at < filled; ) at += writeSync(fd, buffer, at, filled - at);
		} catch (cause) {
			throw new Error(`${path} cannot be written: ${(cause as Error).message}.`, { cause });
		}
		hash.update(buffer.subarray(0, filled));
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
		sync(): void {
			flush();
			fsyncSync(fd);
		},
		async verify(): Promise<string> {
			const written = hash.digest('hex');
			const read = await sha256Of(streamFile(path, { start: 0, end: fstatSync(fd).size }));
			if (read !== written) throw new Error(`${path} is not what was written to it: check the disk.`);
			return written;
		},
		close: () => closeSync(fd),
	};
}
