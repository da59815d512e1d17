/** Removes the objects of removed files, and those for which no row was ever stored. */

import { gt, inArray } from 'drizzle-orm';
import type { Storage } from '../storage/storage.ts';
import { files, removedFiles } from '../storage/tables.ts';
import type { TrackedStore } from './tracked-store.ts';

const CHUNK = 100;

/**
 * Goes through `removed_files`. A key is deleted from it only after its object is gone, so that a crash in between costs nothing
 * but a second removal.
 * @param pause Waits between two chunks; resolves to whether to continue.
 */
export async function sweepFiles(
	{ db, batch, areFilesHeld }: Pick<Storage, 'db' | 'batch' | 'areFilesHeld'>,
	{ store, pause }: { store: Pick<TrackedStore, 'remove' | 'isInFlight'>; pause: () => Promise<boolean> },
): Promise<void> {
	for (let after = ''; ; ) {
		const listed = await db
			.select()
			.from(removedFiles)
			.where(gt(removedFiles.key, after))
			.orderBy(removedFiles.key)
			.limit(CHUNK);
		const last = listed.at(-1);
		if (!last) return;
		after = last.key;
		const keys = listed.map(({ key }) => key).filter((key) => !store.isInFlight(key));
		const stored = await db.select({ key: files.key }).from(files).where(inArray(files.key, keys));
		const kept = new Set(stored.map(({ key }) => key));
		// What was listed before a backup began is in no copy of the database that it makes.
		if (await areFilesHeld()) return;
		await store.remove(keys.filter((key) => !kept.has(key)));
		if (keys.length > 0) await batch((tx) => [tx.delete(removedFiles).where(inArray(removedFiles.key, keys))]);
		if (!(await pause())) return;
	}
}
