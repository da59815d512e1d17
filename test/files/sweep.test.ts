/** Removed files, and files without a row: gone after a sweep, whatever happened before; and the store's findings. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FileStore, FileWriter } from '../../src/files/file-store.ts';
import { startFileWatch } from '../../src/files/file-watch.ts';
import { openFolder } from '../../src/files/folder.ts';
import { sweepFiles } from '../../src/files/sweep.ts';
import { createTrackedStore } from '../../src/files/tracked-store.ts';
import { IDS_PER_MILLISECOND } from '../../src/ids.ts';
import { createLog } from '../../src/log/log.ts';
import type { Storage } from '../../src/storage/contract.ts';
import { databaseFileAt, openStorage } from '../../src/storage/open.ts';
import { forms, removedFiles } from '../../src/storage/tables.ts';
import { tempFolder } from '../temp-folder.ts';
import { until } from '../until.ts';

const FORM = 1;

let storage: Storage;
let root: string;
let folder: FileStore;
beforeEach(async () => {
	const home = tempFolder();
	root = join(home, 'files');
	folder = openFolder(root);
	storage = await openStorage(join(home, 'formsrv.db'));
	await storage.batch((tx) => [tx.insert(forms).values({ id: FORM, mode: 'live', slug: 'f', name: 'F' })]);
});
afterEach(() => storage.close());

const tracked = (store = folder) => createTrackedStore(store, storage);
const onAndOn = async () => true;

async function listed(): Promise<string[]> {
	const keys: string[] = [];
	for await (const { key } of folder.list()) keys.push(key);
	return keys.sort();
}

async function write<Writer extends FileWriter>(store: { create(): Writer }): Promise<Writer> {
	const writer = store.create();
	await writer.write(randomBytes(10));
	await writer.finish();
	return writer;
}

/** An object whose row is stored, or will not be. */
async function put(store: FileStore | ReturnType<typeof tracked>): Promise<string> {
	const writer = await write<FileWriter & { release?(): void }>(store);
	writer.release?.();
	return writer.key;
}

/** Stores a submission with a file under each of the keys. */
async function append(...keys: string[]): Promise<number> {
	const rest = { field: 'cv', name: 'a.pdf', type: 'a/b', claimedType: '', bytes: 10, sha256: '', scan: null };
	return storage.submissions.append({
		formId: FORM,
		data: '{}',
		names: [],
		spamReason: null,
		subject: null,
		replyTo: null,
		files: keys.map((key) => ({ ...rest, id: storage.nextId(), key })),
	});
}

const noted = async () => (await storage.db.select().from(removedFiles)).map(({ key }) => key);

describe('a sweep', () => {
	test('removes the objects of removed submissions, and of no others', async () => {
		const store = tracked();
		const [kept, removed, alsoRemoved] = [await put(store), await put(store), await put(store)];
		await append(kept);
		const id = await append(removed, alsoRemoved);
		await storage.submissions.remove(FORM, [id]);
		await sweepFiles(storage, { store, pause: onAndOn });
		expect(await listed()).toEqual([kept]);
		expect(await noted()).toEqual([]);
	});

	test('forgets no object whose submission is removed while it goes through them', async () => {
		const store = tracked();
		const key = await put(store);
		const id = await append(key);
		const removing = { ...store, remove: async () => void (await storage.submissions.remove(FORM, [id])) };
		await sweepFiles(storage, { store: removing, pause: onAndOn });
		expect(await noted()).toEqual([key]);
		await sweepFiles(storage, { store, pause: onAndOn });
		expect(await listed()).toEqual([]);
		expect(await noted()).toEqual([]);
	});

	test('leaves what has no row yet alone, and removes it if none comes', async () => {
		const store = tracked();
		const writer = await write(store);
		await sweepFiles(storage, { store, pause: onAndOn });
		expect(await listed()).toEqual([writer.key]);
		expect(await noted()).toEqual([writer.key]);
		writer.release();
		await sweepFiles(storage, { store, pause: onAndOn });
		expect(await listed()).toEqual([]);
		expect(await noted()).toEqual([]);
	});

	test('keeps a file whose row came while the others of its submission were on their way', async () => {
		const store = tracked();
		const writer = await write(store);
		await sweepFiles(storage, { store, pause: onAndOn });
		await append(writer.key);
		writer.release();
		await sweepFiles(storage, { store, pause: onAndOn });
		expect(await listed()).toEqual([writer.key]);
		expect(await noted()).toEqual([]);
	});

	test('never misses an object that appears after its file was given up', async () => {
		const gate = Promise.withResolvers<void>();
		const slow = {
			...folder,
			create() {
				const writer = folder.create();
				return { ...writer, finish: () => gate.promise.then(writer.finish) };
			},
		};
		const writer = tracked(slow).create();
		await writer.write(randomBytes(10));
		const finishing = writer.finish();
		const aborting = writer.abort();
		gate.resolve();
		await Promise.all([finishing, aborting]);
		expect(await listed()).toEqual([]);
	});

	test('removes what a dead process left without a row, and keeps what has one', async () => {
		const dead = tracked();
		const [orphan, kept] = [(await write(dead)).key, (await write(dead)).key];
		await append(kept);
		await sweepFiles(storage, { store: tracked(), pause: onAndOn });
		expect(await listed()).toEqual([kept]);
		expect(await noted()).toEqual([]);
		expect(orphan).not.toBe(kept);
	});

	test('never removes what it was not told of, such as the files of a newer or another database', async () => {
		const strange = await put(folder);
		await sweepFiles(storage, { store: tracked(), pause: onAndOn });
		expect(await listed()).toEqual([strange]);
	});

	test('leaves the new files of other servers alone for an hour', async () => {
		// Their clocks may be any: the database's counts.
		const shared = (present: number) => ({
			...storage,
			clock: { ...storage.clock, end: () => present * IDS_PER_MILLISECOND },
			isShared: true,
		});
		const behind = createTrackedStore(folder, shared(Date.now()), () => Date.now() - 7_200_000);
		const [fresh, kept, other] = [await write(behind), await write(tracked()), await write(tracked())];
		await append(kept.key, other.key);
		await storage.submissions.remove(FORM, [await append((await write(tracked())).key)]);
		const sweep = (present: number) => {
			const now = () => present + 7_200_000;
			return sweepFiles(shared(present), { store: tracked(), pause: onAndOn, now });
		};
		await sweep(Date.now() + 3_500_000);
		expect(await listed()).toEqual([fresh.key, kept.key, other.key].sort());
		expect((await noted()).length).toBe(3);
		await sweep(Date.now() + 3_700_000);
		expect(await listed()).toEqual([kept.key, other.key].sort());
		expect(await noted()).toEqual([]);
	});

	test('forgets no object that comes after its writer is gone, as one may over a network', async () => {
		const network = { ...folder, mayBeLate: true };
		const [late, gone] = [(await write(tracked(network))).key, (await write(tracked(network))).key];
		await folder.remove([late]);
		const sweep = (now: number) => sweepFiles(storage, { store: tracked(network), pause: onAndOn, now: () => now });
		await storage.submissions.remove(FORM, [await append(gone)]);
		await sweep(Date.now() + 3_500_000);
		expect([await listed(), await noted()]).toEqual([[], [late]]);
		const writer = folder.create(late);
		await writer.finish();
		await sweep(Date.now() + 3_700_000);
		expect([await listed(), await noted()]).toEqual([[], []]);
	});

	test('goes on where it was cut off', async () => {
		const keys: string[] = [];
		for (let i = 0; i < 250; i++) keys.push(await put(folder));
		await storage.submissions.remove(FORM, [await append(...keys)]);
		await sweepFiles(storage, { store: tracked(), pause: async () => false });
		expect((await listed()).length).toBe(150);
		let removals = 0;
		const failing: FileStore = { ...folder, remove: (some) => (removals++ ? fail() : folder.remove(some)) };
		await expect(sweepFiles(storage, { store: tracked(failing), pause: onAndOn })).rejects.toThrow('the disk');
		expect([(await listed()).length, (await noted()).length]).toEqual([50, 50]);
		await sweepFiles(storage, { store: tracked(), pause: onAndOn });
		expect([await listed(), await noted()]).toEqual([[], []]);
	});

	test('finds nothing of an aborted file', async () => {
		const store = tracked();
		const writer = store.create();
		await writer.write(randomBytes(10));
		await writer.finish();
		await writer.abort();
		await sweepFiles(storage, { store, pause: onAndOn });
		expect([await listed(), await noted()]).toEqual([[], []]);
	});
});

function fail(): never {
	throw new Error('the disk failed');
}

describe('a finding', () => {
	const names = () => storage.findings.list().map(({ name }) => name);
	const unavailable = expect.objectContaining({ code: 'UNAVAILABLE' });

	test('says that files cannot be stored, until one is', async () => {
		let isBroken = true;
		const store = tracked({
			...folder,
			create() {
				const writer = folder.create();
				return { ...writer, finish: async () => (isBroken ? fail() : await writer.finish()) };
			},
		});
		await expect(put(store)).rejects.toEqual(unavailable);
		expect(names()).toEqual(['files']);
		expect(storage.findings.rejection('submission')).toBeUndefined();
		isBroken = false;
		await put(store);
		expect(names()).toEqual([]);
	});

	test('says so of a place that cannot be written, until maintenance finds that it can', async () => {
		const blocked = openFolder(join(root, 'note.txt'));
		await put(folder);
		writeFileSync(join(root, 'note.txt'), '');
		await expect((async () => put(tracked(blocked)))()).rejects.toEqual(unavailable);
		expect(names()).toEqual(['files']);
		await tracked(blocked).look();
		expect(names()).toEqual(['files']);
		await tracked().look();
		expect(names()).toEqual([]);
	});

	test('says that the disk is almost full, of bytes or of inodes, also while a file arrives', async () => {
		let bytes = 300e6;
		let inodes = Number.POSITIVE_INFINITY;
		const store = tracked({ ...folder, room: () => ({ bytes, inodes }) });
		const writer = store.create();
		bytes = 200e6;
		await writer.write(randomBytes(1_000_000));
		expect(names()).toEqual([]);
		const all = (async () => {
			for (let i = 0; i < 4; i++) await writer.write(randomBytes(1_000_000));
		})();
		await expect(all).rejects.toEqual(unavailable);
		expect(names()).toEqual(['fileRoom']);
		await writer.abort();
		expect(() => store.create()).toThrow();
		bytes = 300e6;
		await store.look();
		expect(names()).toEqual([]);
		await store.create().abort();
		inodes = 999;
		expect(() => store.create()).toThrow();
		expect(storage.findings.list()).toMatchObject([{ name: 'fileRoom', detail: '999 inodes are free.' }]);
		inodes = 1000;
		await store.create().abort();
		expect(names()).toEqual([]);
	});

	test('says at the start that the newest file is not there, as on a disk that is not mounted, until it is', async () => {
		const key = await put(folder);
		await append(key);
		renameSync(root, `${root}-away`);
		const stop = watch({ quota: 1e6, formQuota: 1e6 });
		await until(() => names().length > 0);
		expect(names()).toEqual(['lostFile']);
		renameSync(join(`${root}-away`, key.slice(0, 2)), join(root, key.slice(0, 2)));
		await until(() => names().length === 0);
		await stop();
	});

	test('says that the quota is nearly used up, in all or by one form, until it is not', async () => {
		const stop = watch({ quota: 40_000, formQuota: 40_000 });
		const keys = await Promise.all(Array.from({ length: 9 }, () => put(folder)));
		await append(...keys.slice(0, 2));
		const id = await append(...keys.slice(2));
		await until(() => names().length > 0);
		expect(names()).toEqual(['fileQuota']);
		await storage.submissions.remove(FORM, [id]);
		await until(() => names().length === 0);
		await stop();
		const stopAgain = watch({ quota: 40_000, formQuota: 9000 });
		await until(() => names().length > 0);
		await stopAgain();
	});
});

function watch(quotas: { quota: number; formQuota: number }, of = storage) {
	const log = createLog({ level: 'error', format: 'text', write() {} });
	return startFileWatch(of, { ...quotas, store: tracked(), log, firstAfterMs: 5, lookEveryMs: 5 });
}

test('an object that a command beside the server stores stays until its row is there', async () => {
	const letGo = databaseFileAt(join(root, '..', 'formsrv.db')).holdFiles();
	// The store of another process.
	const key = await put(tracked());
	expect(await sweepFiles(storage, { store: tracked(), pause: onAndOn })).toBe(false);
	await append(key);
	letGo();
	expect(await sweepFiles(storage, { store: tracked(), pause: onAndOn })).toBe(true);
	expect(await listed()).toEqual([key]);
});

test('a server first tidies away what a dead process was writing', async () => {
	await put(folder);
	writeFileSync(join(root, 'incoming', 'ab'.repeat(16)), 'half');
	const stop = watch({ quota: 1e6, formQuota: 1e6 });
	await until(() => readdirSync(join(root, 'incoming')).length === 0);
	await stop();
});

test('beside other servers it does so when nothing was written to it for an hour, whenever that is', async () => {
	await put(folder);
	const [left, fresh] = ['ab'.repeat(16), 'cd'.repeat(16)].map((key) => join(root, 'incoming', key)) as [
		string,
		string,
	];
	for (const path of [left, fresh]) writeFileSync(path, 'half');
	// The finding shows that it has looked.
	await append(await put(folder));
	const stop = watch({ quota: 10, formQuota: 10 }, { ...storage, isShared: true });
	await until(() => storage.findings.list().length > 0);
	expect(readdirSync(join(root, 'incoming'))).toHaveLength(2);
	utimesSync(left, 0, 0);
	await until(() => !existsSync(left));
	expect(existsSync(fresh)).toBe(true);
	await stop();
});
