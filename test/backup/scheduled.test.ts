/** Backups that a server makes by itself: each is verified, old ones go, and what is wrong is said. */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import {
	copyFileSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	utimesSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { AuditLog } from '../../src/audit/schema.ts';
import { archiveName, INSTALLATION, keptArchives } from '../../src/backup/names.ts';
import { folderPlace } from '../../src/backup/place.ts';
import { prune } from '../../src/backup/prune.ts';
import { createBackups, lastBackup, lastDump } from '../../src/backup/schedule.ts';
import type { Status } from '../../src/dashboard/status/schema.ts';
import { openFolder } from '../../src/files/folder.ts';
import { openStorage } from '../../src/storage/open.ts';
import { readServerValue } from '../../src/storage/server-values.ts';
import { type CommandLine, openCommandLine } from '../cli/command-line.ts';
import { type S3Server, startS3Server } from '../files/s3-server.ts';
import { openTestServer, type TestServer } from '../server.ts';
import { tempFolder } from '../temp-folder.ts';
import { until } from '../until.ts';
import { newAgeKey } from './age-key.ts';
import { changeByte } from './changed-bytes.ts';
import { addForm, submitFiles } from './visitors-files.ts';

setDefaultTimeout(60_000);

const HOUR_MS = 3_600_000;

let folder: string;
const servers: TestServer[] = [];
beforeEach(() => {
	folder = tempFolder();
});
afterEach(async () => {
	for (const server of servers.splice(0)) await server.close();
});

async function open(settings: Record<string, string> = {}) {
	const server = await openTestServer({
		settings: { FORMSRV_BACKUP_EVERY: '1h', FORMSRV_BACKUP_TO: folder, ...settings },
	});
	servers.push(server);
	return server;
}

const statusOf = async (server: TestServer) => (await server.call<Status>('GET /api/status')).body;

const isBackedUp = (server: TestServer) => async () => (await statusOf(server)).backup?.lastAt;
const problemOf = (server: TestServer) => async () =>
	(await statusOf(server)).problems.find(({ name }) => name === 'backup')?.detail;

describe('a server with FORMSRV_BACKUP_EVERY', () => {
	test('makes one that verify accepts, and says when; the next server on the database makes none before it is due', async () => {
		const server = await open();
		const lastAt = await until(isBackedUp(server));
		const [name = '', ...others] = readdirSync(folder);
		expect(others).toEqual([]);
		expect(name).toMatch(/^formsrv-[0-9a-f]{8}-\d{8}T\d{6}Z-[0-9a-f]{32}\.tar$/);
		const status = await statusOf(server);
		expect(status).toMatchObject({ health: 'ok', backup: { everySeconds: 3600, lastAt } });
		expect(status.backup?.ageSeconds).toBeLessThan(60);
		const cli = openCommandLine();
		expect((await cli.call('backup', 'verify', join(folder, name))).code).toBe(0);
		const [entry] = await until(async () => {
			const { entries } = (await server.call<AuditLog>('GET /api/audit?action=backup')).body;
			return entries.length > 0 && entries;
		});
		expect(entry).toMatchObject({ actor: { kind: 'server' }, details: { facts: { backup: join(folder, name) } } });

		const again = await openTestServer({
			database: server.app.config.database,
			settings: { FORMSRV_BACKUP_EVERY: '1h', FORMSRV_BACKUP_TO: folder },
		});
		servers.push(again);
		await until(isBackedUp(again));
		expect(readdirSync(folder)).toEqual([name]);
	});

	test('says that a place is not there, which it does not make', async () => {
		const away = join(folder, 'disk');
		const server = await open({ FORMSRV_BACKUP_TO: away });
		expect(await until(problemOf(server))).toBe(`There is no folder ${away}.`);
		expect((await statusOf(server)).health).toContain('A backup is overdue, or could not be made');
		writeFileSync(away, 'no folder');
		const cli = openCommandLine(folder, {
			FORMSRV_BACKUP_TO: away,
			FORMSRV_DATABASE_URL: `sqlite:${server.app.config.database}`,
		});
		expect((await cli.call('backup')).code).toBe(1);
		expect(readFileSync(away, 'utf8')).toBe('no folder');
	});

	test('says that the program could not be run', async () => {
		const { execPath } = process;
		process.execPath = join(folder, 'none');
		try {
			const server = await open();
			expect(await until(problemOf(server))).toContain('No backup yet. It could not be run: ');
			expect(readdirSync(folder)).toEqual([]);
		} finally {
			process.execPath = execPath;
		}
	});

	test('says that none was made for too long, also if its clock was ahead when it started', async () => {
		const server = await openTestServer();
		servers.push(server);
		const { config, storage, log } = server.app;
		let [at, passed] = [Date.now() + 1000 * HOUR_MS, 0];
		const backups = createBackups({
			config: { ...config, backup: { ...config.backup, everyMs: HOUR_MS, to: { folder } } },
			// Another server makes the backups.
			storage: { ...storage, lead: () => async () => {} },
			log,
			record() {},
			now: () => at,
			elapsed: () => passed,
		});
		[at, passed] = [at - 1000 * HOUR_MS, HOUR_MS + 1];
		const stop = backups.start();
		expect(await until(problemOf(server))).toBe('No backup yet.');
		await stop(0);
	});

	test('says that a bucket cannot be reached, and goes on storing', async () => {
		const server = await open({
			FORMSRV_BACKUP_TO: 's3://forms/away',
			FORMSRV_S3_ENDPOINT: 'http://127.0.0.1:9',
			FORMSRV_S3_ACCESS_KEY_ID: 'x',
			FORMSRV_S3_SECRET_ACCESS_KEY: 'x',
		});
		expect(await until(problemOf(server))).toContain('The S3 service at http://127.0.0.1:9 cannot be reached');
		expect((await server.call('POST /api/forms', { json: { name: 'Contact' } })).status).toBe(201);
	});
});

describe('settings that do not fit', () => {
	test.each([
		[{ FORMSRV_BACKUP_EVERY: '1h' }, 'FORMSRV_BACKUP_TO must be set'],
		[{ FORMSRV_BACKUP_EVERY: '59m' }, 'must be a time from 1h to 30d'],
		[{ FORMSRV_BACKUP_EVERY: '31d' }, 'must be a time from 1h to 30d'],
		[{ FORMSRV_BACKUP_TO: 's3://forms/x' }, 'FORMSRV_S3_ACCESS_KEY_ID must be set when FORMSRV_BACKUP_TO names'],
		[{ FORMSRV_BACKUP_RECIPIENT: 'AGE-SECRET-KEY-1QQQ' }, 'must be a public key of age'],
	])('are rejected: %j', async (env, sentence) => {
		const { code, stderr } = await openCommandLine(folder, { FORMSRV_DATA_DIR: folder, ...env }).call('doctor');
		expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(sentence) });
	});
});

describe('pruning', () => {
	const ID = '0a1b2c3d';
	const START = Date.parse('2026-01-31T00:00:00Z');

	/** An archive of that hour, as small as one can be for this. */
	function write(hour: number, id = ID): string {
		const content = `archive ${hour}`;
		const sha256 = new Bun.CryptoHasher('sha256').update(content).digest('hex');
		const name = archiveName({ id, madeAt: new Date(START + hour * HOUR_MS), sha256 }, false);
		writeFileSync(join(folder, name), content);
		return name;
	}

	test('leaves the newest, and removes nothing that is damaged, of another installation, later, or of someone else', async () => {
		const [oldest = '', old = '', ...rest] = [0, 1, 2, 3, 4].map((hour) => write(hour));
		writeFileSync(join(folder, old), 'damaged');
		const later = write(1000);
		const others = [write(0, 'ffffffff'), 'formsrv-2026-01-31.tar', 'x.db', `${oldest}.bak`, `x${oldest}`];
		for (const name of others.slice(1)) writeFileSync(join(folder, name), 'mine');
		const pruned = await prune(folderPlace(folder), { newest: `${rest.at(-1)}`, keep: 3 });
		expect(pruned).toEqual({ removed: [oldest], damaged: [old] });
		expect(readdirSync(folder).sort()).toEqual([old, ...rest, later, ...others].sort());
	});

	test('leaves the one that was just made, also as the only one', async () => {
		const names = [write(0), write(1)];
		expect(await prune(folderPlace(folder), { newest: `${names[1]}`, keep: 1 })).toEqual({
			removed: [names[0] ?? ''],
			damaged: [],
		});
		expect(readdirSync(folder)).toEqual(names.slice(1));
	});

	test('and being due do not mind a clock that was ahead', () => {
		const names = [write(1), write(2), write(1000)].map((name) => ({ name }));
		expect(lastBackup(names, { id: ID, now: START + 3 * HOUR_MS })?.madeAt).toBe(START + 2 * HOUR_MS);
		expect(lastBackup(names, { id: 'ffffffff', now: START + 3 * HOUR_MS })).toBeUndefined();
		expect(lastBackup(names, { now: START })).toBeUndefined();
		expect(keptArchives(names).map(({ name }) => ({ name }))).toEqual(names.toReversed());
	});
});

test('of PostgreSQL, a dump that pg_dump made counts as the last backup', async () => {
	const now = Date.now();
	const write = (name: string, content: string, hours: number) => {
		writeFileSync(join(folder, name), content);
		utimesSync(join(folder, name), (now + hours * HOUR_MS) / 1000, (now + hours * HOUR_MS) / 1000);
	};
	const last = async () => Math.round((((await lastDump(folderPlace(folder), now)) ?? Number.NaN) - now) / HOUR_MS);
	expect(await last()).toBeNaN();
	write('old.dump', 'PGDMP...', -30);
	write('empty.dump', '', -1);
	write('other.dump', 'no dump', -2);
	write('forms.sql', 'PGDMP', -3);
	write('ahead.dump', 'PGDMP', 30);
	expect(await last()).toBe(-30);
	write('new.dump', 'PGDMP...', -5);
	expect(await last()).toBe(-5);
});

test('a place lists only what can be a backup by its name', async () => {
	const archive = archiveName({ id: '0a1b2c3d', madeAt: new Date(), sha256: 'ab'.repeat(32) }, true);
	for (const name of [archive, 'forms.dump', 'forms.sql', `${archive}.partial`, `x${archive}`])
		writeFileSync(join(folder, name), '');
	const listed = await folderPlace(folder).list();
	expect(listed.map(({ name }) => name).sort()).toEqual([archive, 'forms.dump'].sort());
});

describe('formsrv backup without a name', () => {
	let cli: CommandLine;
	beforeEach(async () => {
		cli = openCommandLine(undefined, { FORMSRV_BACKUP_TO: folder, FORMSRV_BACKUP_KEEP: '2' });
		mkdirSync(cli.path('formsrv-data'));
		const storage = await openStorage(cli.path('formsrv-data', 'formsrv.db'));
		await addForm(storage);
		await submitFiles(storage, openFolder(cli.path('formsrv-data', 'files')), [10, 100_000]);
		await storage.close();
	});

	/** As if it had been made so many hours earlier. */
	function age(name: string, hours: number): string {
		const [kept] = keptArchives([{ name }]);
		if (!kept) throw new Error(`${name} is no archive.`);
		const madeAt = new Date(kept.madeAt - hours * HOUR_MS);
		const older = archiveName({ id: kept.id, madeAt, sha256: kept.sha256 }, name.endsWith('.age'));
		renameSync(join(folder, name), join(folder, older));
		return older;
	}

	const made = async () => (await cli.json('backup')).file.slice(folder.length + 1);

	test('keeps as many as it should, and what is needed to go back to files that are lost', async () => {
		const [third, second] = [age(await made(), 3), age(await made(), 2)];
		const first = age(await made(), 1);
		expect(readdirSync(folder).sort()).toEqual([second, first].sort());
		expect(third).toBeDefined();
		rmSync(cli.path('formsrv-data', 'files'), { recursive: true });
		const { code, stderr } = await cli.call('backup');
		expect({ code, stderr }).toEqual({
			code: 0,
			stderr: expect.stringContaining('Older backups, which may have these files, were not'),
		});
		expect(readdirSync(folder)).toHaveLength(3);
	});

	test('leaves nothing under a name if it is ended in the middle, and the next one removes what it left', async () => {
		const data = cli.path('formsrv-data');
		for (const path of [join(folder, 'formsrv-00000000.partial'), join(data, 'backup.partial.db')])
			writeFileSync(path, 'half');
		const name = await made();
		expect(readdirSync(folder)).toEqual([name]);
		expect(readdirSync(data).filter((entry) => entry.includes('partial'))).toEqual([]);
	});

	test('is what doctor looks at', async () => {
		cli.env.FORMSRV_BACKUP_EVERY = '2h';
		const finding = async () =>
			JSON.parse((await cli.call('doctor', '--json')).stdout).findings.find(
				({ subject }: { subject: string }) => subject === 'backup',
			);
		expect((await finding()).problem).toContain('Overdue, as FORMSRV_BACKUP_EVERY is 2h: no backup yet');
		const name = await made();
		expect(await finding()).toMatchObject({ found: expect.stringContaining('the last backup is of 2') });
		expect((await finding()).problem).toBeUndefined();
		age(name, 4);
		expect((await finding()).problem).toContain('Overdue');
		rmSync(folder, { recursive: true });
		expect((await finding()).problem).toBe(`There is no folder ${folder}.`);
	});

	test('drill tries the newest, names what differs now, and leaves nothing behind', async () => {
		const name = await made();
		const storage = await openStorage(cli.path('formsrv-data', 'formsrv.db'));
		await submitFiles(storage, openFolder(cli.path('formsrv-data', 'files')), [5]);
		await storage.close();
		const before = readdirSync(tmpdir()).filter((entry) => entry.startsWith('formsrv-drill'));
		const report = await cli.json('drill');
		expect(report).toMatchObject({ backup: join(folder, name), files: 2, problems: [] });
		const rows = new Map(report.tables.map((table: { table: string }) => [table.table, table]));
		expect(rows.get('submissions')).toMatchObject({ rows: 1, same: 1, changed: 0, missing: 0, added: 1 });
		expect(rows.get('files')).toMatchObject({ rows: 2, same: 2, added: 1 });
		expect(readdirSync(tmpdir()).filter((entry) => entry.startsWith('formsrv-drill'))).toEqual(before);
		expect((await cli.call('drill')).stdout).toContain('each as in the backup.');
		changeByte(join(folder, name), 600);
		expect(await cli.call('drill')).toMatchObject({
			code: 1,
			stderr: expect.stringContaining('formsrv.db is changed'),
		});
	});
});

test('an installation has its identity from its first start, also without a place of backups', async () => {
	const server = await openTestServer();
	servers.push(server);
	const id = await until(() => readServerValue(server.app.storage, INSTALLATION));
	const cli = openCommandLine(undefined, {
		FORMSRV_BACKUP_TO: folder,
		FORMSRV_DATABASE_URL: `sqlite:${server.app.config.database}`,
	});
	const { file } = await cli.json('backup');
	expect(keptArchives([{ name: basename(file) }])[0]?.id).toBe(id.slice(0, 8));
});

test('drill takes the newest of the installation that is here, and without a database the newest of all, never one of the future', async () => {
	const server = await openTestServer();
	servers.push(server);
	await until(() => readServerValue(server.app.storage, INSTALLATION));
	const cli = openCommandLine(undefined, {
		FORMSRV_BACKUP_TO: folder,
		FORMSRV_DATABASE_URL: `sqlite:${server.app.config.database}`,
	});
	const [mine] = keptArchives([{ name: (await cli.json('backup')).file.slice(folder.length + 1) }]);
	if (!mine) throw new Error('There is no archive.');
	const copy = (id: string, madeAt: number) => {
		const name = archiveName({ id, madeAt: new Date(madeAt), sha256: mine.sha256 }, false);
		copyFileSync(join(folder, mine.name), join(folder, name));
		return join(folder, name);
	};
	const later = copy('ffffffff', mine.madeAt + 1000);
	copy(mine.id, mine.madeAt + HOUR_MS);
	expect((await cli.json('drill')).backup).toBe(join(folder, mine.name));
	expect((await cli.json('drill', '--database-url', 'sqlite:none.db')).backup).toBe(later);
	rmSync(join(folder, mine.name));
	expect(await cli.call('drill')).toMatchObject({
		code: 1,
		stderr: expect.stringContaining(`There is no backup of this installation, ${mine.id}, in ${folder}.`),
	});
});

describe('a bucket', () => {
	let s3: S3Server;
	beforeAll(async () => {
		s3 = await startS3Server();
	});
	afterAll(() => s3.stop());

	test('takes what was acknowledged before, encrypted, under load, and drill finds all of it', async () => {
		const cli = openCommandLine();
		const key = await newAgeKey(cli.path('key.txt'));
		const { s3: place } = s3.newPlace('');
		const settings = {
			FORMSRV_BACKUP_TO: `s3://${place.bucket}/${place.prefix}`,
			FORMSRV_S3_ENDPOINT: s3.endpoint,
			FORMSRV_S3_ACCESS_KEY_ID: place.accessKeyId,
			FORMSRV_S3_SECRET_ACCESS_KEY: place.secretAccessKey,
			FORMSRV_BACKUP_RECIPIENT: key.recipient,
			FORMSRV_RATE_SUBMIT: '0',
		};
		const server = await openTestServer({ settings: { ...settings, FORMSRV_BACKUP_EVERY: '1h' } });
		servers.push(server);
		const form = await server.createForm<{ slug: string }>({ name: 'Contact' });
		const acknowledged: { at: number; id: string }[] = [];
		let isDone = false;
		const load = (async () => {
			for (let n = 0; !isDone; n++) {
				const { status, headers } = await server.submit(form.slug, { n });
				if (status === 200) acknowledged.push({ at: Date.now(), id: `${headers.get('Formsrv-Submission-Id')}` });
			}
		})();
		const lastAt = await until(isBackedUp(server));
		isDone = true;
		await load;
		expect((await statusOf(server)).health).toBe('ok');
		Object.assign(cli.env, settings, { FORMSRV_DATABASE_URL: `sqlite:${server.app.config.database}` });
		const report = await cli.json('drill', '--identity', 'key.txt');
		expect(report.problems).toEqual([]);
		const { rows, same } = report.tables.find(({ table }: { table: string }) => table === 'submissions');
		// The name says the second in which it began.
		const before = acknowledged.filter(({ at }) => at < Date.parse(`${lastAt}`));
		expect(rows).toBeGreaterThanOrEqual(before.length);
		expect(same).toBe(rows);
		expect(existsSync(server.app.config.database)).toBe(true);
		const { backup } = report;
		expect(
			await cli.json('restore', backup, '--identity', 'key.txt', '--database-url', 'sqlite:restored.db'),
		).toMatchObject({ files: 0 });
	});
});
