/** The file store in a folder: one file for each object, in sub-folders by the first two characters of their keys. */

import { closeSync, existsSync, fsync, mkdirSync, openSync, renameSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { mkdir, open, readdir, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type FileStore, type FileWriter, isKey, MissingFile, newKey, type StoredObject } from './file-store.ts';
import { streamFile } from './stream-file.ts';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
/** Where files are until they are finished. */
const INCOMING = 'incoming';
const FAN_OUT = /^[0-9a-f]{2}$/;
const PROBE_BYTES = 64 * 1024;

/** In a thread, because the disk may take its time. */
const syncFile = promisify(fsync);

export function openFolder(root: string): FileStore {
	const incoming = join(root, INCOMING);
	/** Folders whose names are on disk. */
	const made = new Map<string, Promise<void>>();
	/** Names of files in `incoming` that this process writes. */
	const unfinished = new Set<string>();

	const folderOf = (key: string) => join(root, key.slice(0, 2));
	const pathOf = (key: string) => join(folderOf(key), key);

	function openNew(name: string): number {
		const path = join(incoming, name);
		unfinished.add(name);
		try {
			return openSync(path, 'wx', FILE_MODE);
		} catch (error) {
			unfinished.delete(name);
			if (!isAbsence(error) || existsSync(incoming)) throw error;
			mkdirSync(incoming, { recursive: true, mode: FOLDER_MODE });
			return openNew(name);
		}
	}

	function discard(name: string): void {
		rmSync(join(incoming, name), { force: true });
		unfinished.delete(name);
	}

	/** Moves a finished file to its place. */
	async function publish(key: string): Promise<void> {
		const folder = folderOf(key);
		await madeDurably(folder);
		renameSync(join(incoming, key), pathOf(key));
		unfinished.delete(key);
		await syncFolder(folder);
	}

	/** Makes it unless it is there, and puts its name on disk. */
	function madeDurably(folder: string): Promise<void> {
		if (!existsSync(folder)) made.delete(folder);
		const making = made.get(folder) ?? make(folder);
		made.set(folder, making);
		making.catch(() => made.delete(folder));
		return making;
	}

	async function make(folder: string): Promise<void> {
		await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
		await syncFolder(root);
		await syncFolder(dirname(root));
	}

	return {
		create() {
			const key = newKey();
			return createWriter(openNew(key), {
				key,
				publish: () => publish(key),
				remove() {
					discard(key);
					rmSync(pathOf(key), { force: true });
				},
			});
		},
		async read(key, range) {
			try {
				return streamFile(await open(isKey(key) ? pathOf(key) : '', 'r'), range);
			} catch (error) {
				throw isAbsence(error) ? new MissingFile(key) : error;
			}
		},
		async remove(keys) {
			const folders = new Set<string>();
			for (const key of keys.filter(isKey)) {
				if (await tryUnlink(pathOf(key))) folders.add(folderOf(key));
			}
			for (const folder of folders) await syncFolder(folder);
		},
		async *list() {
			for (const name of await namesIn(root)) {
				if (!FAN_OUT.test(name)) continue;
				for (const key of await namesIn(join(root, name))) {
					const object = isKey(key) ? await inspect(pathOf(key), key) : undefined;
					if (object) yield object;
				}
			}
		},
		async tidy() {
			for (const name of await namesIn(incoming)) if (!unfinished.has(name)) discard(name);
		},
		async check() {
			const name = `check-${newKey()}`;
			try {
				const fd = openNew(name);
				try {
					writeFully(fd, new Uint8Array(PROBE_BYTES));
					await syncFile(fd);
				} finally {
					closeSync(fd);
					discard(name);
				}
			} catch (cause) {
				throw new Error(`The folder ${root} cannot be written: ${(cause as Error).message}.`, { cause });
			}
		},
		freeBytes() {
			const { bavail, bsize } = statfsSync(nearestFolder(root));
			return bavail * bsize;
		},
	};
}

interface Place {
	key: string;
	publish(): Promise<void>;
	/** From wherever it is. */
	remove(): void;
}

function createWriter(fd: number, { key, publish, remove }: Place): FileWriter {
	let isOpen = true;

	function close(): void {
		if (isOpen) closeSync(fd);
		isOpen = false;
	}

	return {
		key,
		/** To the page cache, on this thread: another one would cost as much as hashing the chunk. */
		write: (chunk) => writeFully(fd, chunk),
		async finish() {
			await syncFile(fd);
			close();
			await publish();
		},
		async abort() {
			close();
			remove();
		},
	};
}

function writeFully(fd: number, chunk: Uint8Array): void {
	for (let at = 0; at < chunk.length; ) at += writeSync(fd, chunk, at);
}

async function syncFolder(folder: string): Promise<void> {
	const handle = await open(folder, 'r');
	try {
		await handle.sync();
	} finally {
		await handle.close();
	}
}

/** @returns whether there was one */
async function tryUnlink(path: string): Promise<boolean> {
	try {
		await unlink(path);
		return true;
	} catch (error) {
		if (isAbsence(error)) return false;
		throw error;
	}
}

async function namesIn(folder: string): Promise<string[]> {
	try {
		return await readdir(folder);
	} catch (error) {
		if (isAbsence(error)) return [];
		throw error;
	}
}

async function inspect(path: string, key: string): Promise<StoredObject | undefined> {
	try {
		const { size, ctimeMs } = await stat(path);
		return { key, bytes: size, changedAt: ctimeMs };
	} catch (error) {
		if (isAbsence(error)) return undefined;
		throw error;
	}
}

function nearestFolder(path: string): string {
	return existsSync(path) ? path : nearestFolder(dirname(path));
}

function isAbsence(error: unknown): boolean {
	return (error as { code?: unknown }).code === 'ENOENT';
}
