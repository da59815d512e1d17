/** How much room a database takes on its disk, and how much it has. */

import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DiskUse } from '../database.ts';
import { roomAt } from '../disk-room.ts';

/** Below this the next busy day may fill the disk. */
const LEAST_FREE_BYTES = 256 * 1024 * 1024;

/** The file need not exist. */
export function measureDisk(databaseFile: string): DiskUse {
	const folder = existingFolder(dirname(databaseFile));
	const sizeBytes = sizeOf(databaseFile);
	return {
		sizeBytes,
		walBytes: sizeOf(`${databaseFile}-wal`),
		disk: { folder, free: roomAt(folder), neededBytes: Math.max(LEAST_FREE_BYTES, sizeBytes) },
	};
}

/** In bytes; 0 if there is none. */
export function sizeOf(path: string): number {
	return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function existingFolder(path: string): string {
	return existsSync(path) ? path : existingFolder(dirname(path));
}
