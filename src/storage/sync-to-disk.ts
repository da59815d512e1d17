/** Puts a file, or the names in a folder, on the disk itself. */

import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Windows syncs only what was opened for writing, which a folder cannot be; its file system keeps names in a journal. */
const isWindows = process.platform === 'win32';
export const canSyncFolders = !isWindows;

export function syncToDisk(file: string): void {
	const handle = openSync(file, isWindows ? 'r+' : 'r');
	try {
		fsyncSync(handle);
	} finally {
		closeSync(handle);
	}
}

export function syncFolder(folder: string): void {
	if (canSyncFolders) syncToDisk(folder);
}
