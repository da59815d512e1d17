/** A PostgreSQL that can be reached and takes nothing: the server says why, rejects what it cannot store, and goes on by itself. */

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import postgres from 'postgres';
import { makeDatabase, type PostgresServer, startPostgres } from '../../postgres-server.ts';
import { openTestServer, type TestServer } from '../../server.ts';
import { until } from '../../until.ts';

const CONNECTIONS = 40;
/** The server is to go on so soon after it is possible. */
const BACK_WITHIN_MS = 5000;

interface Status {
	problems: { name: string; problem: string }[];
}

let database: PostgresServer;
let admin: postgres.Sql;
let server: TestServer;
let name: string;
let acknowledged: number[];
let databases = 0;

beforeAll(async () => {
	database = await startPostgres({ settings: ['fsync=off', `max_connections=${CONNECTIONS}`] });
	const postgresAdmin = postgres(database.address(), { max: 1 });
	await postgresAdmin.unsafe('create role forms login');
	await postgresAdmin.end();
}, 60_000);
afterAll(() => database.stop('immediate'));

beforeEach(async () => {
	name = `hindered_${++databases}`;
	await makeDatabase(database.address(), name);
	admin = postgres(database.address(name), {
		max: 1,
		connection: { default_transaction_read_only: 'off' as never },
		onnotice() {},
	});
	await admin.unsafe(`alter database ${name} owner to forms`);
	const address = new URL(database.address(name));
	address.username = 'forms';
	server = await openTestServer({ database: address.href });
	await server.call('POST /api/forms', { json: { name: 'A', slug: 'a' } });
	acknowledged = [];
	for (let n = 1; n <= 5; n++) expect(await submit(n)).toBe(200);
}, 30_000);

afterEach(async () => {
	const stored = await admin`select data::json ->> 'n' as n from submissions order by id`;
	expect(stored.map((row) => Number(row.n))).toEqual(acknowledged);
	await server.close();
	await admin.end();
});

async function submit(n: number): Promise<number> {
	const { status, headers } = await server.submit('a', { n });
	if (status === 200) acknowledged.push(n);
	else expect([status, headers.get('retry-after')]).toEqual([503, '30']);
	return status;
}

const ready = async () => {
	const response = await fetch(`${server.submitUrl}/ready`);
	return { status: response.status, text: await response.text() };
};
const problems = async () => (await server.call<Status>('GET /api/status')).body.problems.map((one) => one.name);

/** New sessions have other settings from now on; those that there are end. */
const endSessions = () =>
	admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name} and pid <> pg_backend_pid()`;

async function expectBack(n: number): Promise<void> {
	const since = performance.now();
	await until(async () => (await submit(n)) === 200);
	await until(async () => (await ready()).status === 200);
	expect(performance.now() - since).toBeLessThan(BACK_WITHIN_MS);
}

test.each([
	{
		set: 'for all sessions',
		on: ['alter system set default_transaction_read_only = on', 'select pg_reload_conf()'],
		off: ['alter system reset default_transaction_read_only', 'select pg_reload_conf()'],
	},
	{
		set: 'for new sessions',
		on: ['alter role forms set default_transaction_read_only = on'],
		off: ['alter role forms reset default_transaction_read_only'],
	},
])(
	'while the database can only be read, set $set, submissions are rejected, and everything says so',
	async ({ on, off }) => {
		for (const statement of on) await admin.unsafe(statement);
		if (on.length === 1) await endSessions();
		// Also without anything that is to be stored.
		await until(async () => (await ready()).status === 503);
		expect((await ready()).text).toContain('The database can only be read: nothing is stored');
		const since = performance.now();
		expect(await submit(100)).toBe(503);
		const created = await server.call('POST /api/forms', { json: { name: 'B', slug: 'b' } });
		expect([created.status, created.headers.get('retry-after')]).toEqual([503, '30']);
		expect(performance.now() - since).toBeLessThan(1000);
		expect(await problems()).toEqual(['readOnly']);
		expect((await server.call('GET /api/forms')).status).toBe(200);
		for (const statement of off) await admin.unsafe(statement);
		await expectBack(101);
		expect(await problems()).toEqual([]);
		// No connection keeps what held for the others.
		expect(await Promise.all(Array.from({ length: 30 }, (_, i) => server.submit('a', { n: 200 + i })))).toSatisfy(
			(all: { status: number }[]) => all.every(({ status }) => status === 200),
		);
		await admin`delete from submissions where (data::json ->> 'n')::int >= 200`;
	},
	60_000,
);

/** An error of the database as of a full disk, where a statement touches a table. */
const NO_ROOM = `create or replace function no_room() returns trigger language plpgsql as
	$$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`;

test('while the disk of the database is full, submissions are rejected, and everything says so', async () => {
	await admin.unsafe(NO_ROOM);
	await admin.unsafe('create trigger no_room before insert on submissions for each row execute function no_room()');
	expect(await submit(100)).toBe(503);
	expect(await problems()).toEqual(['databaseDisk']);
	expect((await ready()).text).toContain('The disk of the database server is full');
	await admin.unsafe('drop trigger no_room on submissions');
	await expectBack(101);
	expect(await problems()).toEqual([]);
}, 60_000);

test('what lacks room of its own, as for a sort, is rejected alone: submissions are stored', async () => {
	await admin.unsafe(NO_ROOM);
	await admin.unsafe('create trigger no_room before insert on forms for each statement execute function no_room()');
	for (let n = 6; n < 16; n++) {
		expect((await server.call('POST /api/forms', { json: { name: 'B', slug: 'b' } })).status).toBe(503);
		expect(await submit(n)).toBe(200);
	}
	expect((await ready()).status).toBe(200);
	await admin.unsafe('drop trigger no_room on forms');
	await server.createForm({ name: 'B', slug: 'b' });
}, 60_000);

test('without a permission a submission is rejected for a reason that is named, and stored once it is granted', async () => {
	await admin.unsafe('revoke insert on submissions from forms');
	expect(await submit(100)).toBe(503);
	expect(await problems()).toEqual(['databaseRole']);
	expect((await ready()).text).toContain('lacks a permission in the database');
	await admin.unsafe('grant insert on submissions to forms');
	await expectBack(101);
}, 60_000);

test('while the role does not find the tables, submissions are rejected for a reason that is named', async () => {
	await admin.unsafe('alter role forms set search_path = elsewhere');
	await endSessions();
	await until(async () => (await ready()).text.includes('Tables are missing in the database'));
	expect(await submit(100)).toBe(503);
	await admin.unsafe('alter role forms reset search_path');
	await expectBack(101);
}, 60_000);

test.each(['statement_timeout', 'lock_timeout', 'transaction_timeout'])(
	'when %s of the role ends a statement, the submission is rejected for a reason that is named',
	async (timeout) => {
		await admin.unsafe(`alter role forms set ${timeout} = '300ms'`);
		await endSessions();
		await expectBack(100);
		const holder = postgres(database.address(name), { max: 1 });
		await holder.unsafe('begin');
		await holder.unsafe('select from forms for update');
		expect(await submit(101)).toBe(503);
		expect(await problems()).toContain('databaseTimeouts');
		expect((await ready()).text).toContain(timeout);
		await holder.unsafe('commit');
		await holder.end();
		await expectBack(102);
		await admin.unsafe(`alter role forms reset ${timeout}`);
	},
	60_000,
);

test('while another program locks the table, submissions are rejected, and the lock is named', async () => {
	const holder = postgres(database.address(name), { max: 1 });
	await holder.unsafe('begin; lock table submissions');
	// Those that arrive together, and behind them.
	expect(await Promise.all([101, 102, 103, 104, 105, 106].map(submit))).toEqual(Array(6).fill(503));
	expect(await problems()).toEqual(['databaseTimeouts']);
	expect((await ready()).text).toContain('end the program that holds a lock');
	await holder.unsafe('commit');
	await holder.end();
	await expectBack(107);
}, 60_000);

test('when the database server has no connection left, submissions are rejected until it has', async () => {
	const others: postgres.Sql[] = [];
	await endSessions();
	while (others.length < CONNECTIONS) {
		const one = postgres(database.address(name).replace('postgres@', 'forms@'), { max: 1, idle_timeout: 0 });
		others.push(one);
		if (
			!(await one`select 1`.then(
				() => true,
				() => false,
			))
		)
			break;
	}
	await admin`select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'formsrv%'`;
	while (others.length < 2 * CONNECTIONS) {
		const one = postgres(database.address(name).replace('postgres@', 'forms@'), { max: 1 });
		others.push(one);
		if (
			!(await one`select 1`.then(
				() => true,
				() => false,
			))
		)
			break;
	}
	await until(async () => (await submit(100)) === 503);
	await Promise.all(others.map((one) => one.end({ timeout: 1 })));
	await expectBack(101);
}, 60_000);
