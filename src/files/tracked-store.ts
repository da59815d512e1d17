/** The file store as the server uses it: what fails becomes a finding, and no object is lost track of. */

import { AppError } from '../errors.ts';
import type { Storage } from '../storage/contract.ts';
import { type DiskRoom, LEAST_INODES } from '../storage/disk-room.ts';
import { Unavailable } from '../storage/errors.ts';
import { presentOf } from '../storage/present.ts';
import { removedFiles } from '../storage/tables.ts';
import { HOUR_MS } from '../tasks/durations.ts';
import { roughSize } from '../text/byte-sizes.ts';
import { formatCount } from '../text/plural.ts';
import { type FileStore, type FileWriter, MissingFile } from './file-store.ts';
import { createLostFiles } from './lost-files.ts';

/** With less, files are rejected: what is left is for the database. */
const LEAST_ROOM_BYTES = 256 * 1024 * 1024;
/** Longer than any file of a submission takes after its first one is finished, and longer than one is on its way to a bucket. */
const KEEP_MS = HOUR_MS;
/** Bytes written between two checks of the free space. */
const LOOK_EVERY_BYTES = 4 * 1024 * 1024;
/** Between two looks whether the store works again, which visitors cause. */
const LOOK_PAUSE_MS = 3000;

/** To be released when its row is stored, or will not be; `abort` releases it as well. */
export interface TrackedWriter extends FileWriter {
	release(): void;
}

/** A sentence if files are rejected because the disk has too little room. */
export function lackOfRoom({ bytes, inodes }: DiskRoom): string | undefined {
	if (bytes < LEAST_ROOM_BYTES) return `${roughSize(bytes)} are free.`;
	return inodes < LEAST_INODES ? `${formatCount(inodes)} inodes are free.` : undefined;
}

export type TrackedStore = ReturnType<typeof createTrackedStore>;

/**
 * Before an object can be there, its key is in the table `removed_files`, from where the sweep takes it: with the object, unless
 * a row of `files` has the key by then. So a crash leaves nothing that is not found again, and no listing decides what is
 * removed.
 */
export function createTrackedStore(
	store: FileStore,
	storage: Pick<Storage, 'batch' | 'clock' | 'db' | 'findings' | 'isShared'>,
	now: () => number = Date.now,
) {
	const { db, findings, batch } = storage;
	/** Keys for which this process may still store a row. */
	const inFlight = new Set<string>();
	let unseenBytes = LOOK_EVERY_BYTES;
	const lost = createLostFiles(store, { db, findings });

	/** @throws Unavailable if there is too little */
	function lookAtRoom(addedBytes = 0): void {
		unseenBytes += addedBytes;
		if (unseenBytes < LOOK_EVERY_BYTES) return;
		const lack = lackOfRoom(store.room());
		if (lack !== undefined) {
			findings.set('fileRoom', lack);
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

	function track(writer: FileWriter): TrackedWriter {
		const { key } = writer;
		let finishing: Promise<void> | undefined;
		inFlight.add(key);

		async function finish(): Promise<void> {
			try {
				await batch((tx) => [
					tx
						.insert(removedFiles)
						.values({ key, dueAt: presentOf(storage, now) + KEEP_MS })
						.onConflictDoNothing(),
				]);
				await writer.finish();
				findings.clear('files');
			} catch (error) {
				rethrow(error);
			}
		}

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
			finish() {
				finishing = finish();
				return finishing;
			},
			async abort() {
				// An object that appears afterwards would not be found again.
				await finishing?.catch(() => {});
				// If this fails, the sweep removes the object, or the next start what is left of the file.
				const aborting = writer.abort().finally(() => inFlight.delete(key));
				if (store.mayBeLate) aborting.catch(() => {});
				else await aborting;
			},
			release: () => void inFlight.delete(key),
		};
	}

	let lookedAt = Number.NEGATIVE_INFINITY;
	let looking: Promise<void> | undefined;

	/** Clears findings that are over. */
	function look(): Promise<void> {
		looking ??= lookOnce().finally(() => {
			lookedAt = performance.now();
			looking = undefined;
		});
		return looking;
	}

	async function lookOnce(): Promise<void> {
		try {
			await store.check();
			findings.clear('files');
			unseenBytes = LOOK_EVERY_BYTES;
			lookAtRoom();
		} catch (error) {
			if (!(error instanceof Unavailable)) findings.set('files', error);
		}
		await lost.look();
	}

	/** A network fails slowly, so no request waits for a bucket that is known to fail. A folder is always tried, and so noticed at once when it works again. */
	function rejectAtOnce(): void {
		if (!store.mayBeLate || !findings.has('files')) return;
		// An exception here means that the database is away, which has a finding of its own.
		if (performance.now() - lookedAt >= LOOK_PAUSE_MS) look().catch(() => {});
		throw findings.unavailable('files');
	}

	return {
		mayBeLate: store.mayBeLate,
		/** @throws Unavailable, and so do the methods of the writer */
		create() {
			rejectAtOnce();
			try {
				unseenBytes = LOOK_EVERY_BYTES;
				lookAtRoom();
				return track(store.create());
			} catch (error) {
				return rethrow(error);
			}
		},
		/** @throws MissingFile, AppError UNAVAILABLE */
		async read(...args) {
			const [key] = args;
			try {
				const bytes = await store.read(...args);
				lost.found(key);
				return bytes;
			} catch (cause) {
				if (cause instanceof MissingFile) {
					await lost.add(key);
					throw cause;
				}
				const unread =
					'The file cannot be read at the moment. Please try again shortly. For the operator, if it lasts: "formsrv doctor" says more.';
				throw new AppError('UNAVAILABLE', unread, { retryAfterSeconds: 30, cause });
			}
		},
		remove: store.remove,
		list: store.list,
		tidy: store.tidy,
		check: store.check,
		room: store.room,
		isInFlight: (key: string) => inFlight.has(key),
		look,
	} satisfies FileStore & Record<string, unknown>;
}
