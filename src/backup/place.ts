/** The port to a place of archives; its adapters are a folder and a bucket. */

import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { BackupTo, S3Place } from '../config/file-place.ts';
import { AppError } from '../errors.ts';
import { streamFile } from '../files/stream-file.ts';
import { syncFolder } from '../storage/sync-to-disk.ts';
import { isBackupName } from './names.ts';
import { sha256Of } from './sha256.ts';

/** No visitor waits for it. */
const STALL_MS = 60_000;

interface PlacedFile {
	name: string;
	/** In milliseconds since 1970. */
	changedAt: number;
}

export interface BackupPlace {
	/** For people. */
	name: string;
	/** The folder in which an archive lies until it is whole. */
	work: string;
	/** Those that can be backups by their names; a place may hold many other files. @throws Error with a sentence if it cannot be read */
	list(): Promise<PlacedFile[]>;
	/** @throws AppError NOT_FOUND */
	read(name: string): Promise<ReadableStream<Uint8Array>>;
	/** @throws AppError CONFLICT if there is something under the name */
	refuseExisting(name: string): Promise<void>;
	/** Takes over a file of the folder `work`, under a name that it gets as a whole. @throws Error with a sentence */
	put(file: { path: string; sha256: string }, name: string): Promise<void>;
	remove(name: string): Promise<void>;
}

/** @param beside The folder of the database, for what goes to a bucket. */
export async function openPlace(to: BackupTo, beside: string): Promise<BackupPlace> {
	return 'folder' in to ? folderPlace(to.folder) : bucketPlace(to.s3, beside);
}

/** The folder is not made: it may be a disk that is not mounted. */
export function folderPlace(folder: string): BackupPlace {
	const refuseExisting = async (name: string) => {
		if (existsSync(join(folder, name))) throw existing(join(folder, name));
	};
	return {
		name: folder,
		work: folder,
		async list() {
			// Not on this thread: a network disk that hangs must not hold up a server.
			const all = await readdir(folder).catch((cause) => {
				if (cause.code === 'ENOENT') throw new AppError('NOT_FOUND', `There is no folder ${folder}.`);
				throw new AppError('UNAVAILABLE', `${folder} cannot be read: ${cause.message}.`, { cause });
			});
			const names = all.filter(isBackupName);
			const found = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => undefined)));
			return names.map((name, i) => ({ name, changedAt: found[i]?.mtimeMs ?? 0 }));
		},
		async read(name) {
			const path = join(folder, name);
			const found = statSync(path, { throwIfNoEntry: false });
			if (!found) throw new AppError('NOT_FOUND', `There is no file ${path}.`);
			return streamFile(path, { start: 0, end: found.size });
		},
		refuseExisting,
		async put({ path }, name) {
			await refuseExisting(name);
			renameSync(path, join(folder, name));
			syncFolder(folder);
		},
		async remove(name) {
			rmSync(join(folder, name), { force: true });
			syncFolder(folder);
		},
	};
}

async function bucketPlace(s3: S3Place, work: string): Promise<BackupPlace> {
	const { openBucket } = await import('../files/s3-bucket.ts');
	const bucket = openBucket(s3, STALL_MS);
	const place = `s3://${[s3.bucket, s3.prefix].filter(Boolean).join('/')}`;
	const remove = async (name: string) => void (await bucket.remove(name));

	async function read(name: string): Promise<ReadableStream<Uint8Array>> {
		const found = await bucket.read(name);
		if (!found) throw new AppError('NOT_FOUND', `There is no ${place}/${name}.`);
		return found;
	}

	return {
		name: place,
		work,
		async list() {
			const files: PlacedFile[] = [];
			for await (const { name, changedAt } of bucket.list()) if (isBackupName(name)) files.push({ name, changedAt });
			return files;
		},
		read,
		async refuseExisting(name) {
			const found = await bucket.read(name);
			await found?.cancel();
			if (found) throw existing(`${place}/${name}`);
		},
		async put({ path, sha256 }, name) {
			await bucket.upload(name, path);
			if ((await sha256Of(await read(name))) === sha256) return rmSync(path);
			await remove(name);
			throw new Error(`${place} did not keep the backup as it was sent.`);
		},
		remove,
	};
}

function existing(name: string): AppError {
	return new AppError('CONFLICT', `${name} exists already; it is not overwritten.`);
}
