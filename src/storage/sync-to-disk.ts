/** Puts a file, or the names in a folder, on the disk itself. */

import { closeSync, fsync, fsyncSync, openSync } from 'node:fs';

/** Windows syncs only what was opened for writing, which a folder cannot be; its file system keeps names in a journal. */
const isWindows = process.platform === 'win32';

export function syncToDisk(file: string): void {
	const handle = openSync(file, isWindows ? 'r+' : 'r');
	try {
		fsyncSync(handle);
	} finally {
		closeSync(handle);
	}
}

export function syncFolder(folder: string): void {
	if (!isWindows) syncToDisk(folder);
}

/** In a thread, because the disk may take its time. */
export function syncInThread(fd: number): Promise<void> {
	return new Promise((resolve, reject) => fsync(fd, (error) => (error ? reject(error) : resolve())));
}

export async function syncFolderInThread(folder: string): Promise<void> {
	if (isWindows) return;
	const fd = openSync(folder, 'r');
	try {
		await syncInThread(fd);
	} finally {
		closeSync(fd);
	}
}
