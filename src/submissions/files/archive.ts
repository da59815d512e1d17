/** A ZIP archive of files, made while it is read: neither a file nor the archive is ever whole in memory. */

import { crc32 } from 'node:zlib';
import type { StoredFile } from '../../storage/submission.ts';
import { dataDescriptor, directoryEntry, endOfArchive, FILE_MAX_BYTES, localHeader } from './zip.ts';

export interface ArchiveEntry {
	/** Its name in the archive, with `/` between folders. */
	path: string;
	addedAt: Date;
	file: StoredFile;
}

/** Bytes that are made for it. */
export type MadeEntry = Omit<ArchiveEntry, 'file'> & { content: AsyncIterable<Uint8Array> };

export interface ArchiveProgress {
	files: number;
	bytes: number;
	/** Sentences about files that are not in the archive, which holds them too. */
	leftOut: string[];
}

export interface ArchiveOptions {
	/** @throws an error with a sentence, because of which the file is left out */
	open(file: StoredFile): Promise<AsyncIterable<Uint8Array>>;
	progress: ArchiveProgress;
}

/** Name of the note that lists the files left out of the archive, and why. */
export const NOTE = '_left-out.txt';

/** Stores the files without compressing them: most are compressed already. What is left out is said in a file of its own. */
export async function* writeArchive(
	entries: AsyncIterable<ArchiveEntry | MadeEntry> | Iterable<ArchiveEntry | MadeEntry>,
	{ open, progress }: ArchiveOptions,
): AsyncGenerator<Uint8Array> {
	const directory: Uint8Array[] = [];
	let written = 0;

	function count<T extends Uint8Array>(chunk: T): T {
		written += chunk.length;
		return chunk;
	}

	async function* add(entry: Omit<ArchiveEntry, 'file'>, content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
		const offset = written;
		let bytes = 0;
		let checksum = 0;
		yield count(localHeader(entry));
		for await (const chunk of content) {
			bytes += chunk.length;
			checksum = crc32(chunk, checksum);
			yield count(chunk);
		}
		yield count(dataDescriptor({ crc32: checksum, bytes }));
		directory.push(directoryEntry({ ...entry, bytes, crc32: checksum, offset }));
		return bytes;
	}

	for await (const entry of entries) {
		if ('content' in entry) {
			yield* add(entry, entry.content);
			continue;
		}
		let content: AsyncIterable<Uint8Array>;
		try {
			if (entry.file.bytes > FILE_MAX_BYTES) throw new Error('It is too large for an archive.');
			content = await open(entry.file);
		} catch (error) {
			progress.leftOut.push(`${entry.path}: ${(error as Error).message}`);
			continue;
		}
		progress.bytes += yield* add(entry, content);
		progress.files++;
	}
	if (progress.leftOut.length > 0) {
		const note = { path: NOTE, addedAt: new Date() };
		yield* add(note, [Buffer.from(`${progress.leftOut.join('\n')}\n`)]);
	}
	const offset = written;
	yield count(Buffer.concat(directory));
	yield endOfArchive({ entries: directory.length, offset, bytes: written - offset });
}
