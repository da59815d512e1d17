/** `formsrv backup x.tar`, `backup verify` and `restore` of it: database and files of one moment, to the byte. */

import { Database } from 'bun:sqlite';
import { beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import {
	chmodSync,
	chownSync,
	copyFileSync,
	cpSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	truncateSync,
	writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { backUp } from '../../src/backup/back-up.ts';
import { END_BYTES, headerOf, spaceOf } from '../../src/backup/layout.ts';
import { createOutput } from '../../src/backup/output.ts';
import { folderPlace } from '../../src/backup/place.ts';
import { openArchive } from '../../src/backup/read-archive.ts';
import { unpackDatabase, unpackFiles } from '../../src/backup/unpack.ts';
import { writeArchive } from '../../src/backup/write-archive.ts';
import { openFolder } from '../../src/files/folder.ts';
import { sweepFiles } from '../../src/files/sweep.ts';
import { createTrackedStore } from '../../src/files/tracked-store.ts';
import type { Storage } from '../../src/storage/contract.ts';
import { databaseFileAt, openStorage } from '../../src/storage/open.ts';
import { migrate } from '../../src/storage/sqlite/migrate.ts';
import { HOUR_MS } from '../../src/tasks/durations.ts';
import { type CommandLine, openCommandLine } from '../cli/command-line.ts';
import { mayMount, mountDisk } from '../mounts.ts';
import { withProgram } from '../programs.ts';
import { isRoot, OTHER_USER } from '../run-folder.ts';
import { changeByte, spreadOver } from './changed-bytes.ts';
import { addForm, contentsOf, FORM, submitFiles } from './visitors-files.ts';

setDefaultTimeout(60_000);

const SIZES = [0, 1, 511, 512, 513, 300_000];

let cli: CommandLine;
beforeEach(() => {
	cli = openCommandLine();
});

const place = (folder: string) => cli.path(folder, 'formsrv.db');
const storeIn = (folder: string) => openFolder(cli.path(folder, 'files'));
const pathOf = (key: string) => cli.path('formsrv-data', 'files', key.slice(0, 2), key);

async function inStorage<T>(
	use: (storage: Storage) => Promise<T>,
	folder = 'formsrv-data',
	now = Date.now,
): Promise<T> {
	mkdirSync(cli.path(folder), { recursive: true });
	const storage = await openStorage(place(folder), { now });
	try {
		return await use(storage);
	} finally {
		await storage.close();
	}
}

/** A form and a submission with files of all kinds of sizes. */
const prepare = () =>
	inStorage(async (storage) => {
		await addForm(storage);
		return submitFiles(storage, storeIn('formsrv-data'), SIZES);
	});

/** Returns the files that the database names, and those in the store. */
async function everythingIn(folder: string) {
	const named = [...databaseFileAt(place(folder)).namedFiles()].map(({ key }) => key).sort();
	return { named, contents: await contentsOf(storeIn(folder)) };
}

describe('an archive', () => {
	test('holds database and files, and restores to the same bytes', async () => {
		const { sent } = await prepare();
		const report = await cli.json('backup', 'x.tar');
		const file = cli.path('x.tar');
		expect(report).toEqual({ file, size: statSync(file).size, files: SIZES.length, missing: [], changed: [] });
		expect(statSync(file).mode & 0o777).toBe(0o600);
		expect(readdirSync(cli.cwd).sort()).toEqual(['formsrv-data', 'x.tar']);
		expect(await cli.json('restore', 'x.tar', '--data-dir', 'other')).toMatchObject({ files: SIZES.length });
		const { named, contents } = await everythingIn('other');
		expect(named).toEqual(sent.map(({ file: { key } }) => key).sort());
		expect(contents).toEqual(new Map(sent.map(({ file: { key }, content }) => [key, content])));
		expect(statSync(place('other')).mode & 0o777).toBe(0o600);
	});

	withProgram('tar').test('can be unpacked by tar, and is a data folder then', async () => {
		await prepare();
		await cli.call('backup', 'x.tar');
		mkdirSync(cli.path('unpacked'));
		const tar = Bun.spawnSync(['tar', 'xf', cli.path('x.tar'), '-C', cli.path('unpacked')]);
		expect({ code: tar.exitCode, stderr: tar.stderr.toString() }).toEqual({ code: 0, stderr: '' });
		expect(await everythingIn('unpacked')).toEqual(await everythingIn('formsrv-data'));
		const manifest = await Bun.file(cli.path('unpacked', 'manifest.ndjson')).text();
		for (const line of manifest.trimEnd().split('\n').slice(1, -1)) {
			const { name, bytes, sha256 } = JSON.parse(line);
			const content = await Bun.file(cli.path('unpacked', name)).bytes();
			expect({ bytes, sha256 }).toEqual({
				bytes: content.length,
				sha256: new Bun.CryptoHasher('sha256').update(content).digest('hex'),
			});
		}
	});

	withProgram('tar').test('may have a database of more than 8 GiB, which tar finds in it', () => {
		const bytes = 9_000_000_000;
		writeFileSync(cli.path('large.tar'), headerOf('formsrv.db', bytes, new Date()));
		truncateSync(cli.path('large.tar'), spaceOf(bytes) + END_BYTES);
		const { stdout } = Bun.spawnSync(['tar', 'tvf', cli.path('large.tar')]);
		expect(stdout.toString()).toMatch(/^-rw------- 0\/0 +9000000000 .* formsrv\.db\n$/);
	});

	test('overwrites nothing, and removes what a backup of that name left when it was cut off', async () => {
		await prepare();
		for (const ending of ['.partial', '.partial.db', '.partial.db.partial', '.partial.db.lock']) {
			writeFileSync(cli.path(`x.tar${ending}`), '');
		}
		expect((await cli.call('backup', 'x.tar')).stderr).toBe('');
		expect(readdirSync(cli.cwd).sort()).toEqual(['formsrv-data', 'x.tar']);
		const { code, stderr } = await cli.call('backup', 'x.tar');
		expect({ code, stderr }).toEqual({
			code: 1,
			stderr: `${cli.path('x.tar')} exists already; it is not overwritten.\n`,
		});
	});

	test('is written by one at a time, into a folder that is there', async () => {
		await prepare();
		const release = databaseFileAt(cli.path('x.tar.partial.db')).lock();
		expect((await cli.call('backup', 'x.tar')).stderr).toBe(
			`${cli.path('x.tar.partial')} is being written by another backup.\n`,
		);
		release?.();
		expect((await cli.call('backup', 'missing/x.tar')).stderr).toBe(`There is no folder ${cli.path('missing')}.\n`);
		writeFileSync(cli.path('file'), '');
		cli.env.FORMSRV_BACKUP_TO = cli.path('file');
		expect((await cli.call('backup')).stderr).toBe(`There is no folder ${cli.path('file')}.\n`);
	});

	test('holds what submissions had when it began, also if they are deleted and swept meanwhile', async () => {
		const { id } = await prepare();
		const before = await everythingIn('formsrv-data');
		await inStorage(async (storage) => {
			const folder = storeIn('formsrv-data');
			const sweep = () => sweepFiles(storage, { store: createTrackedStore(folder, storage), pause: async () => true });
			let removed: Promise<unknown> | undefined;
			async function read(key: string) {
				removed ??= storage.submissions.remove(FORM, [id]).then(sweep);
				await removed;
				return folder.read(key);
			}
			const where = { database: place('formsrv-data'), beside: cli.path('formsrv-data'), place: folderPlace(cli.cwd) };
			const job = { ...where, name: 'x.tar', report() {} };
			expect(await backUp({ ...job, store: { read } })).toMatchObject({ files: SIZES.length, missing: [] });
			expect((await everythingIn('formsrv-data')).contents).toEqual(before.contents);
			await sweep();
			expect((await everythingIn('formsrv-data')).contents.size).toBe(0);
		});
		await cli.json('restore', 'x.tar', '--data-dir', 'other');
		expect(await everythingIn('other')).toEqual(before);
	});

	test('says which files are missing or not what visitors sent, and restores the others', async () => {
		const { sent } = await prepare();
		const keys = sent.map(({ file: { key } }) => key);
		const [, one = '', , lost = '', longer = '', shorter = ''] = keys;
		rmSync(pathOf(lost));
		writeFileSync(
			pathOf(one),
			readFileSync(pathOf(one)).map((byte) => byte ^ 1),
		);
		truncateSync(pathOf(shorter), 100);
		writeFileSync(pathOf(longer), Buffer.alloc(600));
		const report = await cli.json('backup', 'x.tar');
		expect(report).toMatchObject({ files: SIZES.length - 1, missing: [lost], changed: [one, longer, shorter] });
		rmSync(cli.path('x.tar'));
		const { stderr } = await cli.call('backup', 'x.tar');
		expect(stderr).toContain('Missing in the file store, and so in the backup: 1 file;');
		expect(stderr).toContain(`Not what visitors sent, and in the backup as found: 3 files: ${one}, `);
		expect((await cli.call('backup', 'verify', 'x.tar')).code).toBe(0);
		const { code, stderr: said } = await cli.call('restore', 'x.tar', '--data-dir', 'other');
		expect(code).toBe(0);
		expect(said).toContain('Not in the file store: 1 file of its');
		const [, named = ''] = /Not what visitors sent, as in the backup: 3 files: (.+)\./.exec(said) ?? [];
		expect(named.split(', ').sort()).toEqual([one, longer, shorter].sort());
		expect([...(await everythingIn('other')).contents.keys()].sort()).toEqual(
			keys.filter((key) => key !== lost).sort(),
		);
	});

	test('with a file that was damaged then does not replace one that was repaired since', async () => {
		const { sent } = await prepare();
		const [{ file: { key = '' } = {}, content } = {}] = sent.slice(2);
		writeFileSync(pathOf(key), 'damaged');
		expect(await cli.json('backup', 'x.tar')).toMatchObject({ changed: [key] });
		writeFileSync(pathOf(key), content ?? '');
		const { stdout, stderr } = await cli.call('restore', 'x.tar', '--force', '--json');
		expect(JSON.parse(stdout)).toMatchObject({ files: SIZES.length - 1 });
		expect(stderr).toBe('');
		expect((await everythingIn('formsrv-data')).contents.get(key)).toEqual(content);
	});

	test('shows how far it is on a terminal', async () => {
		await prepare();
		expect((await cli.onTerminal('backup', 'x.tar')).stderr).toMatch(/100 % {2}6 of 6\n$/);
		expect((await cli.onTerminal('backup', 'verify', 'x.tar')).stderr).toMatch(/100 % {2}100 of 100\n$/);
		expect((await cli.onTerminal('restore', 'x.tar', '--force')).stderr).toMatch(/100 % {2}6 of 6\n$/);
	});
});

describe('a change', () => {
	test('of any byte is named by verify, and refused by restore before it changes anything', async () => {
		await prepare();
		await cli.call('backup', 'x.tar');
		const members = membersOf(cli.path('x.tar'));
		// SQLite removes its log once the last connection of before is collected.
		const listed = () =>
			readdirSync(cli.path('formsrv-data'), { recursive: true }).filter(
				(name) => !/\.lock$|-wal$|-shm$/.test(`${name}`),
			);
		const before = listed();
		for (const { at, member } of spreadOver(members, 50)) {
			copyFileSync(cli.path('x.tar'), cli.path('changed.tar'));
			changeByte(cli.path('changed.tar'), at);
			const verify = await cli.call('backup', 'verify', 'changed.tar');
			expect({ at, member, ...verify }).toMatchObject({ code: 1, stdout: expect.stringContaining(member) });
			const restore = await cli.call('restore', 'changed.tar', '--force');
			expect({ at, ...restore }).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(member) });
			expect(listed()).toEqual(before);
		}
	});

	test('after the check, while it is restored, is noticed as well', async () => {
		await prepare();
		await cli.call('backup', 'x.tar');
		using archive = openArchive(cli.path('x.tar'));
		expect(archive.verify(() => {})).toEqual([]);
		for (const { start } of membersOf(cli.path('x.tar')).slice(0, -1)) changeByte(cli.path('x.tar'), start);
		expect(() => unpackDatabase(archive, cli.path('database'))).toThrow('formsrv.db was changed meanwhile.');
		const store = storeIn('other');
		await expect(unpackFiles(archive, { store, report() {} })).rejects.toThrow('was changed meanwhile.');
		expect([...(await contentsOf(store)).values()].filter(({ length }) => length > 0)).toEqual([]);
	});

	test('of several members names each of them, and no others', async () => {
		await prepare();
		await cli.call('backup', 'x.tar');
		const [database, , second, , fourth] = membersOf(cli.path('x.tar'));
		for (const { start } of [database, second, fourth].filter((member) => member !== undefined)) {
			changeByte(cli.path('x.tar'), start + 3);
		}
		expect(await cli.json('backup', 'verify', 'x.tar').catch(({ message }) => message)).toContain('ended with 1');
		const { stdout } = await cli.call('backup', 'verify', 'x.tar');
		expect(stdout).toBe([database, second, fourth].map((member) => `${member?.name} is changed.\n`).join(''));
	});

	test.each([
		['cut off', (file: string) => truncateSync(file, statSync(file).size - 700), 'changed'],
		['longer', (file: string) => writeFileSync(file, Buffer.alloc(512), { flag: 'a' }), 'changed'],
		['empty', (file: string) => truncateSync(file), 'cut off or changed'],
		[
			'another tar',
			(file: string) => writeFileSync(file, Buffer.alloc(10_240).fill('ustar', 257, 262)),
			'cut off or changed',
		],
	])('to one that is %s is noticed', async (_, change, sentence) => {
		await prepare();
		await cli.call('backup', 'x.tar');
		change(cli.path('x.tar'));
		expect(await cli.call('backup', 'verify', 'x.tar')).toMatchObject({
			code: 1,
			stdout: expect.stringContaining(sentence),
		});
		const { code, stderr } = await cli.call('restore', 'x.tar', '--data-dir', 'other');
		expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(sentence) });
		expect(existsSync(place('other'))).toBe(false);
	});
});

describe('a restore', () => {
	test('keeps the files of the database that it replaces, so that this can come back', async () => {
		await prepare();
		await cli.call('backup', 'x.tar');
		await inStorage((storage) => submitFiles(storage, storeIn('formsrv-data'), [10, 20]));
		const newest = await everythingIn('formsrv-data');
		const { replaced } = await cli.json('restore', 'x.tar', '--force');
		expect((await everythingIn('formsrv-data')).named).toHaveLength(SIZES.length);
		await sweep();
		expect((await cli.call('restore', replaced, '--force')).stderr).toBe('');
		expect(await everythingIn('formsrv-data')).toEqual(newest);
	});

	test('keeps them also if the backup is of a moment at which one was to be removed', async () => {
		const { sent } = await prepare();
		const [key = ''] = sent.map(({ file }) => file.key);
		const client = new BetterSqlite3(place('formsrv-data'));
		client.exec(
			`create table kept as select * from files; delete from files; insert into removed_files (key) values ('${key}')`,
		);
		await cli.call('backup', 'x.tar');
		client.exec('insert into files select * from kept; delete from removed_files');
		client.close();
		const before = await contentsOf(storeIn('formsrv-data'));
		expect((await cli.call('restore', 'x.tar', '--force')).code).toBe(0);
		await sweep();
		expect(await contentsOf(storeIn('formsrv-data'))).toEqual(before);
	});

	test.skipIf(!mayMount)('for which there is no room says where, and changes nothing', async () => {
		await prepare();
		await cli.call('backup', 'x.tar');
		const files = join(mountDisk('64k'), 'files');
		cli.env.FORMSRV_FILES_URL = files;
		const { code, stderr } = await cli.call('restore', 'x.tar', '--force');
		expect([code, stderr]).toEqual([
			1,
			expect.stringMatching(/^Cannot write \S+\/files\/incoming\/[0-9a-f]{32}: no space left on device\.\n$/),
		]);
		expect(readdirSync(cli.path('formsrv-data')).filter((name) => /restoring|replaced/.test(name))).toEqual([]);
	});

	test('makes ids behind those of the database that it replaces, also if its clock was ahead', async () => {
		await prepare();
		await cli.call('backup', 'x.tar');
		const submit = (storage: Storage) => submitFiles(storage, storeIn('formsrv-data'), []);
		const seen = await inStorage(submit, 'formsrv-data', () => Date.now() + HOUR_MS);
		await cli.json('restore', 'x.tar', '--force');
		const next = await inStorage(submit);
		expect(next.id).toBeGreaterThan(seen.id);
		await cli.json('restore', 'x.tar', '--force');
		const last = await inStorage(async (storage) => {
			const { id } = await submit(storage);
			return { id, at: storage.clock.timeline().millisOf(id) };
		});
		expect(last.id).toBeGreaterThan(next.id);
		expect(last.at).toBeLessThan(Date.now() + HOUR_MS / 2);
	});

	test('replaces a file that is damaged in the store', async () => {
		const { sent } = await prepare();
		await cli.call('backup', 'x.tar');
		for (const { file } of sent) writeFileSync(pathOf(file.key), 'damaged');
		await cli.call('restore', 'x.tar', '--force');
		expect((await everythingIn('formsrv-data')).contents).toEqual(
			new Map(sent.map(({ file: { key }, content }) => [key, content])),
		);
	});

	test.skipIf(!isRoot)('by root into a folder of another user is refused, who could not read it', async () => {
		await prepare();
		await cli.json('backup', 'x.tar');
		chownSync(cli.path('formsrv-data'), OTHER_USER, OTHER_USER);
		expect(await cli.call('restore', 'x.tar', '--force')).toMatchObject({
			code: 1,
			stderr: expect.stringContaining(`sudo -u '#${OTHER_USER}' formsrv restore`),
		});
	});

	test('of a backup of a newer version changes nothing', async () => {
		await prepare();
		databaseFileAt(place('formsrv-data')).copyTo(cli.path('newer.db'));
		const client = new BetterSqlite3(cli.path('newer.db'));
		client.pragma('user_version = 9999');
		client.close();
		const tar = await archiveOf(cli.path('newer.db'));
		const { code, stderr } = await cli.call('restore', tar, '--data-dir', 'other');
		expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('newer formsrv') });
		expect(readdirSync(cli.path('other')).filter((name) => !name.endsWith('.lock'))).toEqual([]);
	});

	test('of an older version works, whether it is an archive or a copy of the database', async () => {
		const migrations = cli.path('migrations');
		cpSync('drizzle', migrations, { recursive: true });
		chmodSync(join(migrations, 'meta', '_journal.json'), 0o644);
		const journal = await Bun.file(join(migrations, 'meta', '_journal.json')).json();
		const older = { ...journal, entries: journal.entries.filter(({ tag }: { tag: string }) => tag < '0012') };
		writeFileSync(join(migrations, 'meta', '_journal.json'), JSON.stringify(older));
		mkdirSync(cli.path('formsrv-data'));
		const client = new Database(place('formsrv-data'), { create: true });
		migrate(client, migrations);
		client.run("insert into forms (id, mode, slug, name) values (1, 'live', 'old', 'Old')");
		client.close();
		for (const name of ['x.tar', 'x.db']) {
			expect((await cli.call('backup', name)).stderr).toBe('');
			expect((await cli.call('restore', name, '--data-dir', `${name}-data`)).stderr).toBe('');
			expect(await cli.json('forms', 'list', '--data-dir', `${name}-data`)).toMatchObject([{ slug: 'old' }]);
		}
	});

	async function sweep(): Promise<void> {
		await inStorage(async (storage) => {
			const store = createTrackedStore(storeIn('formsrv-data'), storage);
			await sweepFiles(storage, { store, pause: async () => true });
		});
	}

	/** By the writer of archives alone, which does not look into the database. */
	async function archiveOf(database: string): Promise<string> {
		const output = createOutput(cli.path('made.tar'));
		const store = storeIn('formsrv-data');
		await writeArchive(output, { database, files: () => [], store, madeAt: new Date(), report: () => {} });
		output.sync();
		output.close();
		return 'made.tar';
	}
});

describe('a copy of the database alone', () => {
	test('is said to lack the files, when it is made and when it is restored', async () => {
		await prepare();
		const { stderr } = await cli.call('backup', 'x.db');
		expect(stderr).toBe(
			'The files that visitors attached are not in it: they are in a backup whose name ends in .tar.\n',
		);
		expect((await cli.call('restore', 'x.db', '--force')).stderr).toBe('');
		const { stderr: elsewhere } = await cli.call('restore', 'x.db', '--data-dir', 'other');
		expect(elsewhere).toBe('Not in the file store: 6 files of its submissions; "formsrv doctor" names one.\n');
	});

	test('says nothing of files where there are none', async () => {
		await inStorage(addForm);
		expect((await cli.call('backup', 'x.db')).stderr).toBe('');
		expect((await cli.call('restore', 'x.db', '--force')).stderr).toBe('');
	});

	test('is verified as far as that goes', async () => {
		await prepare();
		await cli.call('backup', 'x.db');
		const sentence = `${cli.path('x.db')} is a sound database; whether a value in it was changed cannot be told.\n`;
		expect(await cli.call('backup', 'verify', 'x.db')).toEqual({ code: 0, stdout: sentence, stderr: '' });
		for (let at = 4096; at < statSync(cli.path('x.db')).size; at += 1000) changeByte(cli.path('x.db'), at);
		expect(await cli.call('backup', 'verify', 'x.db')).toMatchObject({
			code: 1,
			stdout: expect.stringContaining(`${cli.path('x.db')} is damaged: `),
		});
		expect((await cli.call('drill', 'x.db')).stderr).toBe(
			'x.db is no archive, which a drill needs; "formsrv backup verify" checks it.\n',
		);
		// Without a writer, opening it would wait for ever.
		Bun.spawnSync(['mkfifo', cli.path('pipe')]);
		for (const command of [['backup', 'verify'], ['drill'], ['restore', '--force']]) {
			expect((await cli.call(...command, 'none.db')).stderr).toBe('There is no file none.db.\n');
			expect((await cli.call(...command, '.')).stderr).toBe('. is no regular file: save it as one first.\n');
			expect((await cli.call(...command, 'pipe')).stderr).toBe('pipe is no regular file: save it as one first.\n');
		}
	});
});

/** Returns the members of an archive: the content of each, and where it begins. */
function membersOf(file: string): { name: string; start: number; end: number }[] {
	const archive = readFileSync(file);
	const first = archive.lastIndexOf('{"format":');
	const last = archive.lastIndexOf('\n') + 1;
	const lines = archive.toString('latin1', first, last).trimEnd().split('\n').slice(1, -1);
	let start = 512;
	const members = lines.map((line) => {
		const { name, bytes } = JSON.parse(line);
		const member = { name, start, end: start + bytes };
		start += Math.ceil(bytes / 512) * 512 + 512;
		return member;
	});
	expect(start).toBe(first);
	return [...members, { name: 'manifest.ndjson', start: first, end: last }];
}
