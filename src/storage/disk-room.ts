/** How much room a disk has: for bytes, and for files, of which a file system may have only so many. */

import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '../errors.ts';
import { roughSize } from '../text/byte-sizes.ts';

/** With fewer, attached files are rejected: what is left is for the database, commands and backups. */
export const LEAST_INODES = 1000;
/** With less free beside the database, submissions are rejected: the rest is for owners, so that they can sign in and delete. */
export const LEAST_ROOM_BYTES = 16 * 1024 * 1024;

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

/**
 * To be asked before a file of about so many bytes is written: one that has no place must not fill the disk on which a server stores.
 * @param beside Lies on that disk.
 * @throws AppError
 */
export function requireRoom(file: string, { bytes, beside }: { bytes: number; beside: string }): void {
	const folder = dirname(file);
	const free = roomAt(folder).bytes;
	const wouldFill = free >= LEAST_ROOM_BYTES && free - bytes < LEAST_ROOM_BYTES;
	if (!wouldFill || statSync(folder).dev !== statSync(beside).dev) return;
	throw new AppError(
		'UNAVAILABLE',
		`There is no room for ${file}: it takes ${roughSize(bytes)} of the ${roughSize(free)} that are free, and a server stores nothing ` +
			`on its disk with less than ${roughSize(LEAST_ROOM_BYTES)}.`,
	);
}
