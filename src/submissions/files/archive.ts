/** A ZIP archive of attached files, made while it is read. */

import type { StoredFile } from '../../storage/submission.ts';
import { FILE_MAX_BYTES } from './zip.ts';
import { createZipWriter } from './zip-writer.ts';

export interface ArchiveEntry {
	/** Its name in the archive, with `/` between folders. */
	path: string;
	addedAt: Date;
	file: StoredFile;
}

/** Bytes that are made for it. */
export type MadeEntry = Omit<ArchiveEntry, 'file'> & { content: AsyncIterable<Uint8Array> };

export type ArchiveEntries = AsyncIterable<ArchiveEntry | MadeEntry> | Iterable<ArchiveEntry | MadeEntry>;

export interface ArchiveProgress {
	files: number;
	bytes: number;
	/** Sentences about files that are not in the archive, which holds them too. */
	leftOut: string[];
}

interface ArchiveOptions {
	/** @throws an error with a sentence, because of which the file is left out */
	open(file: StoredFile): Promise<AsyncIterable<Uint8Array>>;
	progress: ArchiveProgress;
}

/** Name of the note that lists the files left out of the archive, and why. */
export const NOTE = '_left-out.txt';

/** Stores the files without compressing them: most are compressed already. What is left out is said in a file of its own. */
export async function* writeArchive(
	entries: ArchiveEntries,
	{ open, progress }: ArchiveOptions,
): AsyncGenerator<Uint8Array> {
	const zip = createZipWriter();
	for await (const entry of entries) {
		if ('content' in entry) {
			yield* zip.add(entry, entry.content);
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
		progress.bytes += yield* zip.add(entry, content);
		progress.files++;
	}
	if (progress.leftOut.length > 0) {
		const note = { path: NOTE, addedAt: new Date() };
		yield* zip.add(note, [Buffer.from(`${progress.leftOut.join('\n')}\n`)]);
	}
	yield* zip.end();
}
