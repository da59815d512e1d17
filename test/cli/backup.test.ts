/** `formsrv backup` and `formsrv restore`. */

import { beforeEach, describe, expect, test } from 'bun:test';
import {
	closeSync,
	copyFileSync,
	existsSync,
	openSync,
	readdirSync,
	readlinkSync,
	renameSync,
	rmSync,
	statSync,
	symlinkSync,
	truncateSync,
	writeFileSync,
	writeSync,
} from 'node:fs';
import { basename } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { takeServerLock } from '../../src/storage/sqlite/locks.ts';
import { type CommandLine, openCommandLine } from './command-line.ts';

let cli: CommandLine;
beforeEach(async () => {
	cli = openCommandLine();
	await cli.call('forms', 'create', 'Before');
});

async function names(...argv: string[]): Promise<string[]> {
	return (await cli.json('forms', 'list', ...argv)).map(({ name }: { name: string }) => name);
}

describe('backup', () => {
	test('is one private file with everything in it', async () => {
		expect(await cli.json('backup', 'copy.db')).toEqual({
			file: cli.path('copy.db'),
			size: statSync(cli.path('copy.db')).size,
		});
		expect(statSync(cli.path('copy.db')).mode & 0o777).toBe(0o600);
		expect(await names('--database-url', 'sqlite:copy.db')).toEqual(['Before']);
	});

	test('overwrites nothing', async () => {
		writeFileSync(cli.path('copy.db'), 'mine');
		expect(await cli.call('backup', 'copy.db')).toEqual({
			code: 1,
			stdout: '',
			stderr: `${cli.path('copy.db')} exists already; it is not overwritten.\n`,
		});
		expect(await Bun.file(cli.path('copy.db')).text()).toBe('mine');
	});

	test('replaces what an interrupted backup of that name left, its journal included', async () => {
		writeFileSync(cli.path('copy.db.partial'), 'half');
		writeFileSync(cli.path('copy.db.partial-journal'), 'half');
		expect((await cli.call('backup', 'copy.db')).code).toBe(0);
		expect(await names('--database-url', 'sqlite:copy.db')).toEqual(['Before']);
		expect(readdirSync(cli.cwd).filter((name) => name.includes('partial'))).toEqual([]);
	});

	test('does not touch what another backup is writing', async () => {
		// The lock is another process's: those of one process do not lock each other out.
		const script = `
			const other = new (require('bun:sqlite').Database)(process.argv[1]);
			other.run('begin; create table t (x)');
			console.log('writing');
			process.stdin.on('data', () => process.exit(0));`;
		const other = Bun.spawn([process.execPath, '-e', script, cli.path('copy.db.partial')], {
			stdin: 'pipe',
			stdout: 'pipe',
		});
		await other.stdout.getReader().read();
		const { code, stderr } = await cli.call('backup', 'copy.db');
		expect({ code, stderr }).toEqual({
			code: 1,
			stderr: `${cli.path('copy.db.partial')} is being written by another backup.\n`,
		});
		other.stdin.write('end');
		other.stdin.end();
		await other.exited;
		expect(existsSync(cli.path('copy.db.partial'))).toBe(true);
		expect((await cli.call('backup', 'copy.db')).code).toBe(0);
	});

	test.each([
		['a table is missing', 'drop table field_names', 'lacks field_names'],
		['the version is wrong', 'pragma user_version = 0', 'says that it is of version 0'],
	])('of a database of which %s fails and leaves nothing behind', async (_, sql, sentence) => {
		const client = new BetterSqlite3(cli.path('formsrv-data', 'formsrv.db'));
		client.exec(sql);
		client.close();
		const { code, stderr } = await cli.call('backup', 'copy.db');
		expect(code).toBe(1);
		expect(stderr).toContain(sentence);
		expect(readdirSync(cli.cwd).filter((name) => name.startsWith('copy.db'))).toEqual([]);
	});

	test('into a missing folder is an error that says so', async () => {
		expect(await cli.call('backup', 'missing/copy.db')).toEqual({
			code: 1,
			stdout: '',
			stderr: `Cannot open ${cli.path('missing', 'copy.db.partial')}: no such file or directory.\n`,
		});
	});

	test('of a damaged database fails and leaves nothing behind', async () => {
		const file = cli.path('formsrv-data', 'formsrv.db');
		const handle = openSync(file, 'r+');
		for (let at = 4096; at < statSync(file).size; at += 4096) writeSync(handle, Buffer.alloc(64, 0xff), 0, 64, at);
		closeSync(handle);
		expect(await cli.call('backup', 'copy.db')).toEqual({
			code: 1,
			stdout: '',
			stderr: `${file} is damaged: database disk image is malformed. Restore a backup.\n`,
		});
		expect(existsSync(cli.path('copy.db'))).toBe(false);
	});

	test('without a database is an error that says so', async () => {
		const { code, stderr } = await cli.call('backup', 'copy.db', '--data-dir', 'elsewhere');
		expect(code).toBe(1);
		expect(stderr).toContain('There is no database at');
	});
});

describe('restore', () => {
	beforeEach(async () => {
		await cli.call('backup', 'copy.db');
		await cli.call('forms', 'create', 'After');
	});

	test('never replaces a database without --force', async () => {
		const { code, stderr } = await cli.call('restore', 'copy.db');
		expect(code).toBe(1);
		expect(stderr).toContain('Add --force');
		expect(await names()).toEqual(['After', 'Before']);
	});

	test('with --force restores the backup, and keeps the present database', async () => {
		const { replaced } = await cli.json('restore', 'copy.db', '--force');
		expect(await names()).toEqual(['Before']);
		expect(await names('--database-url', `sqlite:${replaced}`)).toEqual(['After', 'Before']);
		expect(existsSync(cli.path('copy.db'))).toBe(true);
	});

	test('works where there is no database', async () => {
		expect((await cli.call('restore', 'copy.db', '--data-dir', 'elsewhere')).code).toBe(0);
		expect(await names('--data-dir', 'elsewhere')).toEqual(['Before']);
		expect(statSync(cli.path('elsewhere', 'formsrv.db')).mode & 0o777).toBe(0o600);
	});

	test('is rejected at once while a server runs', async () => {
		const release = takeServerLock(cli.path('formsrv-data', 'formsrv.db'));
		const { code, stderr } = await cli.call('restore', 'copy.db', '--force');
		release?.();
		expect(code).toBe(1);
		expect(stderr).toBe(`A server runs on ${cli.path('formsrv-data', 'formsrv.db')}. Stop it first.\n`);
		expect(await names()).toEqual(['After', 'Before']);
	});

	test.each([
		[
			'a text',
			(file: string) => writeFileSync(file, 'a text. '.repeat(1000)),
			/cannot be opened as an SQLite database|not a database/,
		],
		['half a backup', (file: string) => writeFileSync(file, Buffer.alloc(8192)), /./],
		[
			'nothing',
			(file: string) => writeFileSync(file, ''),
			/^The copy of .*bad\.db is not usable: it is not a database of formsrv\.\n$/,
		],
		['no file', () => {}, /There is no file/],
	])('of %s changes nothing', async (_, make, sentence) => {
		make(cli.path('bad.db'));
		const { code, stderr } = await cli.call('restore', 'bad.db', '--force');
		expect(code).not.toBe(0);
		expect(stderr).toMatch(sentence);
		expect(await names()).toEqual(['After', 'Before']);
		expect(readdirSync(cli.path('formsrv-data')).filter((name) => /restoring|replaced/.test(name))).toEqual([]);
	});

	test('first removes what one left that was cut off, also if it fails then, but not a copy that it reads', async () => {
		const copy = `${cli.path('formsrv-data', 'formsrv.db')}.restoring-2026-01-02T03-04-05-678Z`;
		const left = () => readdirSync(cli.path('formsrv-data')).filter((name) => name.includes('.restoring'));
		writeFileSync(`${copy}.unpacked`, 'much');
		writeFileSync(copy, 'nothing that can be restored');
		expect((await cli.call('restore', copy, '--force')).code).toBe(1);
		expect(left()).toEqual([basename(copy)]);
		copyFileSync(cli.path('copy.db'), copy);
		expect((await cli.call('restore', copy, '--force')).code).toBe(0);
		expect(await names()).toEqual(['Before']);
		expect(left()).toEqual([]);
	});

	test.each([
		['gone', (file: string) => rmSync(file)],
		['cut to nothing', (file: string) => truncateSync(file)],
	])('of a backup keeps the log of a database that is %s', async (_, harm) => {
		const file = cli.path('formsrv-data', 'formsrv.db');
		const log = 'what was acknowledged last';
		writeFileSync(`${file}-wal`, log);
		harm(file);
		const forms = await cli.call('forms', 'list');
		expect(forms).toMatchObject({ code: 1, stderr: expect.stringContaining('formsrv.db-wal') });
		expect((await cli.call('doctor')).stdout).toContain('formsrv.db-wal');
		expect((await cli.call('restore', 'copy.db')).code).toBe(0);
		expect(await names()).toEqual(['Before']);
		const kept = readdirSync(cli.path('formsrv-data')).filter((name) => /^formsrv\.db\.replaced-.*-wal$/.test(name));
		expect(kept).toHaveLength(1);
		expect(await Bun.file(cli.path('formsrv-data', `${kept[0]}`)).text()).toBe(log);
	});

	test('follows a link and replaces its target', async () => {
		const file = cli.path('formsrv-data', 'formsrv.db');
		renameSync(file, cli.path('real.db'));
		symlinkSync(cli.path('real.db'), file);
		const { replaced } = await cli.json('restore', 'copy.db', '--force');
		expect(replaced).toStartWith(cli.path('real.db.replaced-'));
		expect(readlinkSync(file)).toBe(cli.path('real.db'));
		expect(await names()).toEqual(['Before']);
	});

	test('accepts a plain copy of a stopped server’s file', async () => {
		copyFileSync(cli.path('formsrv-data', 'formsrv.db'), cli.path('plain.db'));
		expect((await cli.call('restore', 'plain.db', '--force')).code).toBe(0);
		expect(await names()).toEqual(['After', 'Before']);
	});
});
