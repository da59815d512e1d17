/**
 * The file store in an S3 bucket. A file lies in a folder of this machine until it is whole, and then goes to the bucket in one
 * request.
 */

import type { S3Place } from '../config/file-place.ts';
import { type FileStore, isKey, MissingFile, newKey } from './file-store.ts';
import { createIncoming } from './incoming.ts';
import { openBucket } from './s3-bucket.ts';

/** A visitor waits for a request. */
const STALL_MS = 9000;
/** Removed at one time. */
const REMOVALS = 8;

/** @param folder Where files are until they are whole. */
export function openS3(place: S3Place, folder: string, { stallMs = STALL_MS }: { stallMs?: number } = {}): FileStore {
	const bucket = openBucket(place, stallMs);
	const incoming = createIncoming(folder);

	return {
		mayBeLate: true,
		create(key = newKey()) {
			const file = incoming.create();
			let isFinished = false;
			return {
				key,
				write: file.write,
				async finish() {
					file.close();
					// Even if it fails: a request without a response may have been carried out.
					isFinished = true;
					await bucket.upload(key, file.path);
					file.discard();
				},
				async abort() {
					file.discard();
					if (isFinished) await bucket.remove(key);
				},
			};
		},
		async read(key, range) {
			if (!isKey(key)) throw new MissingFile(key);
			if (range && range.start >= range.end) return new ReadableStream({ start: (controller) => controller.close() });
			const found = await bucket.read(key, range);
			if (!found) throw new MissingFile(key);
			return found;
		},
		async remove(keys) {
			const left = keys.filter(isKey);
			while (left.length > 0) await Promise.all(left.splice(0, REMOVALS).map(bucket.remove));
		},
		async *list() {
			for await (const { name, ...object } of bucket.list()) if (isKey(name)) yield { key: name, ...object };
		},
		tidy: async (untouchedForMs = 0) => incoming.tidy(untouchedForMs),
		async check() {
			await incoming.check();
			await bucket.check(`check-${newKey()}`);
		},
		room: incoming.room,
	};
}
