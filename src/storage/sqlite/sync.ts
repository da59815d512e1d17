/** Puts a file, or the names in a folder, on the disk itself. */

import { closeSync, fsyncSync, openSync } from 'node:fs';

export function syncToDisk(path: string): void {
	const handle = openSync(path, 'r');
	try {
		fsyncSync(handle);
	} finally {
		closeSync(handle);
	}
}
