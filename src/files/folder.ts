/** The file store in a folder: one file for each object, in sub-folders by the first two characters of their keys. */

import { renameSync, rmSync } from 'node:fs';
import { mkdir, readdir, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolderInThread } from '../storage/sync-to-disk.ts';
import { type FileStore, isKey, MissingFile, newKey, type StoredObject } from './file-store.ts';
import { createIncoming } from './incoming.ts';
import { streamFile } from './stream-file.ts';

const FOLDER_MODE = 0o700;
const FAN_OUT = /^[0-9a-f]{2}$/;

export function openFolder(root: string): FileStore {
	const incoming = createIncoming(root);
	/** Folders whose names are on disk. */
	const made = new Map<string, Promise<void>>();

	const folderOf = (key: string) => join(root, key.slice(0, 2));
	const pathOf = (key: string) => join(folderOf(key), key);

	/** Makes it unless it is there, and puts its name on disk. */
	function madeDurably(folder: string): Promise<void> {
		const making = made.get(folder) ?? make(folder);
		made.set(folder, making);
		making.catch(() => made.delete(folder));
		return making;
	}

	async function make(folder: string): Promise<void> {
		// As for `incoming`: it throws while the disk is away.
		await stat(root);
		await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
		await syncFolderInThread(root);
		await syncFolderInThread(dirname(root));
	}

	async function moveTo(folder: string, { from, to }: { from: string; to: string }): Promise<void> {
		await madeDurably(folder);
		try {
			renameSync(from, to);
		} catch (error) {
			if (!isAbsence(error)) throw error;
			// Someone has removed the folder.
			made.delete(folder);
			await madeDurably(folder);
			renameSync(from, to);
		}
	}

	return {
		mayBeLate: false,
		create(key = newKey()) {
			const file = incoming.create();
			let isFinished = false;
			return {
				key,
				write: file.write,
				async finish() {
					await file.sync();
					await moveTo(folderOf(key), { from: file.path, to: pathOf(key) });
					isFinished = true;
					file.release();
					await syncFolderInThread(folderOf(key));
				},
				async abort() {
					file.discard();
					if (isFinished) rmSync(pathOf(key), { force: true });
				},
			};
		},
		async read(key, range) {
			const path = isKey(key) ? pathOf(key) : '';
			const found = await ifThere(stat(path));
			if (!found) throw new MissingFile(key);
			// One that lost its end is an error before anything was sent of it.
			if (range && range.end > found.size)
				throw new Error(`${path} ends at byte ${found.size}, before byte ${range.end}.`);
			return streamFile(path, range ?? { start: 0, end: found.size });
		},
		async remove(keys) {
			const folders = new Set<string>();
			for (const key of keys.filter(isKey)) {
				await ifThere(unlink(pathOf(key)));
				// Even if it was gone: `abort` removes without a sync, and a sync may have failed.
				folders.add(folderOf(key));
			}
			for (const folder of folders) await ifThere(syncFolderInThread(folder));
		},
		async *list() {
			for (const name of (await ifThere(readdir(root))) ?? []) {
				if (!FAN_OUT.test(name)) continue;
				for (const key of (await ifThere(readdir(join(root, name)))) ?? []) {
					const object = isKey(key) ? await inspect(pathOf(key), key) : undefined;
					if (object) yield object;
				}
			}
		},
		tidy: async (untouchedForMs = 0) => incoming.tidy(untouchedForMs),
		check: incoming.check,
		room: incoming.room,
	};
}

async function inspect(path: string, key: string): Promise<StoredObject | undefined> {
	const found = await ifThere(stat(path));
	return found && { key, bytes: found.size, changedAt: found.ctimeMs };
}

/** @returns `undefined` if there is no such file */
async function ifThere<T>(asked: Promise<T>): Promise<T | undefined> {
	try {
		return await asked;
	} catch (error) {
		if (isAbsence(error)) return undefined;
		throw error;
	}
}

function isAbsence(error: unknown): boolean {
	return (error as { code?: unknown }).code === 'ENOENT';
}
