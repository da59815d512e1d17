import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { eq } from 'drizzle-orm';
import { AppError } from '../../../src/errors.ts';
import { UniqueViolation } from '../../../src/storage/errors.ts';
import { LOG_KEEPS_BYTES } from '../../../src/storage/sqlite/connection.ts';
import { takeServerLock } from '../../../src/storage/sqlite/locks.ts';
import { readPragma, schemaVersion } from '../../../src/storage/sqlite/migrate.ts';
import { openSqlite as openStorage } from '../../../src/storage/sqlite/open.ts';
import { forms } from '../../../src/storage/tables.ts';
import { tempFolder } from '../../temp-folder.ts';
import { until } from '../../until.ts';

const form = (id: number, slug: string) => ({ id, mode: 'live' as const, slug, name: slug });

test('a batch stands or falls as one, and batches beside it are not touched by its fall', async () => {
	const storage = openStorage(join(tempFolder(), 'formsrv.db'));
	const good = storage.batch((tx) => [tx.insert(forms).values(form(1, 'one'))]);
	const bad = storage.batch((tx) => [tx.insert(forms).values(form(2, 'two')), tx.insert(forms).values(form(3, 'one'))]);
	const later = storage.batch((tx) => [tx.insert(forms).values(form(4, 'four')).returning()] as const);
	await good;
	const failure = await bad.catch((error: unknown) => error);
	expect(failure).toBeInstanceOf(UniqueViolation);
	const [returned] = await later;
	expect(returned[0]?.slug).toBe('four');
	const rows = await storage.db.select({ id: forms.id }).from(forms).orderBy(forms.id);
	expect(rows.map(({ id }) => id)).toEqual([1, 4]);
	await storage.close();
});

test('the reading side cannot write', async () => {
	const storage = openStorage(join(tempFolder(), 'formsrv.db'));
	const attempt = async () => storage.db.delete(forms).where(eq(forms.id, 1));
	await expect(attempt()).rejects.toThrow();
	await storage.close();
});

test('the file is private, in WAL, fully synced, marked as ours, and reads well with another library', async () => {
	const file = join(tempFolder(), 'data', 'formsrv.db');
	const storage = openStorage(file);
	await storage.batch((tx) => [tx.insert(forms).values(form(1, 'one'))]);
	expect(statSync(file).mode & 0o777).toBe(0o600);
	expect(statSync(`${file}-wal`).mode & 0o777).toBe(0o600);
	expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700);
	const other = new BetterSqlite3(file, { readonly: true });
	expect(other.pragma('journal_mode', { simple: true })).toBe('wal');
	expect(other.pragma('application_id', { simple: true })).toBe(0x666f726d);
	expect(other.pragma('integrity_check', { simple: true })).toBe('ok');
	expect(other.prepare('select slug from forms').pluck().all()).toEqual(['one']);
	other.close();
	await storage.close();
});

test('a file of another program, garbage, and a file of a newer version are refused and left as they are', async () => {
	const folder = tempFolder();
	const foreign = join(folder, 'foreign.db');
	const other = new Database(foreign, { create: true });
	other.run('create table theirs (x)');
	other.close();
	expect(() => openStorage(foreign)).toThrow('another program');

	const garbage = join(folder, 'garbage.db');
	writeFileSync(garbage, 'this is no database, and long enough not to be taken for an empty one. '.repeat(20));
	expect(() => openStorage(garbage)).toThrow();

	const newer = join(folder, 'newer.db');
	await openStorage(newer).close();
	const client = new Database(newer, { readwrite: true });
	client.run(`pragma user_version = ${schemaVersion() + 1}`);
	client.close();
	expect(() => openStorage(newer)).toThrow('newer formsrv');
	const reader = new Database(newer, { readonly: true });
	expect(readPragma(reader, 'user_version')).toBe(schemaVersion() + 1);
	reader.close();
});

test.each([
	['0', 'changed by another program (user_version 0)'],
	['-1', 'changed by another program (user_version -1)'],
	['1', 'not what its version says (user_version 1)'],
])(
	'a file of ours whose version was set to %s is refused in a sentence and left as it is',
	async (version, sentence) => {
		const file = join(tempFolder(), 'formsrv.db');
		await openStorage(file).close();
		const client = new Database(file, { readwrite: true });
		client.run(`pragma user_version = ${version}`);
		const before = client.serialize();
		expect(() => openStorage(file)).toThrow(sentence);
		expect(client.serialize()).toEqual(before);
		client.close();
	},
);

test('only one server may run on a database, and its end frees it', () => {
	const file = join(tempFolder(), 'formsrv.db');
	const release = takeServerLock(file);
	expect(release).toBeDefined();
	expect(takeServerLock(file)).toBeUndefined();
	release?.();
	const again = takeServerLock(file);
	expect(again).toBeDefined();
	again?.();
});

test('a lock that is held is waited for, then everything is UNAVAILABLE until it is gone; the event loop goes on', async () => {
	const file = join(tempFolder(), 'formsrv.db');
	const storage = openStorage(file);
	await storage.batch((tx) => [tx.insert(forms).values(form(1, 'one'))]);
	const blocker = new Database(file, { readwrite: true });
	blocker.run('pragma busy_timeout = 0');
	blocker.run('begin immediate');
	let longestTurnMs = 0;
	let turnedAt = performance.now();
	const turns = setInterval(() => {
		longestTurnMs = Math.max(longestTurnMs, performance.now() - turnedAt);
		turnedAt = performance.now();
	}, 10);
	const store = (id: number) => storage.batch((tx) => [tx.insert(forms).values(form(id, `form-${id}`))]);
	const error = await store(2).catch((reason: unknown) => reason);
	expect(error).toBeInstanceOf(AppError);
	expect((error as AppError).code).toBe('UNAVAILABLE');
	expect(storage.findings.list().map(({ name }) => name)).toEqual(['lock']);
	blocker.run('rollback');
	await until(() => !storage.findings.has('lock'));
	blocker.run('begin immediate');
	const waiting = store(3);
	for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
	expect(Bun.peek.status(waiting)).toBe('pending');
	blocker.run('rollback');
	blocker.close();
	await waiting;
	clearInterval(turns);
	expect(longestTurnMs).toBeLessThan(1000);
	const rows = await storage.db.select({ id: forms.id }).from(forms).orderBy(forms.id);
	expect(rows.map(({ id }) => id)).toEqual([1, 3]);
	await storage.close();
}, 30_000);

test('a folder that cannot be made is named, and why', () => {
	const file = join(tempFolder(), 'file');
	writeFileSync(file, '');
	expect(() => openStorage(join(file, 'data', 'formsrv.db'))).toThrow(
		new RegExp(`^${join(file, 'data', 'formsrv.db')} cannot be made: not a directory\\.$`),
	);
});

describe('the log', () => {
	const walBytes = (file: string) => statSync(`${file}-wal`).size;

	/** Makes the log large during a read; returns the end of the reading. */
	async function growLog(storage: ReturnType<typeof openStorage>, file: string): Promise<() => void> {
		const reader = new Database(file, { readonly: true });
		reader.run('begin');
		reader.query('select count(*) from forms').get();
		for (let id = 1; walBytes(file) < 2 * LOG_KEEPS_BYTES; id++) {
			await storage.batch((tx) => [tx.insert(forms).values({ ...form(id, `f${id}`), name: 'x'.repeat(1_000_000) })]);
		}
		return () => {
			reader.run('commit');
			reader.close();
		};
	}

	test('that grew during a read is emptied at a quiet time', async () => {
		const file = join(tempFolder(), 'formsrv.db');
		const storage = openStorage(file);
		const endReading = await growLog(storage, file);
		storage.maintain();
		expect(walBytes(file)).toBeGreaterThan(LOG_KEEPS_BYTES);
		endReading();
		storage.maintain();
		expect(walBytes(file)).toBe(0);
		await storage.batch((tx) => [tx.insert(forms).values(form(1000, 'last'))]);
		await storage.close();
	});

	test('or when it begins anew under load', async () => {
		const file = join(tempFolder(), 'formsrv.db');
		const storage = openStorage(file);
		(await growLog(storage, file))();
		for (const id of [1000, 1001]) await storage.batch((tx) => [tx.insert(forms).values(form(id, `l${id}`))]);
		expect(walBytes(file)).toBeLessThanOrEqual(LOG_KEEPS_BYTES);
		await storage.close();
	});
});
