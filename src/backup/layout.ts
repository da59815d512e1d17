/** How the bytes of an archive follow each other: all but the content of its members is made from their names and sizes. */

import { Header } from 'tar/header';

export const BLOCK_BYTES = 512;
/** Two empty blocks end an archive. */
export const END_BYTES = 2 * BLOCK_BYTES;
export const DATABASE = 'formsrv.db';
export const MANIFEST = 'manifest.ndjson';

const OWNER_ONLY = 0o600;
const FILE_NAME = /^files\/([0-9a-f]{2})\/(\1[0-9a-f]{30})$/;

/** Where a file store in a folder has it, so that an unpacked archive is a data folder. */
export function nameOfFile(key: string): string {
	return `files/${key.slice(0, 2)}/${key}`;
}

/** @returns `undefined` if the member is no file of a submission */
export function keyIn(name: string): string | undefined {
	return FILE_NAME.exec(name)?.[2];
}

export function headerOf(name: string, bytes: number, madeAt: Date): Uint8Array {
	const block = Buffer.alloc(BLOCK_BYTES);
	const fields = { path: name, mode: OWNER_ONLY, uid: 0, gid: 0, size: bytes, mtime: madeAt, type: 'File' } as const;
	// It returns true for a size from 8 GiB on, which it writes in binary, as GNU tar does. The names are short enough.
	new Header(fields).encode(block, 0);
	return block;
}

/** How many zeros follow the content of a member. */
export function paddingAfter(bytes: number): number {
	return (BLOCK_BYTES - (bytes % BLOCK_BYTES)) % BLOCK_BYTES;
}

/** From the first byte of the header to the last of the padding. */
export function spaceOf(bytes: number): number {
	return BLOCK_BYTES + bytes + paddingAfter(bytes);
}
