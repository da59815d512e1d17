/** A new database is made only where there is no trace of an old one. */

import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import {
	cpSync,
	existsSync,
	linkSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { copyDatabase } from '../../../src/storage/sqlite/copy.ts';
import { createDatabase, hasDatabase } from '../../../src/storage/sqlite/database-place.ts';
import { takeServerLock } from '../../../src/storage/sqlite/locks.ts';
import { openSqlite as openStorage } from '../../../src/storage/sqlite/open.ts';
import { tempFolder } from '../../temp-folder.ts';

function place(...names: string[]) {
	const folder = tempFolder();
	const file = join(folder, 'formsrv.db');
	for (const name of names) writeFileSync(join(folder, name), name === 'formsrv.db' ? '' : 'something');
	return { folder, file };
}

describe('where there is nothing', () => {
	test.each([
		['an empty folder', []],
		['the lock of a server', ['formsrv.db.lock', 'formsrv.db.lock-journal']],
		['a new database that was never finished', ['formsrv.db.new-1']],
		['what belongs to others', ['other.db', 'other.db-wal', 'my-formsrv.db', 'formsrv.db2', 'formsrv.dbx-wal']],
	])('%s is no trace', (_, names) => {
		const { file } = place(...names);
		expect(hasDatabase(file)).toBe(false);
		void openStorage(file).close();
		expect(hasDatabase(file)).toBe(true);
	});

	test('a new one is whole, private, and by the write-ahead log from the first byte on', () => {
		const { folder, file } = place();
		createDatabase(file);
		expect(readdirSync(folder)).toEqual(['formsrv.db']);
		expect(statSync(file).mode & 0o777).toBe(0o600);
		const client = new BetterSqlite3(file, { readonly: true });
		expect(client.pragma('journal_mode', { simple: true })).toBe('wal');
		expect(client.pragma('integrity_check', { simple: true })).toBe('ok');
		client.close();
	});

	test('one that another process made meanwhile stays', () => {
		const { folder, file } = place();
		createDatabase(file);
		const { ino } = statSync(file);
		createDatabase(file);
		expect(statSync(file).ino).toBe(ino);
		expect(readdirSync(folder)).toEqual(['formsrv.db']);
	});
});

test('a server that tidies up meanwhile keeps no other process from a database', async () => {
	const { file } = place();
	createDatabase(file);
	const module = join(import.meta.dir, '../../../src/storage/sqlite/replace.ts');
	const script = `
		const { removeLeftovers } = require(${JSON.stringify(module)});
		console.log('tidies');
		for (const end = performance.now() + 20_000; performance.now() < end; ) removeLeftovers(process.argv[1]);`;
	const server = Bun.spawn([process.execPath, '-e', script, file], { stdout: 'pipe' });
	await server.stdout.getReader().read();
	try {
		for (let i = 0; i < 20; i++) createDatabase(file);
	} finally {
		server.kill('SIGKILL');
		await server.exited;
	}
	expect(hasDatabase(file)).toBe(true);
});

test('the log of a command that opened a database while it was replaced is kept beside it, and is none of the new one', async () => {
	const { folder, file } = place();
	const [replacement, aside] = [join(folder, 'copy.db'), `${file}.replaced-2026-01-31T00-00-00-000Z`];
	createDatabase(file);
	createDatabase(replacement);
	const module = join(import.meta.dir, '../../../src/storage/sqlite/replace.ts');
	// The command is killed before it could see that its database is another one now.
	const command = `
		const { Database } = require('bun:sqlite');
		new Database(process.argv[1]).run("insert into server_values (name, value) values ('late', 'acknowledged')");
		process.kill(process.pid, 'SIGKILL');`;
	const script = `
		const fs = require('node:fs');
		const { linkSync } = fs;
		fs.linkSync = (from, to) => {
			if (from === process.argv[1]) Bun.spawnSync([process.execPath, '-e', ${JSON.stringify(command)}, process.argv[1]]);
			linkSync(from, to);
		};
		const { replaceDatabase } = require(${JSON.stringify(module)});
		const [file, replacement, aside] = process.argv.slice(1);
		replaceDatabase(file, { replacement, aside });`;
	const restore = Bun.spawn([process.execPath, '-e', script, file, replacement, aside]);
	expect(await restore.exited).toBe(0);
	expect(readdirSync(folder).sort()).toEqual(['formsrv.db', basename(aside), `${basename(aside)}-wal`]);
	const valuesIn = (path: string) => {
		using client = new Database(path);
		expect(client.query('pragma integrity_check').values()).toEqual([['ok']]);
		return client.query("select value from server_values where name = 'late'").values();
	};
	expect(valuesIn(file)).toEqual([]);
	expect(valuesIn(aside)).toEqual([['acknowledged']]);
});

describe('where there is a trace', () => {
	test.each([
		['a log without its file', ['formsrv.db-wal']],
		['a log beside an empty file', ['formsrv.db', 'formsrv.db-wal']],
		['an empty file', ['formsrv.db']],
		['one that was replaced', ['formsrv.db.replaced-2026-01-31T00-00-00-000Z']],
		['half a copy that was to replace it', ['formsrv.db.restoring-2026-01-31T00-00-00-000Z.partial']],
		['a copy by hand', ['formsrv.db.bak']],
	])('%s: none is made, nothing is changed, and the sentence names it', (_, names) => {
		const { folder, file } = place(...names);
		const before = names.map((name) => [name, statSync(join(folder, name)).size]);
		for (const open of [() => openStorage(file), () => hasDatabase(file)]) {
			expect(open).toThrow(new RegExp(`^${file} is (missing|empty)[^\\n]*: put the database back there, or run`));
			for (const name of names) expect(open).toThrow(name);
		}
		const after = readdirSync(folder).sort();
		expect(after.map((name) => [name, statSync(join(folder, name)).size])).toEqual(before);
	});

	test('the newest that was replaced is the way back, before a copy that was to replace it', () => {
		const { file } = place(
			'formsrv.db-wal',
			'formsrv.db.restoring-2026-03-01T00-00-00-000Z',
			'formsrv.db.replaced-2026-01-31T00-00-00-000Z',
			'formsrv.db.replaced-2026-02-28T00-00-00-000Z',
			'formsrv.db.replaced-2026-02-28T00-00-00-000Z-wal',
			'formsrv.db.replaced-2026-03-01T00-00-00-000Z.partial',
		);
		expect(() => hasDatabase(file)).toThrow(`'formsrv restore ${file}.replaced-2026-02-28T00-00-00-000Z'`);
	});

	test('without a copy the way back is a backup', () => {
		expect(() => hasDatabase(place('formsrv.db-wal').file)).toThrow("'formsrv restore BACKUP'");
	});
});

test('a link that leads nowhere is followed by no new database', () => {
	const file = join(tempFolder(), 'formsrv.db');
	symlinkSync('/mnt/not-mounted/formsrv.db', file);
	for (const use of [() => openStorage(file), () => takeServerLock(file)]) {
		expect(use).toThrow(`${file} is a link to /mnt/not-mounted/formsrv.db, which is missing`);
	}
});

test('a copy beside the log of another database is not opened, and neither is changed', () => {
	const { folder, file } = place();
	createDatabase(file);
	copyDatabase(file, join(folder, 'copy'));
	const other = new BetterSqlite3(file);
	other.exec('create table something (x)');
	cpSync(`${file}-wal`, join(folder, 'log'));
	other.close();
	renameSync(join(folder, 'copy'), file);
	cpSync(join(folder, 'log'), `${file}-wal`);
	expect(statSync(`${file}-wal`).size).toBeGreaterThan(0);
	const before = [file, `${file}-wal`].map((path) => readFileSync(path));
	expect(() => openStorage(file)).toThrow(
		`${file} is a copy or no database, and ${file}-wal the log of another database`,
	);
	expect([file, `${file}-wal`].map((path) => readFileSync(path))).toEqual(before);
	rmSync(`${file}-wal`);
	void openStorage(file).close();
});

test('a log is not copied over what is no database', () => {
	const { file } = place();
	createDatabase(file);
	const other = new BetterSqlite3(file);
	other.exec('create table something (x)');
	cpSync(`${file}-wal`, `${file}-log`);
	other.close();
	renameSync(`${file}-log`, `${file}-wal`);
	writeFileSync(file, 'What another program wrote.');
	expect(() => openStorage(file)).toThrow(
		`${file} is a copy or no database, and ${file}-wal the log of another database`,
	);
	expect(readFileSync(file, 'utf8')).toBe('What another program wrote.');
	expect(statSync(`${file}-wal`).size).toBeGreaterThan(0);
});

test('a folder that is not there is no trace and is made', () => {
	const file = join(tempFolder(), 'data', 'formsrv.db');
	expect(hasDatabase(file)).toBe(false);
	createDatabase(file);
	expect(existsSync(file)).toBe(true);
	expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700);
});

test('a folder in the place of the file is refused', () => {
	const file = join(tempFolder(), 'formsrv.db');
	mkdirSync(file);
	expect(() => openStorage(file)).toThrow(`${file} cannot be opened`);
});

test('a database that has a name in another folder is opened by none of both, as each name has a log of its own', async () => {
	const { folder, file } = place();
	createDatabase(file);
	for (const ending of ['.replaced-20260102T030405Z', '.new-1']) linkSync(file, file + ending);
	expect(hasDatabase(file)).toBe(true);
	mkdirSync(join(folder, 'copy'));
	const other = join(folder, 'copy', 'formsrv.db');
	linkSync(file, other);
	for (const name of [file, other]) {
		expect(() => openStorage(name)).toThrow(
			`${name} has another name, a hard link, which 'find / -samefile ${name}' shows`,
		);
		expect(existsSync(`${name}-wal`)).toBe(false);
	}
	rmSync(other);
	await openStorage(file).close();
});
