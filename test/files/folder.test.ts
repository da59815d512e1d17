/** The file store in a folder: rights, places, what a dead process left, and a disk that fails. */

import { beforeEach, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openFolder } from '../../src/files/folder.ts';
import { HOUR_MS } from '../../src/tasks/durations.ts';
import { tempFolder } from '../temp-folder.ts';

let root: string;
beforeEach(() => {
	root = join(tempFolder(), 'files');
});

const modeOf = (...path: string[]) => (statSync(join(root, ...path)).mode & 0o777).toString(8);

async function put(content: Uint8Array): Promise<string> {
	const writer = openFolder(root).create();
	await writer.write(content);
	await writer.finish();
	return writer.key;
}

test('files and folders are for their owner only, and named by the key', async () => {
	const key = await put(randomBytes(10));
	const folder = key.slice(0, 2);
	expect(readdirSync(root).sort()).toEqual([folder, 'incoming'].sort());
	expect(readdirSync(join(root, folder))).toEqual([key]);
	expect([modeOf(), modeOf('incoming'), modeOf(folder), modeOf(folder, key)]).toEqual(['700', '700', '700', '600']);
});

test('nothing is made before something is written', async () => {
	const store = openFolder(root);
	for await (const _ of store.list()) throw new Error('There is nothing to list.');
	await store.tidy();
	await store.remove(['ab'.repeat(16)]);
	expect(store.room().bytes).toBeGreaterThan(0);
	expect(existsSync(root)).toBe(false);
});

test('what a dead process was writing is tidied away, and nothing else', async () => {
	const key = await put(randomBytes(10));
	writeFileSync(join(root, 'incoming', 'ab'.repeat(16)), 'half');
	writeFileSync(join(root, 'incoming', 'check-1'), 'half');
	const later = new Date(Date.now() + HOUR_MS);
	utimesSync(join(root, 'incoming', 'check-1'), later, later);
	const store = openFolder(root);
	const writer = store.create();
	await store.tidy(HOUR_MS);
	expect(readdirSync(join(root, 'incoming'))).toHaveLength(3);
	await store.tidy();
	expect(readdirSync(join(root, 'incoming'))).toHaveLength(1);
	await writer.abort();
	expect(existsSync(join(root, key.slice(0, 2), key))).toBe(true);
});

test('strange files are not listed', async () => {
	const key = await put(randomBytes(10));
	const folder = join(root, key.slice(0, 2));
	for (const name of ['lost+found', 'zz', 'abc']) mkdirSync(join(root, name));
	for (const path of [join(root, 'note.txt'), join(folder, 'note.txt'), join(root, 'zz', 'ab'.repeat(16))]) {
		writeFileSync(path, 'x');
	}
	const keys: string[] = [];
	for await (const object of openFolder(root).list()) keys.push(object.key);
	expect(keys).toEqual([key]);
});

test('a folder that was removed meanwhile is made again', async () => {
	const store = openFolder(root);
	for (let i = 0; i < 2; i++) {
		const writer = store.create();
		await writer.write(randomBytes(10));
		await writer.finish();
		expect(existsSync(join(root, writer.key.slice(0, 2), writer.key))).toBe(true);
		rmSync(root, { recursive: true });
	}
});

test('a file that lost its end is not taken for whole', async () => {
	const key = await put(randomBytes(1000));
	truncateSync(join(root, key.slice(0, 2), key), 900);
	await expect(openFolder(root).read(key, { start: 0, end: 1000 })).rejects.toThrow(
		'ends at byte 900, before byte 1000',
	);
});

test('while its disk is away, nothing is made below the mount point', async () => {
	const disk = dirname(root);
	const store = openFolder(root);
	const begun = store.create();
	await begun.write(randomBytes(1000));
	rmSync(disk, { recursive: true });
	await expect(store.check()).rejects.toThrow(`The folder ${root} cannot be written: `);
	expect(() => store.create()).toThrow();
	await expect(begun.finish()).rejects.toThrow();
	expect(existsSync(disk)).toBe(false);
});

test('a place that cannot be written is an error that names it', async () => {
	writeFileSync(root, 'no folder');
	await expect(openFolder(root).check()).rejects.toThrow(`The folder ${root} cannot be written: `);
	expect(() => openFolder(root).create()).toThrow();
});
