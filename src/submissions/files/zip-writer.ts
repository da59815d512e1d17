/** Writes a ZIP archive while it is read: neither a file nor the archive is ever whole in memory. */

import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';
import { dataDescriptor, directoryEntry, endOfArchive, localHeader } from './zip.ts';

type Content = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

const deflate = promisify<Uint8Array, object, Buffer>(deflateRaw);
/** An empty last block, which ends the blocks before it. */
const END_OF_DEFLATED = Buffer.from([0x03, 0x00]);

interface NewEntry {
	path: string;
	addedAt: Date;
	/** Each chunk for itself, so that one at a time is in memory. */
	isDeflated?: boolean;
}

export function createZipWriter() {
	const directory: Uint8Array[] = [];
	let written = 0;

	function count<T extends Uint8Array>(chunk: T): T {
		written += chunk.length;
		return chunk;
	}

	return {
		/** Yields the bytes of an entry; returns how many there were before they were deflated. */
		async *add({ isDeflated = false, ...entry }: NewEntry, content: Content): AsyncGenerator<Uint8Array, number> {
			const offset = written;
			let bytes = 0;
			let checksum = 0;
			yield count(localHeader({ ...entry, isDeflated }));
			const start = written;
			for await (const chunk of content) {
				bytes += chunk.length;
				checksum = crc32(chunk, checksum);
				yield count(isDeflated ? await deflate(chunk, { finishFlush: constants.Z_SYNC_FLUSH }) : chunk);
			}
			if (isDeflated) yield count(END_OF_DEFLATED);
			const sizes = { bytes, crc32: checksum, deflatedBytes: isDeflated ? written - start : undefined };
			yield count(dataDescriptor(sizes));
			directory.push(directoryEntry({ ...entry, ...sizes, offset }));
			return bytes;
		},
		/** Yields the directory, behind which nothing comes. */
		*end(): Generator<Uint8Array> {
			const offset = written;
			yield count(Buffer.concat(directory));
			yield endOfArchive({ entries: directory.length, offset, bytes: written - offset });
		},
	};
}
