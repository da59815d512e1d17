/** Compares the file store with what the database knows of it, both ways. */

import type { FileRecords } from '../storage/database.ts';
import type { FileStore } from './file-store.ts';

/** Keys of objects and rows that do not agree. */
interface FileDifferences {
	/** Rows without an object. */
	missing: string[];
	/** Rows whose object has another size. */
	changed: string[];
	/** Objects without a row, and their bytes in all. */
	unknown: string[];
	unknownBytes: number;
}

/**
 * A server may store and remove files meanwhile, so what differs is looked at a second time.
 * @param read Reads the records anew.
 */
export async function compareFiles(
	store: Pick<FileStore, 'list'>,
	read: () => FileRecords | Promise<FileRecords>,
): Promise<FileDifferences> {
	const first = await differences(store, await read());
	if (first.missing.length + first.changed.length + first.unknown.length === 0) return first;
	const again = await differences(store, await read());
	const both = (name: 'missing' | 'changed' | 'unknown') => {
		const known = new Set(first[name]);
		return again[name].filter((key) => known.has(key)).sort();
	};
	return { ...again, missing: both('missing'), changed: both('changed'), unknown: both('unknown') };
}

async function differences(store: Pick<FileStore, 'list'>, before: FileRecords): Promise<FileDifferences> {
	const found: FileDifferences = { missing: [], changed: [], unknown: [], unknownBytes: 0 };
	const missing = new Set(before.stored.keys());
	for await (const { key, bytes } of store.list()) {
		missing.delete(key);
		const expected = before.stored.get(key);
		if (expected === undefined ? before.passing.has(key) : expected === bytes) continue;
		if (expected !== undefined) found.changed.push(key);
		else {
			found.unknown.push(key);
			found.unknownBytes += bytes;
		}
	}
	found.missing = [...missing];
	return found;
}
