/** Takes the members out of an archive, each checked once more as it is read. */

import { type FileStore, MissingFile } from '../files/file-store.ts';
import { DATABASE, keyIn } from './layout.ts';
import { UnusableArchive } from './manifest.ts';
import { createOutput } from './output.ts';
import type { Archive, Placed } from './read-archive.ts';

/** Files that are written at one time: each waits for the disk, or the network. */
const AT_ONCE = 8;

/** Writes the database to a new file, and puts it on disk. */
export function unpackDatabase(archive: Archive, path: string): void {
	for (const member of archive.members()) {
		if (member.name !== DATABASE) break;
		const output = createOutput(path);
		try {
			for (const piece of checked(archive, member)) output.write(piece);
			output.sync();
			return;
		} finally {
			output.close();
		}
	}
	throw new UnusableArchive('The archive has no database.');
}

/**
 * Puts files into the store, under the keys that they had. Nothing that was there is lost: a key is of one file for ever, and one
 * that was damaged when it was backed up replaces none.
 * @returns how many, and the keys of those among them that were damaged
 */
export async function unpackFiles(
	archive: Archive,
	{ store, report }: { store: Pick<FileStore, 'create' | 'read'>; report: (doneFiles: number) => void },
): Promise<{ files: number; changed: string[] }> {
	const members = archive.members();
	const changed: string[] = [];
	let files = 0;

	async function work(): Promise<void> {
		for (const member of members) {
			const key = keyIn(member.name);
			if (key === undefined || member.sha256 === null) continue;
			if (member.isChanged && (await isThere(store, key))) continue;
			await put(key, member);
			if (member.isChanged) changed.push(key);
			report(++files);
		}
	}

	async function put(key: string, member: Placed): Promise<void> {
		const writer = store.create(key);
		try {
			for (const piece of checked(archive, member)) await writer.write(piece);
		} catch (error) {
			await writer.abort();
			throw error;
		}
		await writer.finish();
	}

	await Promise.all(Array.from({ length: AT_ONCE }, work));
	return { files, changed };
}

async function isThere(store: Pick<FileStore, 'read'>, key: string): Promise<boolean> {
	try {
		await (await store.read(key)).cancel();
		return true;
	} catch (error) {
		if (error instanceof MissingFile) return false;
		throw error;
	}
}

function* checked(archive: Archive, member: Placed): Generator<Uint8Array> {
	const hash = new Bun.CryptoHasher('sha256');
	for (const piece of archive.contentOf(member)) {
		hash.update(piece);
		yield piece;
	}
	if (hash.digest('hex') !== member.sha256) throw new UnusableArchive(`${member.name} was changed meanwhile.`);
}
