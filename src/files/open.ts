/** The file store that the settings name. */

import type { FilePlace } from '../config/file-place.ts';
import type { FileStore } from './file-store.ts';
import { openFolder } from './folder.ts';

/** Nothing is made or asked yet. */
export async function openFileStore({ folder, s3 }: FilePlace): Promise<FileStore> {
	if (!s3) return openFolder(folder);
	const { openS3 } = await import('./s3.ts');
	return openS3(s3, folder);
}

/**
 * Attached files without a database mean that it was lost: a new one must not take its place.
 * @returns a sentence about a missing database whose files are there; `undefined` if there are no files, or that is unknown
 */
export async function filesAlone(place: FilePlace, database: string): Promise<string | undefined> {
	const { folder, s3 } = place;
	const where = s3 ? `the bucket ${[s3.bucket, s3.prefix].filter(Boolean).join('/')}` : folder;
	try {
		for await (const _ of (await openFileStore(place)).list()) {
			return (
				`There is no database at ${database}, but ${where} has attached files of one: put the database back there, or run ` +
				"'formsrv restore BACKUP'; for a new one, name another place of files, or move these."
			);
		}
	} catch {
		// A bucket that is away keeps no server from its first start.
	}
	return undefined;
}
