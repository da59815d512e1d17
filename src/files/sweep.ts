/** Removes the objects of removed files, and those for which no row was ever stored. */

import { and, gt, inArray, lte, or } from 'drizzle-orm';
import type { Storage } from '../storage/contract.ts';
import { presentOf } from '../storage/present.ts';
import { files, removedFiles } from '../storage/tables.ts';
import { inChunks, type Pause } from '../tasks/in-chunks.ts';
import type { TrackedStore } from './tracked-store.ts';

const CHUNK = 100;

interface FileSweepOptions {
	store: Pick<TrackedStore, 'mayBeLate' | 'remove' | 'isInFlight'>;
	pause: Pause;
	now?: () => number;
	/** Leaves alone those of which the submission may still be on its way, in another process too. */
	onlyRemoved?: boolean;
}

/**
 * Goes through `removed_files`. A key is deleted from it only after its object is gone, so that a crash in between costs nothing
 * but a second removal.
 * @returns Whether it came to its end: while a backup is made, nothing is removed.
 */
export async function sweepFiles(
	storage: Pick<Storage, 'areFilesHeld' | 'batch' | 'clock' | 'db' | 'isShared'>,
	{ store, pause, now = Date.now, onlyRemoved = false }: FileSweepOptions,
): Promise<boolean> {
	const { db, batch, areFilesHeld, isShared } = storage;
	// Without other servers, what is not in flight here was left by a dead process, and is there by now or never will be.
	const latest = isShared || store.mayBeLate ? presentOf(storage, now) : Number.MAX_SAFE_INTEGER;
	const dueBy = onlyRemoved ? 0 : latest;
	let after = '';
	let isHeld = false;
	const isThrough = await inChunks(async () => {
		const listed = await db
			.select({ key: removedFiles.key })
			.from(removedFiles)
			.where(and(gt(removedFiles.key, after), lte(removedFiles.dueAt, dueBy)))
			.orderBy(removedFiles.key)
			.limit(CHUNK);
		const last = listed.at(-1);
		if (!last) return false;
		after = last.key;
		const keys = listed.map(({ key }) => key).filter((key) => !store.isInFlight(key));
		// Files listed before a backup began are in no copy of the database that it makes; a command may still store rows of others.
		isHeld = await areFilesHeld();
		if (isHeld) return false;
		const stored = await db.select({ key: files.key }).from(files).where(inArray(files.key, keys));
		const kept = stored.flatMap(({ key }) => key ?? []);
		const unwanted = keys.filter((key) => !kept.includes(key));
		await store.remove(unwanted);
		// One that was kept may have been deleted since, which makes it due at 0: the next round removes it.
		const isOver = or(
			inArray(removedFiles.key, unwanted),
			and(inArray(removedFiles.key, kept), gt(removedFiles.dueAt, 0)),
		);
		if (keys.length > 0) await batch((tx) => [tx.delete(removedFiles).where(isOver)]);
		return true;
	}, pause);
	return isThrough && !isHeld;
}
