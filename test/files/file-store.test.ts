/** The contract of file stores, on each of them. */

import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import type { FilePlace } from '../../src/config/file-place.ts';
import { type FileStore, MissingFile, newKey } from '../../src/files/file-store.ts';
import { openFileStore } from '../../src/files/open.ts';
import { tempFolder } from '../temp-folder.ts';
import { type S3Server, startS3Server } from './s3-server.ts';

/** The server of S3 is slow on a busy machine. */
setDefaultTimeout(60_000);

let s3: S3Server;
beforeAll(async () => {
	s3 = await startS3Server();
});
afterAll(() => s3.stop());

const PLACES: Record<string, () => Promise<FilePlace>> = {
	'a folder': async () => ({ folder: `${tempFolder()}/files`, s3: null }),
	'an S3 bucket': async () => s3.newPlace(tempFolder()),
};

const MIB = 1024 * 1024;

describe.each(Object.entries(PLACES))('%s', (_name, createPlace) => {
	let store: FileStore;
	beforeEach(async () => {
		store = await openFileStore(await createPlace());
	});

	async function put(...chunks: Uint8Array[]): Promise<string> {
		const writer = store.create();
		for (const chunk of chunks) await writer.write(chunk);
		await writer.finish();
		return writer.key;
	}

	const bytesOf = async (key: string, range?: { start: number; end: number }) =>
		Buffer.from(await new Response(await store.read(key, range)).arrayBuffer());

	async function listed(): Promise<Map<string, number>> {
		const found = new Map<string, number>();
		for await (const { key, bytes } of store.list()) found.set(key, bytes);
		return found;
	}

	test('an object is what was written, under a key of 32 hexadecimal characters', async () => {
		const parts = [randomBytes(100_000), randomBytes(1), randomBytes(700_000)];
		const key = await put(...parts);
		expect(key).toMatch(/^[0-9a-f]{32}$/);
		expect((await bytesOf(key)).equals(Buffer.concat(parts))).toBe(true);
	});

	test('an object may be empty', async () => {
		const key = await put();
		expect((await bytesOf(key)).length).toBe(0);
		expect(await listed()).toEqual(new Map([[key, 0]]));
	});

	test('a chunk may be used again once it is written', async () => {
		const chunk = new Uint8Array(64 * 1024).fill(1);
		const writer = store.create();
		await writer.write(chunk);
		chunk.fill(2);
		await writer.write(chunk);
		await writer.finish();
		const bytes = await bytesOf(writer.key);
		expect([bytes[0], bytes.at(-1), bytes.length]).toEqual([1, 2, 128 * 1024]);
	});

	test('an object is exact, however near to a multiple of 64 KiB its chunks end', async () => {
		const chunk = fc
			.tuple(fc.integer({ min: 0, max: 2 }), fc.integer({ min: -5000, max: 5000 }))
			.map(([blocks, more]) => randomBytes(Math.max(0, blocks * 64 * 1024 + more)));
		await fc.assert(
			fc.asyncProperty(fc.array(chunk, { maxLength: 5 }), async (chunks) => {
				expect((await bytesOf(await put(...chunks))).equals(Buffer.concat(chunks))).toBe(true);
			}),
			{ numRuns: 50 },
		);
	});

	test('a large object in large and small chunks is exact', async () => {
		const whole = randomBytes(25 * MIB + 17);
		const chunks = [whole.subarray(0, 13 * MIB), whole.subarray(13 * MIB, 13 * MIB + 3), whole.subarray(13 * MIB + 3)];
		const key = await put(...chunks);
		expect((await bytesOf(key)).equals(whole)).toBe(true);
		expect((await bytesOf(key, { start: 13 * MIB - 5, end: 13 * MIB + 9 })).toHex()).toBe(
			whole.subarray(13 * MIB - 5, 13 * MIB + 9).toHex(),
		);
	});

	test('any part can be read', async () => {
		const whole = randomBytes(3000);
		const key = await put(whole);
		await fc.assert(
			fc.asyncProperty(fc.nat(2999), fc.integer({ min: 1, max: 3000 }), async (start, length) => {
				const end = Math.min(3000, start + length);
				// The bucket of the tests takes `bytes=0-0` for all of the object.
				fc.pre(end > 1);
				expect((await bytesOf(key, { start, end })).equals(whole.subarray(start, end))).toBe(true);
			}),
			{ numRuns: 25 },
		);
	});

	test('a part beyond the end is an error, not a shorter part', async () => {
		const key = await put(randomBytes(10));
		await expect(bytesOf(key, { start: 5, end: 11 })).rejects.toBeInstanceOf(Error);
	});

	test('before its end an object is neither readable nor listed', async () => {
		const writer = store.create();
		await writer.write(randomBytes(MIB));
		await expect(store.read(writer.key)).rejects.toBeInstanceOf(MissingFile);
		expect(await listed()).toEqual(new Map());
		await writer.finish();
		expect(await listed()).toEqual(new Map([[writer.key, MIB]]));
	});

	test('an aborted object is gone, before or after its end, however often it is aborted', async () => {
		const unfinished = store.create();
		await unfinished.write(randomBytes(6 * MIB));
		await unfinished.abort();
		await unfinished.abort();
		const finished = store.create();
		await finished.write(randomBytes(10));
		await finished.finish();
		await finished.abort();
		const empty = store.create();
		await empty.abort();
		expect(await listed()).toEqual(new Map());
	});

	test('an object under its former key is whole, though another process writes, or left, a part of it', async () => {
		const key = newKey();
		const place = await createPlace();
		const [left, first, second] = await Promise.all(
			[1, 2, 3].map(async () => (await openFileStore(place)).create(key)),
		);
		await left?.write(randomBytes(10));
		for (const writer of [first, second]) await writer?.write(Buffer.from('whole'));
		for (const writer of [first, second]) await writer?.finish();
		expect(`${await new Response(await (await openFileStore(place)).read(key)).text()}`).toBe('whole');
		await left?.abort();
	});

	test('what is removed is missing, and may be removed again', async () => {
		const [kept, gone, other] = [await put(randomBytes(1)), await put(randomBytes(2)), await put(randomBytes(3))];
		await store.remove([gone, newKey(), other]);
		await store.remove([gone]);
		await store.remove([]);
		expect(await listed()).toEqual(new Map([[kept, 1]]));
		await expect(store.read(gone)).rejects.toBeInstanceOf(MissingFile);
	});

	test('what is no key is missing, wherever it leads', async () => {
		for (const key of ['', '..', '../../etc/passwd', 'A'.repeat(32), `${newKey()}/`, '\0']) {
			await expect(store.read(key)).rejects.toBeInstanceOf(MissingFile);
			await store.remove([key]);
		}
	});

	test('all objects are listed, with their sizes and when they came', async () => {
		const began = Date.now() - 2000;
		const keys = await Promise.all(Array.from({ length: 40 }, (_, size) => put(randomBytes(size))));
		expect(await listed()).toEqual(new Map(keys.map((key, size) => [key, size])));
		for await (const { changedAt } of store.list()) expect(changedAt).toBeGreaterThan(began);
	});

	test('a reader who leaves early holds nothing up', async () => {
		const key = await put(randomBytes(2 * MIB));
		const reader = (await store.read(key)).getReader();
		expect((await reader.read()).done).toBe(false);
		await reader.cancel();
		await store.remove([key]);
		expect(await listed()).toEqual(new Map());
	});

	test('a check leaves nothing behind, and tidying leaves what is being written', async () => {
		const writer = store.create();
		await writer.write(randomBytes(10));
		await store.check();
		await store.tidy();
		await writer.finish();
		expect(await listed()).toEqual(new Map([[writer.key, 10]]));
	});
});
