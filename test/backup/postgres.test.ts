/** Backups of an installation on PostgreSQL: the attached files by the server, the database by `pg_dump`; together they bring all of it back. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { folderPlace } from '../../src/backup/place.ts';
import { createBackups } from '../../src/backup/schedule.ts';
import type { Status } from '../../src/dashboard/status/schema.ts';
import { openFolder } from '../../src/files/folder.ts';
import { openStorage } from '../../src/storage/open.ts';
import { openCommandLine } from '../cli/command-line.ts';
import { newMigratedDatabase } from '../postgres.ts';
import { installedPostgres } from '../postgres-programs.ts';
import { makeDatabase, type PostgresServer, startPostgres } from '../postgres-server.ts';
import { withProgram } from '../programs.ts';
import { openTestServer } from '../server.ts';
import { tempFolder } from '../temp-folder.ts';
import { until } from '../until.ts';
import { addForm, contentsOf, FORM, submitFiles } from './visitors-files.ts';

setDefaultTimeout(60_000);

const HOUR_MS = 3_600_000;
const SIZES = [0, 10, 100_000];

/** An installation with attached files, and its command line. */
async function prepare(address: string, folder: string) {
	const cli = openCommandLine(folder, { FORMSRV_DATABASE_URL: address, FORMSRV_BACKUP_TO: tempFolder() });
	const store = openFolder(cli.path('formsrv-data/files'));
	const storage = await openStorage(address);
	await addForm(storage);
	const { id, sent } = await submitFiles(storage, store, SIZES);
	await storage.close();
	return { cli, store, id, keys: sent.map(({ file }) => file.key), place: `${cli.env.FORMSRV_BACKUP_TO}` };
}

test('the server backs up the attached files by itself, and each byte of them is brought back', async () => {
	const { cli, store, place } = await prepare(await newMigratedDatabase(), tempFolder());
	const before = await contentsOf(store);
	const server = await openTestServer({
		database: cli.env.FORMSRV_DATABASE_URL,
		settings: {
			FORMSRV_DATABASE_URL: `${cli.env.FORMSRV_DATABASE_URL}`,
			FORMSRV_DATA_DIR: cli.path('formsrv-data'),
			FORMSRV_BACKUP_EVERY: '1h',
			FORMSRV_BACKUP_TO: place,
		},
	});
	const status = async () => (await server.call<Status>('GET /api/status')).body;
	await until(async () => {
		expect((await status()).problems).toEqual([]);
		return readdirSync(place).some((name) => name.endsWith('.tar'));
	});
	// Without a dump there is nothing to go back to.
	expect((await status()).backup?.lastAt).toBeNull();
	await server.close();

	const [name = ''] = readdirSync(place);
	expect(name).toMatch(/^formsrv-[0-9a-f]{8}-\d{8}T\d{6}Z-[0-9a-f]{32}\.tar$/);
	expect(await cli.json('backup', 'verify', join(place, name))).toMatchObject({ kind: 'archive', problems: [] });
	expect(await cli.json('drill')).toMatchObject({ backup: join(place, name), files: SIZES.length, problems: [] });
	expect((await cli.call('drill')).stdout).toContain(`: ${SIZES.length} files, each as in the backup.`);
	rmSync(cli.path('formsrv-data'), { recursive: true });
	expect(await cli.json('restore', join(place, name))).toEqual({ files: SIZES.length });
	expect(await contentsOf(store)).toEqual(before);
});

test('while files are copied, none is removed; the lock goes with the backup', async () => {
	const { cli, store, id } = await prepare(await newMigratedDatabase(), tempFolder());
	const storage = await openStorage(`${cli.env.FORMSRV_DATABASE_URL}`);
	const { backUp } = await import('../../src/backup/back-up.ts');
	const held: boolean[] = [];
	const written = await backUp({
		database: `${cli.env.FORMSRV_DATABASE_URL}`,
		beside: cli.cwd,
		place: folderPlace(cli.cwd),
		name: 'x.tar',
		report() {},
		store: {
			async read(key) {
				if (held.length === 0) await storage.submissions.remove(FORM, [id]);
				held.push(await storage.areFilesHeld());
				return store.read(key);
			},
		},
	});
	expect(written).toMatchObject({ files: SIZES.length, missing: [], changed: [] });
	expect(held).toEqual(SIZES.map(() => true));
	await until(async () => !(await storage.areFilesHeld()));
	await storage.close();
});

test('it is late without a dump, and without an archive', async () => {
	const { cli, place } = await prepare(await newMigratedDatabase(), tempFolder());
	const server = await openTestServer({ database: cli.env.FORMSRV_DATABASE_URL });
	const { config, storage, log } = server.app;

	/** The finding of a server that began to look two hours ago, and makes none itself. */
	async function look() {
		let passed = 0;
		const backups = createBackups({
			config: { ...config, backup: { ...config.backup, everyMs: HOUR_MS, to: { folder: place } } },
			storage: { ...storage, lead: () => async () => {} },
			log,
			record() {},
			now: Date.now,
			elapsed: () => passed,
		});
		passed = 2 * HOUR_MS;
		const detail = () => storage.findings.list().find(({ name }) => name === 'backup')?.detail;
		const before = detail();
		const stop = backups.start();
		await until(() => detail() !== before);
		await stop(0);
		return detail();
	}

	expect(await look()).toBe('No dump of PostgreSQL yet, no backup of attached files yet.');
	await Bun.write(join(place, 'forms.dump'), 'PGDMP');
	expect(await look()).toMatch(/^The last dump of PostgreSQL is of .*, no backup of attached files yet\.$/);
	await cli.json('backup');
	expect(await look()).toBeUndefined();
	await server.close();
});

test('what there is of the one engine is refused by the other before anything is changed', async () => {
	const { cli } = await prepare(await newMigratedDatabase(), tempFolder());
	expect(await cli.call('backup', 'x.db')).toMatchObject({
		code: 2,
		stderr: expect.stringContaining('Back up the database with pg_dump'),
	});
	const { file: alone } = await cli.json('backup', 'files.tar');
	const onFile = openCommandLine(undefined, { FORMSRV_DATABASE_URL: 'sqlite:formsrv.db' });
	expect(await onFile.call('restore', alone)).toMatchObject({
		code: 1,
		stderr: expect.stringContaining('holds the attached files of an installation on PostgreSQL'),
	});
	expect(readdirSync(onFile.cwd).filter((name) => !name.endsWith('.lock'))).toEqual([]);
	const file = await openStorage(onFile.path('formsrv.db'));
	await file.close();
	const { file: whole } = await onFile.json('backup', 'whole.tar');
	expect(await cli.call('restore', whole)).toMatchObject({
		code: 1,
		stderr: expect.stringContaining('holds a database of SQLite'),
	});
});

withProgram('pg_dump').describe('with a dump', () => {
	let postgres: PostgresServer;
	beforeAll(async () => {
		postgres = await startPostgres({ programs: installedPostgres() });
	});
	afterAll(() => postgres.stop());

	async function tool(...command: string[]): Promise<void> {
		const child = Bun.spawn(command, { stdout: 'ignore', stderr: 'pipe' });
		const said = await text(child.stderr);
		if ((await child.exited) !== 0) throw new Error(`${command[0]} failed: ${said}`);
	}

	test('by pg_dump --format=custom all of it comes back on a new server', async () => {
		const { cli, store, place } = await prepare(await makeDatabase(postgres.address(), 'forms'), tempFolder());
		const before = await contentsOf(store);
		await tool('pg_dump', '--format=custom', `--file=${join(place, 'forms.dump')}`, `${cli.env.FORMSRV_DATABASE_URL}`);
		const { file } = await cli.json('backup');
		const address = await makeDatabase(postgres.address(), 'again');
		await tool('pg_restore', '--clean', '--if-exists', '--no-owner', `--dbname=${address}`, join(place, 'forms.dump'));
		const there = openCommandLine(tempFolder(), { ...cli.env, FORMSRV_DATABASE_URL: address });
		const { stderr } = await there.call('restore', file);
		expect(stderr).toBe('');
		expect(await contentsOf(openFolder(there.path('formsrv-data/files')))).toEqual(before);
		const { findings } = JSON.parse((await there.call('doctor', '--json')).stdout);
		const of = (subject: string) => findings.find((one: { subject: string }) => one.subject === subject);
		expect(of('backup')).toMatchObject({
			found: expect.stringMatching(/^the last dump of PostgreSQL is of 2.*files is of 2/),
		});
		expect(of('files')?.problem).toBeUndefined();
	});
});
