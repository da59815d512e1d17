/** Files that are being written: they lie in a folder of their own until their store has taken them over. */

import {
	closeSync,
	existsSync,
	ftruncateSync,
	mkdirSync,
	openSync,
	readdirSync,
	rmSync,
	statSync,
	writeSync,
	writevSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { roomAt } from '../storage/disk-room.ts';
import { syncInThread } from '../storage/sync-to-disk.ts';
import { newKey } from './file-store.ts';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
/**
 * The kernel caches a file in large pieces only where writes begin at multiples of this. Chunks of a body end a little before
 * them, by the headers in front of the file. So zeros, which the next chunk overwrites, fill the block.
 */
const BLOCK_BYTES = 64 * 1024;
const PADDING = new Uint8Array(4 * 1024);
const PROBE = new Uint8Array(64 * 1024);

export interface IncomingFile {
	readonly path: string;
	/** To the page cache, on this thread: another one would cost as much as hashing the chunk. */
	write(chunk: Uint8Array): void;
	/** Puts it on disk. Only this and `close` cut off the padding. */
	sync(): Promise<void>;
	/** May be called again. */
	close(): void;
	/** Closes what now lies elsewhere. */
	release(): void;
	/** Closes it, and removes it if it is still there. */
	discard(): void;
}

/** @param root The folder of the store. */
export function createIncoming(root: string) {
	const folder = join(root, 'incoming');
	/** Its own folder is that of the data, which the database has made, or was made before. */
	const wasThere = existsSync(dirname(root));
	/** Names of the files that this process writes. */
	const open = new Set<string>();

	function openNew(path: string): number {
		try {
			return openSync(path, 'wx', FILE_MODE);
		} catch (error) {
			if (existsSync(folder)) throw error;
			// Throws while the disk is away: what is made below its mount point would be hidden once the disk is back.
			if (wasThere) statSync(dirname(root));
			mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
			return openSync(path, 'wx', FILE_MODE);
		}
	}

	/** Its name is its own: a file under the same key that another process left, or is writing, is not in its way. */
	function create(name = newKey()): IncomingFile {
		const path = join(folder, name);
		const fd = openNew(path);
		let isOpen = true;
		let length = 0;
		let isPadded = false;
		open.add(name);

		function trim(): void {
			if (isPadded) ftruncateSync(fd, length);
			isPadded = false;
		}

		function closeOnce(): void {
			if (isOpen) closeSync(fd);
			isOpen = false;
		}

		function release(): void {
			closeOnce();
			open.delete(name);
		}

		return {
			path,
			write(chunk) {
				const missing = BLOCK_BYTES - ((length + chunk.length) % BLOCK_BYTES);
				isPadded = missing <= PADDING.length;
				try {
					let at = isPadded ? writevSync(fd, [chunk, PADDING.subarray(0, missing)], length) : 0;
					while (at < chunk.length) at += writeSync(fd, chunk, at, chunk.length - at, length + at);
				} catch (error) {
					// The system knows no name of a descriptor.
					throw Object.assign(error as Error, { message: `${(error as Error).message} '${path}'` });
				}
				length += chunk.length;
			},
			async sync() {
				trim();
				await syncInThread(fd);
			},
			close() {
				trim();
				closeOnce();
			},
			release,
			discard() {
				release();
				rmSync(path, { force: true });
			},
		};
	}

	return {
		create,
		/** Removes what other processes left, and have not written to for so long. For 0, whatever the clock says. */
		tidy(untouchedForMs: number): void {
			const names = existsSync(folder) ? readdirSync(folder) : [];
			const due = untouchedForMs === 0 ? Number.POSITIVE_INFINITY : Date.now() - untouchedForMs;
			for (const name of names)
				if (!open.has(name) && isOlder(join(folder, name), due)) rmSync(join(folder, name), { force: true });
		},
		/** Writes and removes something. @throws Error that names the folder */
		async check(): Promise<void> {
			try {
				const probe = create(`check-${newKey()}`);
				try {
					probe.write(PROBE);
					await probe.sync();
				} finally {
					probe.discard();
				}
			} catch (cause) {
				throw new Error(`The folder ${root} cannot be written: ${(cause as Error).message}.`, { cause });
			}
		},
		room: () => roomAt(nearest(root)),
	};
}

function isOlder(path: string, due: number): boolean {
	return (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) <= due;
}

function nearest(folder: string): string {
	return existsSync(folder) ? folder : nearest(dirname(folder));
}
