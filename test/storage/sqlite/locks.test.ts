/** The locks between processes: held by one, seen by the others, and released when the holder exits, even by a crash. */

import { describe, expect, test } from 'bun:test';
import { statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { areFilesHeld, holdFiles, isServerRunning, takeServerLock } from '../../../src/storage/sqlite/locks.ts';
import { mayMount, mountReadOnly } from '../../mounts.ts';
import { tempFolder } from '../../temp-folder.ts';

/** Another process that holds the files until it is killed. */
async function holdElsewhere(file: string) {
	const module = join(import.meta.dir, '../../../src/storage/sqlite/locks.ts');
	const script = `
		require(${JSON.stringify(module)}).holdFiles(process.argv[1]);
		process.stdin.resume();
		setTimeout(() => {
			Bun.gc(true);
			console.log('held');
		}, 10);`;
	const other = Bun.spawn([process.execPath, '-e', script, file], { stdin: 'pipe', stdout: 'pipe' });
	await other.stdout.getReader().read();
	return other;
}

test('a process that only looks keeps no server from its lock', async () => {
	const file = join(tempFolder(), 'formsrv.db');
	takeServerLock(file)?.();
	const script = `
		const other = new (require('bun:sqlite').Database)(process.argv[1]);
		other.run('begin');
		other.query('select count(*) from sqlite_schema').get();
		console.log('looks');
		setTimeout(() => process.exit(0), 300);`;
	const other = Bun.spawn([process.execPath, '-e', script, `${file}.lock`], { stdout: 'pipe' });
	await other.stdout.getReader().read();
	const release = takeServerLock(file);
	expect(release).toBeDefined();
	release?.();
	await other.exited;
});

test('a second server is told at once that another runs', async () => {
	const file = join(tempFolder(), 'formsrv.db');
	expect(isServerRunning(file)).toBe(false);
	const script = `
		require(${JSON.stringify(join(import.meta.dir, '../../../src/storage/sqlite/locks.ts'))}).takeServerLock(process.argv[1]);
		console.log('serves');
		setTimeout(() => process.exit(0), 10_000);`;
	const other = Bun.spawn([process.execPath, '-e', script, file], { stdout: 'pipe' });
	await other.stdout.getReader().read();
	const began = performance.now();
	expect(takeServerLock(file)).toBeUndefined();
	expect(performance.now() - began).toBeLessThan(2000);
	expect(isServerRunning(file)).toBe(true);
	other.kill('SIGKILL');
	await other.exited;
	expect(isServerRunning(file)).toBe(false);
});

test('files are held as long as one of several backups is under way, also of other processes that are killed', async () => {
	const file = join(tempFolder(), 'formsrv.db');
	writeFileSync(file, '');
	expect(areFilesHeld(file)).toBe(false);
	const others = [await holdElsewhere(file), await holdElsewhere(file)];
	const release = holdFiles(file);
	for (const other of others) {
		expect(areFilesHeld(file)).toBe(true);
		other.kill('SIGKILL');
		await other.exited;
	}
	expect(areFilesHeld(file)).toBe(true);
	release();
	expect(areFilesHeld(file)).toBe(false);
	expect(statSync(`${file}.lock-files`).mode & 0o777).toBe(0o600);
});

describe.skipIf(!mayMount)('where files can only be read', () => {
	test('they are held for a process that can remove some, and none is told that they are not', async () => {
		const file = join(tempFolder(), 'formsrv.db');
		writeFileSync(file, '');
		holdFiles(file)();
		Bun.spawnSync(['chown', '65534:65534', file]);
		const seen = join(mountReadOnly(dirname(file)), 'formsrv.db');
		const other = await holdElsewhere(seen);
		expect(areFilesHeld(file)).toBe(true);
		expect(() => areFilesHeld(seen)).toThrow(`${seen}.lock-files cannot be used: read-only file system.`);
		other.kill('SIGKILL');
		await other.exited;
		expect(areFilesHeld(file)).toBe(false);
	});

	test('they are not held without a lock file, and it is said', () => {
		const file = join(tempFolder(), 'formsrv.db');
		writeFileSync(file, '');
		const seen = join(mountReadOnly(dirname(file)), 'formsrv.db');
		expect(() => holdFiles(seen)).toThrow(`${seen}.lock-files cannot be used: read-only file system.`);
	});
});

test.skipIf(process.getuid?.() !== 0)('what root locks, the owner of the database can look at', () => {
	const file = join(tempFolder(), 'formsrv.db');
	writeFileSync(file, '');
	Bun.spawnSync(['chown', '65534:65534', file]);
	holdFiles(file)();
	expect(statSync(`${file}.lock-files`)).toMatchObject({ uid: 65534, gid: 65534 });
});
