/** All bytes of a file, and the proof that they are those that were stored. */

import type { StoredFile } from '../storage/submission.ts';
import type { FileStore } from './file-store.ts';

type Wanted = Pick<StoredFile, 'bytes' | 'sha256'> & { key: string };

/** @throws MissingFile, or Error, also after some of them or the last: a bucket may respond with anything */
export async function* readWhole(
	store: Pick<FileStore, 'read'>,
	{ key, bytes, sha256 }: Wanted,
): AsyncGenerator<Uint8Array> {
	const hasher = new Bun.CryptoHasher('sha256');
	const range = bytes === 0 ? undefined : { start: 0, end: bytes };
	for await (const piece of await store.read(key, range)) {
		hasher.update(piece);
		yield piece;
	}
	if (hasher.digest('hex') !== sha256) throw new Error(`The file ${key} is not as it was stored.`);
}
