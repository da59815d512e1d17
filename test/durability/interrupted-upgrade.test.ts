/**
 * An upgrade that is ended by SIGKILL, again and again: the database is as before or upgraded, and the next start goes on.
 * `UPGRADE_KILLS=200` tries more than the usual few.
 */

import { Database } from 'bun:sqlite';
import { afterEach, expect, test } from 'bun:test';
import { statSync } from 'node:fs';
import postgres from 'postgres';
import { BINARY, runBinary } from '../binary.ts';
import { until } from '../until.ts';
import { type Kept, openKept } from '../upgrade/open-kept.ts';
import { readTables, type Tables } from '../upgrade/rows.ts';

const KILLS = Number(process.env.UPGRADE_KILLS ?? 8);
const WITHIN_MS = 120_000 + KILLS * 10_000;
/** Deliveries beside those that are kept, of which the upgrade makes indexes. */
const DELIVERIES = 30_000;

const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
	for (const close of closers.splice(0)) await close();
});

/** Starts an upgrade. Resolves when it has ended. */
function upgrade({ cwd, env }: Kept) {
	return Bun.spawn([BINARY, 'keys', 'list'], { cwd, env, stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' });
}

/** Milliseconds of an upgrade that is left alone. */
async function upgradeTime(kept: Kept): Promise<number> {
	const began = performance.now();
	expect((await runBinary(['keys', 'list'], kept)).code).toBe(0);
	return performance.now() - began;
}

async function openLarge(): Promise<Kept> {
	const kept = await openKept('bad7c36', 'sqlite');
	const client = new Database(kept.place);
	client.run(
		`with recursive n(n) as (select 1 union all select n + 1 from n where n < ?)
		insert into deliveries (id, form_id, channel, event, state, destination)
		select n * 16, (select min(id) from forms), 'mail', 'submission.created', 'sent', 'a@example.com' from n`,
		[DELIVERIES],
	);
	client.close();
	return kept;
}

/** Each has a row for what follows an upgrade, or says who runs. */
const NOT_COUNTED = ['server_values', 'servers'];

/** The tables that have more rows than before, or fewer. */
function changedTables(now: Tables, before: Tables): string[] {
	const tables = Object.keys(before.tables).filter((table) => !NOT_COUNTED.includes(table));
	return tables.filter((table) => now.tables[table]?.length !== before.tables[table]?.length);
}

test(
	'of an SQLite file',
	async () => {
		const takesMs = await upgradeTime(await openLarge());
		let kept = await openLarge();
		const before = await readTables(kept.place);
		const seen = glance(kept.place);
		let cutOff = 0;
		let late = 0;
		for (let i = 0; i < KILLS; i++) {
			const process = upgrade(kept);
			await Bun.sleep(Math.random() * takesMs);
			process.kill('SIGKILL');
			await process.exited;
			const hasBegun = (statSync(`${kept.place}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
			const now = glance(kept.place);
			if (now.schema === before.schema) {
				if (hasBegun) cutOff++;
				expect(now).toEqual(seen);
			} else {
				late++;
				expect(changedTables(await readTables(kept.place), before)).toEqual([]);
				kept = await openLarge();
			}
		}
		console.info(`${KILLS} kills within ${Math.round(takesMs)} ms: ${cutOff} in the middle, ${late} after the commit.`);
		expect((await runBinary(['keys', 'list'], kept)).code).toBe(0);
		const after = await readTables(kept.place);
		expect(after.schema).toBeGreaterThan(before.schema);
		expect(changedTables(after, before)).toEqual([]);
	},
	WITHIN_MS,
);

/** Enough to see that nothing of an upgrade is in a file: its tables, their columns and how many rows they have. */
function glance(file: string) {
	const client = new Database(file);
	const values = (statement: string) => client.query(statement).values();
	const tables = values("select name, sql from sqlite_master where type in ('table', 'index') order by name");
	const counts = tables.map(
		([name, sql]) => `${sql}`.startsWith('CREATE TABLE') && values(`select count(*) from "${name}"`),
	);
	const [[schema] = []] = values('pragma user_version');
	const integrity = values('pragma quick_check');
	client.close();
	return { schema, integrity, tables, counts };
}

test(
	'of a PostgreSQL database, at random and behind a lock that makes it wait',
	async () => {
		const takesMs = await upgradeTime(await openKept('925288f', 'postgres'));
		let kept = await openKept('925288f', 'postgres');
		const before = await readTables(kept.place);
		let late = 0;
		for (let i = 0; i < KILLS; i++) {
			const release = i % 2 === 0 ? await lockForms(kept.place) : undefined;
			const process = upgrade(kept);
			if (release) await waiting(kept.place);
			else await Bun.sleep(Math.random() * takesMs);
			process.kill('SIGKILL');
			await process.exited;
			await release?.();
			await gone(kept.place);
			const now = await readTables(kept.place);
			if (now.schema === before.schema) expect(now).toEqual(before);
			else {
				late++;
				expect(release).toBeUndefined();
				expect(changedTables(now, before)).toEqual([]);
				kept = await openKept('925288f', 'postgres');
			}
		}
		console.info(
			`${KILLS} kills within ${Math.round(takesMs)} ms: ${Math.ceil(KILLS / 2)} behind a lock, ${late} after the commit.`,
		);
		expect((await runBinary(['keys', 'list'], kept)).code).toBe(0);
		const after = await readTables(kept.place);
		expect(after.schema).toBeGreaterThan(before.schema);
		expect(changedTables(after, before)).toEqual([]);
	},
	WITHIN_MS,
);

function connect(address: string) {
	const sql = postgres(address, { max: 1, onnotice() {} });
	closers.push(() => sql.end());
	return sql;
}

/** As a dump does: the upgrade has to wait in the middle of its transaction. */
async function lockForms(address: string): Promise<() => Promise<unknown>> {
	const sql = connect(address);
	await sql.unsafe('begin');
	await sql.unsafe('select from forms');
	return () => sql.unsafe('rollback');
}

async function waiting(address: string): Promise<void> {
	const sql = connect(address);
	const locks = () => sql`select from pg_locks where not granted and relation = 'forms'::regclass`;
	await until(async () => (await locks()).length > 0);
	await sql.end();
}

/** The server notices a lost connection only when it has something to say. */
async function gone(address: string): Promise<void> {
	const sql = connect(address);
	const others = () =>
		sql`select from pg_stat_activity where datname = current_database() and application_name like 'formsrv%'`;
	await until(async () => (await others()).length === 0);
	await sql.end();
}
