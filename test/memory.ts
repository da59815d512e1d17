/** The file system in memory, for what need not lie on a disk. */

import { statfsSync } from 'node:fs';

export const MEMORY = '/dev/shm';

/** In a container it may be small, or not there. */
export function hasRoomInMemory(bytes: number): boolean {
	try {
		const { bavail, bsize } = statfsSync(MEMORY);
		return bavail * bsize > bytes;
	} catch {
		return false;
	}
}
