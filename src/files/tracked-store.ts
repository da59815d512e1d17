/** The file store as the server uses it: what fails becomes a finding, and no object is lost track of. */

import { AppError } from '../errors.ts';
import { Unavailable } from '../storage/errors.ts';
import type { Storage } from '../storage/storage.ts';
import { removedFiles } from '../storage/tables.ts';
import { type FileStore, MissingFile } from './file-store.ts';

/** With less, files are rejected: what is left is for the database. */
const LEAST_ROOM_BYTES = 256 * 1024 * 1024;
/** So much may be written between two looks at the room. */
const LOOK_EVERY_BYTES = 4 * 1024 * 1024;
/** The row of a file follows its `finish` within seconds, or never. */
const KEEP_AFTER_FINISH_MS = 60_000;

export type TrackedStore = ReturnType<typeof createTrackedStore>;

/**
 * Before an object can be there, its key is in the table `removed_files`, from where the sweep takes it: with the object, unless
 * a row of `files` has the key by then. So a crash leaves nothing that is not found again, and no listing decides what is
 * removed.
 */
export function createTrackedStore(
	store: FileStore,
	{ storage, elapsed = () => performance.now() }: { storage: Storage; elapsed?: () => number },
) {
	const { findings } = storage;
	/** Until when the keys of this process are left alone. */
	const inFlight = new Map<string, number>();
	let unseenBytes = LOOK_EVERY_BYTES;

	/** @throws Unavailable if there is too little */
	function lookAtRoom(addedBytes = 0): void {
		unseenBytes += addedBytes;
		if (unseenBytes < LOOK_EVERY_BYTES) return;
		const freeBytes = store.freeBytes();
		if (freeBytes < LEAST_ROOM_BYTES) {
			findings.set('fileRoom', `${(freeBytes / 1e6).toFixed(1)} MB are free.`);
			throw findings.unavailable('fileRoom');
		}
		findings.clear('fileRoom');
		unseenBytes = 0;
	}

	/** The finding is in the log; the error need not be. */
	function rethrow(cause: unknown): never {
		if (cause instanceof AppError) throw cause;
		findings.set('files', cause);
		throw findings.unavailable('files');
	}

	return {
		/** @throws Unavailable, and so do the methods of the writer */
		create() {
			try {
				unseenBytes = LOOK_EVERY_BYTES;
				lookAtRoom();
				const writer = store.create();
				const { key } = writer;
				inFlight.set(key, Number.POSITIVE_INFINITY);
				return {
					key,
					write(chunk) {
						try {
							lookAtRoom(chunk.length);
							return writer.write(chunk)?.catch(rethrow);
						} catch (error) {
							rethrow(error);
						}
					},
					async finish() {
						try {
							await storage.batch((tx) => [tx.insert(removedFiles).values({ key }).onConflictDoNothing()]);
							await writer.finish();
							findings.clear('files');
							inFlight.set(key, elapsed() + KEEP_AFTER_FINISH_MS);
						} catch (error) {
							rethrow(error);
						}
					},
					async abort() {
						// If this fails, the sweep removes the object, or the next start what is left of the file.
						inFlight.delete(key);
						await writer.abort();
					},
				};
			} catch (error) {
				rethrow(error);
			}
		},
		/** @throws MissingFile, AppError UNAVAILABLE */
		async read(...args) {
			try {
				return await store.read(...args);
			} catch (cause) {
				if (cause instanceof MissingFile) throw cause;
				throw new AppError('UNAVAILABLE', 'The file cannot be read at the moment. Please try again shortly.', {
					retryAfterSeconds: 30,
					cause,
				});
			}
		},
		remove: store.remove,
		list: store.list,
		tidy: store.tidy,
		check: store.check,
		freeBytes: store.freeBytes,
		/** Whether this process may still store a row for the key. */
		isInFlight(key: string): boolean {
			const until = inFlight.get(key);
			if (until === undefined || until > elapsed()) return until !== undefined;
			inFlight.delete(key);
			return false;
		},
		/** Looks whether what was wrong is over. */
		async look(): Promise<void> {
			try {
				await store.check();
				findings.clear('files');
				unseenBytes = LOOK_EVERY_BYTES;
				lookAtRoom();
			} catch (error) {
				if (!(error instanceof Unavailable)) findings.set('files', error);
			}
		},
	} satisfies FileStore & Record<string, unknown>;
}
