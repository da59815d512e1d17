/** How much room a disk has: for bytes, and for files, of which a file system may have only so many. */

import { statfsSync } from 'node:fs';

/** With fewer, attached files are rejected: what is left is for the database, commands and backups. */
export const LEAST_INODES = 1000;

export interface DiskRoom {
	bytes: number;
	/** How many more files it can hold; infinite where they have no bound of their own. */
	inodes: number;
}

/** @throws Error if there is no such folder */
export function roomAt(folder: string): DiskRoom {
	const { bavail, bsize, files, ffree } = statfsSync(folder);
	return { bytes: bavail * bsize, inodes: files === 0 ? Number.POSITIVE_INFINITY : ffree };
}
