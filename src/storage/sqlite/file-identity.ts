/** Identifies the file behind a path, or one open in this process: a name can come to mean another file. */

import { fstatSync, readdirSync, type Stats, statSync } from 'node:fs';

/** Lists the open files of the process; on Linux alone. */
const OPEN_FILES = '/proc/self/fd';

/** Device and inode; `undefined` if there is none, or none that can be seen. */
export function identityAt(path: string): string | undefined {
	try {
		const stat = statSync(path, { throwIfNoEntry: false });
		return stat && identityOf(stat);
	} catch {
		return undefined;
	}
}

/** Returns the open files of the process, by identity, each with its descriptor; `undefined` where the system does not tell. */
export function openFiles(): ReadonlyMap<string, number> | undefined {
	let descriptors: string[];
	try {
		descriptors = readdirSync(OPEN_FILES);
	} catch {
		return undefined;
	}
	const found = new Map<string, number>();
	for (const descriptor of descriptors.map(Number)) {
		const stat = tryStat(descriptor);
		if (stat) found.set(identityOf(stat), descriptor);
	}
	return found;
}

/** Changes when something is written to the file. */
export function contentMark(descriptor: number | undefined): string | undefined {
	const stat = descriptor === undefined ? undefined : tryStat(descriptor);
	return stat && `${stat.mtimeMs}:${stat.size}`;
}

function identityOf({ dev, ino }: Stats): string {
	return `${dev}:${ino}`;
}

function tryStat(descriptor: number): Stats | undefined {
	try {
		return fstatSync(descriptor);
	} catch {
		// The descriptor with which the list was read is closed by now.
		return undefined;
	}
}
