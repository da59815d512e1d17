/** `formsrv move`: from a real SQLite file to a real PostgreSQL and back, also when it is killed on the way. */

import { Database } from 'bun:sqlite';
import { beforeEach, expect, test } from 'bun:test';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import postgres from 'postgres';
import type { MovedTable, Storage } from '../../src/storage/contract.ts';
import { movedTables } from '../../src/storage/move.ts';
import { databaseFileAt, openStorage } from '../../src/storage/open.ts';
import { openSource as openPostgresSource, openTarget } from '../../src/storage/postgres/move.ts';
import { openTarget as openFileTarget, openSource } from '../../src/storage/sqlite/move.ts';
import { BINARY } from '../binary.ts';
import { newPostgresDatabase } from '../postgres.ts';
import { until } from '../until.ts';
import { type CommandLine, openCommandLine } from './command-line.ts';

const SECONDS = 1000;
const HOUR = 3600 * SECONDS;
const MANY = 12_000;

let cli: CommandLine;
let file: string;
let formId: number;
let url: string;

beforeEach(async () => {
	cli = openCommandLine();
	file = cli.path('formsrv-data', 'formsrv.db');
	formId = Number.parseInt((await cli.json('forms', 'create', 'Contact', '--slug', 'contact')).id, 36);
	url = await newPostgresDatabase();
});

async function withStorage<T>(use: (storage: Storage) => Promise<T>): Promise<T> {
	const storage = await openStorage(file);
	try {
		return await use(storage);
	} finally {
		await storage.close();
	}
}

async function store(storage: Storage, more: Partial<Parameters<Storage['submissions']['append']>[0]> = {}) {
	const data = more.data ?? JSON.stringify({ name: `Zoë ${storage.nextId()}`, note: 'plain' });
	const names = Object.keys(JSON.parse(data));
	const row = { formId, data, names, spamReason: null, subject: null, replyTo: null, ...more };
	return storage.submissions.append(row);
}

/** Indexes, as a server does in the background. */
async function index(place: string): Promise<void> {
	const storage = await openStorage(place);
	await storage.search.catchUp();
	await storage.close();
}

/** Rows in the tables that commands write nothing to. */
function fillTheRest(): void {
	const client = new Database(file);
	const [[submission] = []] = client.query('select max(id) from submissions').values() as [number][];
	const [[key] = []] = client.query('select max(id) from api_keys').values() as [number][];
	for (const statement of [
		`insert into webhooks (id, form_id, url, secret, events, is_active) values (16, ${formId}, 'https://x/', 's', '["a"]', 0)`,
		`insert into deliveries (id, form_id, submission_id, channel, webhook_id, event, state, destination, finished_at, content)
			values (32, ${formId}, ${submission}, 'webhook', 16, 'submission.created', 'sent', 'https://x/', 5, '{"ü":1}')`,
		`insert into files (id, form_id, submission_id, field, name, type, claimed_type, bytes, sha256, key)
			values (48, ${formId}, ${submission}, 'cv', 'é {1}.pdf', 'application/pdf', '', 7, 'ab', 'key1')`,
		`update forms set file_bytes = 7 where id = ${formId}`,
		"insert into removed_files values ('key2', 0), ('Key3', 9), ('ä', 0)",
		`insert into idempotency_keys (form_id, key, body_hash, created_at) values (${formId}, 'k"1', 'x', 1), (${formId}, 'K', 'y', 2)`,
		"insert into list_entries (id, mode, list, entry) values (64, 'live', 'block', 'domain:example.com')",
		`insert into spam_marks (submission_id, form_id, is_spam) values (${submission}, ${formId}, 1) on conflict do nothing`,
		"insert into spam_models (id, version, mode, spam, ham, counts) values (80, 1, 'live', -1, 2, '{}')",
		`insert into sessions (id, hash, key_id, mode, last_seen_at) values (96, 'h', ${key}, 'live', 1)`,
		"insert into setup_links values ('l', 1)",
		`insert into invitations values ('i', ${key}, 1)`,
		"insert into spent_challenges values ('c', 1)",
		"insert into server_values values ('secret', 'abc')",
		'insert into clock_steps values (4096, 0, 2, 2, 1)',
		`insert into imports values (${submission}, 'h')`,
		`insert into unique_values (form_id, hash, submission_id) values (${formId}, 'ab', ${submission})`,
		`insert into visitor_mails (id, address, form_id, kind, at, hour) values (32, 'ab', ${formId}, 'response', 1, 2)`,
		"insert into suppressions values ('ab', 'asked', 1)",
	])
		client.run(statement);
	client.close();
}

/** All that there is to see of a database, by the commands. */
async function everything({ call }: CommandLine) {
	const seen: Record<string, string> = {};
	for (const args of [
		['submissions', 'export', 'contact', '--format', 'ndjson', '--filter', 'all'],
		['submissions', 'export', 'contact', '--format', 'ndjson', '--filter', 'spam'],
		['submissions', 'list', 'contact', '--json'],
		['submissions', 'list', 'contact', '--json', '--filter', 'starred'],
		['submissions', 'list', 'contact', '--json', '--offset', '1500'],
		['submissions', 'list', 'contact', '--json', '--search', 'quote'],
		['forms', 'list', '--json'],
		['keys', 'list', '--json'],
		['lists', 'show', '--json'],
		['deliveries', 'list', '--json'],
	]) {
		const { stdout, stderr, code } = await call(...args);
		seen[args.join(' ')] = `${code} ${stdout} ${stderr}`;
	}
	return seen;
}

test(
	'of two moves to one empty database one is done, and the other says of which it is',
	async () => {
		const other = openCommandLine();
		await other.call('forms', 'create', 'Other', '--slug', 'other');
		const moves = await Promise.all([cli, other].map(({ call }) => call('move', '--to', url)));
		expect(moves.map(({ code }) => code).sort()).toEqual([0, 1]);
		expect(moves.find(({ code }) => code === 1)?.stderr).toMatch(/is filled by an unfinished move from|is in use/);
	},
	60 * SECONDS,
);

test(
	'all kinds of submissions, keys and settings arrive in PostgreSQL, and in a file again',
	async () => {
		await cli.call('keys', 'create', '--name', 'mine');
		await cli.call('forms', 'create', 'Second', '--slug', 'second');
		await cli.call('keys', 'create', '--form', 'contact', '--form', 'second');
		await cli.call('forms', 'update', 'contact', '--slug', 'former');
		await cli.call('forms', 'update', 'former', '--slug', 'contact');
		await withStorage(async (storage) => {
			const ids = await Promise.all(Array.from({ length: 3000 }, () => store(storage)));
			await storage.submissions.change(formId, ids.slice(10, 40), { isStarred: true });
			await storage.submissions.change(formId, ids.slice(20, 1400), { isRead: true });
			await storage.submissions.change(formId, ids.slice(2000, 2100), { isSpam: true });
			await storage.submissions.remove(formId, ids.slice(100, 150));
			await store(storage, { spamReason: 'honeypot', data: '{"pills":"💊","\\ud800":[1,{"a":"\\u0000"}]}' });
			await store(storage, {
				data: '{"name":"a quote","note":"","10":"ten","2":{"1":":"}}',
				// An object of JavaScript has 2 and 10 first.
				names: ['name', 'note', '10', '2'],
				subject: 'Quote " \\ and, {braces}',
				replyTo: 'ada@example.com',
				meta: '{"page":"/x"}',
			});
			await store(storage, { data: '{}', spamReasons: '[]' });
		});
		await index(file);
		fillTheRest();
		const before = await everything(cli);
		expect(Object.values(before).map((text) => text[0])).toEqual(Object.values(before).map(() => '0'));
		const there = await cli.json('move', '--to', url);
		expect(there.tables.find(({ table }: { table: string }) => table === 'submissions').rows).toBe(2953);
		// This test is to have rows in each table that is moved.
		expect(there.tables.filter(({ rows }: { rows: number }) => rows === 0)).toEqual([]);
		// The source is as it was.
		expect(await everything(cli)).toEqual(before);
		const onPostgres = openCommandLine(cli.cwd, { FORMSRV_DATABASE_URL: url });
		await index(url);
		expect(await everything(onPostgres)).toEqual(before);

		const sql = postgres(url, { max: 1 });
		// Commands that ended give their numbers back.
		expect((await sql`select count(*)::int n from servers where seen_at > now() - interval '30 s'`)[0]?.n).toBe(0);
		// As some databases have it, in minutes: a move is no session that someone left.
		const name = new URL(url).pathname.slice(1);
		await sql.unsafe(`alter database ${name} set idle_in_transaction_session_timeout = '20ms'`);
		await sql.end();
		// As if a move to it had been killed at its first step.
		writeFileSync(cli.path('back.db.moving.new-1'), '');
		const back = await onPostgres.call('move', '--to', 'back.db');
		expect(back).toMatchObject({
			code: 0,
			stdout: expect.stringContaining('with 2,953 submissions'),
			// Beside that file, and not beside the other.
			stderr: expect.stringContaining('Attached files were not moved'),
		});
		const again = openCommandLine(cli.cwd, { FORMSRV_DATABASE_URL: `sqlite:${cli.path('back.db')}` });
		await index(cli.path('back.db'));
		expect(await everything(again)).toEqual(before);
		expect(databaseFileAt(cli.path('back.db')).inspect('full').problems).toEqual([]);
		expect(readdirSync(cli.cwd).filter((name) => name.includes('.moving'))).toEqual([]);
	},
	60 * SECONDS,
);

test(
	'a submission that is damaged arrives as one, in PostgreSQL and in a file again, and all others as they were',
	async () => {
		const ids = await withStorage((storage) =>
			Promise.all(Array.from({ length: 8 }, () => store(storage, { data: '{"name":"Zoë \ufffd"}' }))),
		);
		const client = new Database(file);
		for (const [at, data] of [
			`cast(x'7b2261223a22fffe227d' as text)`,
			`cast(x'7b2261223a22610062227d' as text)`,
			`x'7b7d'`,
			`'{"a":'`,
			`''`,
		].entries())
			client.run(`update submissions set data = ${data} where id = ${ids[at]}`);
		client.close();
		const submissions = async ({ call }: CommandLine) => {
			const { stdout } = await call('submissions', 'export', 'contact', '--format', 'ndjson');
			return stdout.trim().split('\n');
		};
		const before = await submissions(cli);
		expect(before.filter((line) => line.includes('"damaged":true,') && line.includes('"data":{},'))).toHaveLength(5);
		expect(before.filter((line) => line.includes('"data":{"name":"Zoë \ufffd"}'))).toHaveLength(3);
		expect(await cli.call('move', '--to', url)).toMatchObject({ code: 0, stderr: '' });
		const onPostgres = openCommandLine(cli.cwd, { FORMSRV_DATABASE_URL: url });
		expect(await submissions(onPostgres)).toEqual(before);
		expect((await onPostgres.call('move', '--to', 'back.db')).code).toBe(0);
		const again = openCommandLine(cli.cwd, { FORMSRV_DATABASE_URL: `sqlite:${cli.path('back.db')}` });
		expect(await submissions(again)).toEqual(before);
	},
	60 * SECONDS,
);

test(
	'killed on the way it goes on where it was, and no server starts meanwhile',
	async () => {
		await withStorage(async (storage) => {
			await Promise.all(Array.from({ length: MANY }, () => store(storage)));
		});
		const before = await everything(cli);
		const sql = postgres(url, { max: 1 });
		const arrived = async () => {
			const [row] = await sql`select to_regclass('submissions') is not null there`;
			return row?.there ? Number((await sql`select count(*)::int n from submissions`)[0]?.n) : 0;
		};
		const child = Bun.spawn([BINARY, 'move', '--to', url], { cwd: cli.cwd, env: {}, stderr: 'ignore' });
		await until(async () => child.exitCode !== null || (await arrived()) > 0, { everyMs: 1 });
		child.kill('SIGKILL');
		await child.exited;
		const first = await arrived();
		expect(first).toBeGreaterThan(0);
		expect(first).toBeLessThan(MANY);
		const other = openCommandLine();
		await other.call('forms', 'create', 'Other');
		const onPostgres = openCommandLine(cli.cwd, { FORMSRV_DATABASE_URL: url });
		expect((await onPostgres.call('keys', 'list')).stderr).toContain('a move from');
		expect((await other.call('move', '--to', url)).stderr).toContain('filled by an unfinished move');
		expect((await cli.call('move', '--to', url)).stderr).toBe('');
		await sql.end();
		expect(await everything(onPostgres)).toEqual(before);
		// As if it had been killed between its end and the last word.
		expect((await cli.call('move', '--to', url)).stderr).toContain('that had come to its end');

		const draft = cli.path('back.db.moving');
		const back = Bun.spawn([BINARY, 'move', '--to', 'back.db'], {
			cwd: cli.cwd,
			env: onPostgres.env,
			stderr: 'ignore',
		});
		const inDraft = () => {
			if (!existsSync(`${draft}-wal`)) return 0;
			const client = new Database(draft, { readonly: true });
			const [[rows] = [0]] = client.query('select count(*) from submissions').values() as [number][];
			client.close();
			return rows;
		};
		await until(() => back.exitCode !== null || inDraft() > 0, { everyMs: 1 });
		back.kill('SIGKILL');
		await back.exited;
		expect(inDraft()).toBeGreaterThan(0);
		expect(inDraft()).toBeLessThan(MANY);
		const again = openCommandLine(cli.cwd, { FORMSRV_DATABASE_URL: `sqlite:${cli.path('back.db')}` });
		expect((await again.call('serve')).stderr).toContain('is missing, and beside it');
		expect((await onPostgres.call('move', '--to', 'back.db')).stderr).toBe('');
		expect(await everything(again)).toEqual(before);
		expect((await onPostgres.call('move', '--to', 'back.db')).stderr).toContain('that had come to its end');
	},
	60 * SECONDS,
);

/** Submissions of a machine whose clock says another time, and is set back by an hour. */
async function storeByWrongClock(aheadMs: number): Promise<void> {
	let now = Date.now() + aheadMs;
	const storage = await openStorage(file, { now: () => now, elapsed: () => 0 });
	const noServer = storage.serve();
	for (const passed of [0, 100, -HOUR, 100, 100]) {
		now += passed;
		await store(storage);
	}
	noServer();
	await storage.close();
}

test(
	'a file whose clock was set back arrives with the moments of its submissions',
	async () => {
		// Behind the form, which has the right time.
		await storeByWrongClock(-3 * HOUR);
		// Its ids run ahead for a moment: those of commands, which leave entries in the audit log, would by all that the clock was behind.
		await Bun.sleep(1 * SECONDS);
		const before = await everything(cli);
		expect(await cli.call('move', '--to', url)).toMatchObject({ code: 0, stderr: '' });
		expect(await everything(cli)).toEqual(before);
		const onPostgres = openCommandLine(cli.cwd, { FORMSRV_DATABASE_URL: url });
		expect(await everything(onPostgres)).toEqual(before);
		expect((await onPostgres.call('move', '--to', 'back.db')).code).toBe(0);
		const again = openCommandLine(cli.cwd, { FORMSRV_DATABASE_URL: `sqlite:${cli.path('back.db')}` });
		expect(await everything(again)).toEqual(before);
	},
	60 * SECONDS,
);

test(
	'while its ids run ahead of the clock a file is not moved, and the sentence says until when',
	async () => {
		await storeByWrongClock(HOUR);
		// Also the second time: the first one has left no lock behind.
		for (let tries = 0; tries < 2; tries++) {
			const { code, stderr } = await cli.call('move', '--to', url);
			expect([code, stderr]).toEqual([1, expect.stringMatching(/its ids run ahead of it until \d{4}-\d\d-\d\dT/)]);
		}
	},
	60 * SECONDS,
);

test(
	'it keeps away from a running server, from a database in use, and from the same engine',
	async () => {
		const release = databaseFileAt(file).lock();
		expect((await cli.call('move', '--to', url)).stderr).toContain('A server runs on');
		release?.();
		const storage = await openStorage(url);
		expect((await cli.call('move', '--to', url)).stderr).toContain('uses postgres://');
		await storage.close();
		const onPostgres = openCommandLine(cli.cwd, { FORMSRV_DATABASE_URL: url });
		await onPostgres.call('forms', 'create', 'Other');
		expect((await cli.call('move', '--to', url)).stderr).toContain('is in use: it has rows in the table forms');
		expect((await onPostgres.call('move', '--to', file)).stderr).toContain('exists');
		expect(await cli.call('move', '--to', 'other.db')).toMatchObject({ code: 2 });
		expect((await onPostgres.call('move', '--to', url)).code).toBe(2);
	},
	60 * SECONDS,
);

test(
	'what changed since the move was cut off is noticed at the end',
	async () => {
		const ids = await withStorage((storage) => Promise.all(Array.from({ length: 10 }, () => store(storage))));
		const target = await openTarget(url, { source: file, tables: movedTables() });
		const source = await openSource(file);
		for (const table of movedTables()) {
			for await (const rows of source.rows(table)) await target.write(table, rows);
		}
		await source.close();
		await target.close();
		await withStorage((storage) => storage.submissions.change(formId, ids.slice(3, 4), { isRead: true }));
		const { code, stderr } = await cli.call('move', '--to', url);
		expect({ code, stderr }).toEqual({
			code: 1,
			stderr: expect.stringContaining('The table submissions arrived as another (10 rows sent, 10 arrived'),
		});
		await expect(openStorage(url)).rejects.toThrow('The database is not whole');
	},
	60 * SECONDS,
);

test(
	'what changed meanwhile in PostgreSQL is noticed too, and the sentence says what to remove',
	async () => {
		await withStorage((storage) => Promise.all(Array.from({ length: 10 }, () => store(storage))));
		expect((await cli.call('move', '--to', url)).code).toBe(0);
		const source = await openPostgresSource(url, movedTables());
		const target = await openFileTarget(cli.path('back.db'), url);
		for (const table of movedTables()) for await (const rows of source.rows(table)) await target.write(table, rows);
		await target.close();
		await source.close();
		const sql = postgres(url, { max: 1 });
		await sql`update submissions set is_read = 1 where id = (select min(id) from submissions)`;
		await sql.end();
		const onPostgres = openCommandLine(cli.cwd, { FORMSRV_DATABASE_URL: url });
		const draft = cli.path('back.db.moving');
		expect((await onPostgres.call('move', '--to', 'back.db')).stderr).toEndWith(
			`was changed since the move began. Remove ${draft}, and move again.\n`,
		);
		// With its log, which is there for as long as this process has it open.
		for (const suffix of ['', '-wal', '-shm']) rmSync(draft + suffix, { force: true });
		expect((await onPostgres.call('move', '--to', 'back.db')).code).toBe(0);
	},
	60 * SECONDS,
);

test(
	'where the connection is lost, reading says so, and closing does not hide it',
	async () => {
		expect((await cli.call('move', '--to', url)).code).toBe(0);
		const admin = postgres(url, { max: 1 });
		const opened = [() => openPostgresSource(url, movedTables())];
		opened.push(async () => openTarget(await newPostgresDatabase(), { source: file, tables: movedTables() }));
		for (const open of opened) {
			const side = await open();
			await admin`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'formsrv move'`;
			const [table] = movedTables();
			const reading = Array.fromAsync(side.rows(table as MovedTable));
			await expect(reading).rejects.toThrow('The server cannot reach its database at the moment.');
			await side.close();
		}
		await admin.end();
	},
	60 * SECONDS,
);

test.each(['mysql://forms@db.example.com/forms', 's3://bucket/forms', 'sqlite:', 'postgres://db.example.com'])(
	'to %s, which is no place of a database, is said of the option',
	async (place) => {
		const { code, stderr } = await cli.call('move', '--to', place);
		expect([code, stderr]).toEqual([2, expect.stringMatching(/^--to must /)]);
	},
);
