/** The port to the bytes of attached files; its adapters are the folder and S3. */

import type { ByteRange } from '../http/byte-range.ts';
import type { DiskRoom } from '../storage/disk-room.ts';

export interface FileStore {
	/** True if an object may still appear after its writer has failed or died, as over a network. */
	readonly mayBeLate: boolean;
	/** An object under a new, random key, or under the one that it had. Nothing changes under the key before `finish`. */
	create(key?: string): FileWriter;
	/**
	 * The bytes, or a part of them, the end excluded. Resolves when there is something to read.
	 * @throws MissingFile, or Error if the object ends before the part
	 */
	read(key: string, range?: ByteRange): Promise<ReadableStream<Uint8Array>>;
	/** Keys without an object are fine. */
	remove(keys: readonly string[]): Promise<void>;
	/** All objects, in no order. */
	list(): AsyncIterable<StoredObject>;
	/** Removes what unfinished writers of other processes left, if nothing was written to it for so long: by default at once. */
	tidy(untouchedForMs?: number): Promise<void>;
	/** Writes and removes something, which a store over a network must have kept. @throws Error with a sentence if that fails */
	check(): Promise<void>;
	/** On the disk of its folder. */
	room(): DiskRoom;
}

/** Its calls are made one after the other. */
export interface FileWriter {
	readonly key: string;
	/** The chunk may be used again when this has returned, or resolved. */
	write(chunk: Uint8Array): void | Promise<void>;
	/** Resolves when all of it is on disk, under its key. */
	finish(): Promise<void>;
	/** Removes what there is. Does nothing after an `abort`, and removes the object after a `finish`. */
	abort(): Promise<void>;
}

export interface StoredObject {
	key: string;
	bytes: number;
	/** In milliseconds since 1970. */
	changedAt: number;
}

/** There is no object under a key. */
export class MissingFile extends Error {
	constructor(key: string) {
		super(`There is no file ${key} in the file store.`);
		this.name = 'MissingFile';
	}
}

const KEY_BYTES = 16;
const KEY = /^[0-9a-f]{32}$/;

export function newKey(): string {
	return crypto.getRandomValues(new Uint8Array(KEY_BYTES)).toHex();
}

export function isKey(name: string): boolean {
	return KEY.test(name);
}
