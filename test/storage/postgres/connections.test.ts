/** Connections to PostgreSQL that break, again and again: whatever was under way fails, and none of them stays unusable. */

import { expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import postgres from 'postgres';
import { OutcomeUnknown, Unavailable } from '../../../src/storage/errors.ts';
import { openStorage } from '../../../src/storage/open.ts';
import { connect, rowsOf } from '../../../src/storage/postgres/connection.ts';
import { forms } from '../../../src/storage/tables.ts';
import { newPostgresDatabase } from '../../postgres.ts';
import { startTcpProxy } from '../../tcp-proxy.ts';
import { until } from '../../until.ts';

const BREAKS = 40;
const AT_ONCE = 12;
const FORM = 7;

test('changes and reads fail or succeed, and all succeed once no connection breaks any more', async () => {
	const address = await newPostgresDatabase();
	const sql = postgres(address, { max: 1, fetch_types: false });
	const storage = await openStorage(address);
	const faults: unknown[] = [];
	const onFault = (fault: unknown) => void faults.push(fault);
	process.on('uncaughtException', onFault);
	await storage.batch((tx) => [tx.insert(forms).values({ id: FORM, mode: 'live', slug: 's', name: 'n' })]);
	const change = () =>
		storage.batch((tx) => [
			tx.update(forms).set({ name: 'one' }).where(eq(forms.id, FORM)),
			tx.select({ id: forms.id }).from(forms),
			tx.update(forms).set({ name: 'two' }).where(eq(forms.id, FORM)),
		]);
	const read = async () => storage.db.select({ id: forms.id }).from(forms);
	let isOver = false;
	let succeeded = 0;
	const work = async (act: () => Promise<unknown>) => {
		while (!isOver) {
			try {
				await act();
				succeeded++;
			} catch (error) {
				expect(error instanceof Unavailable || error instanceof OutcomeUnknown).toBe(true);
				await Bun.sleep(1);
			}
		}
	};
	const working = Array.from({ length: AT_ONCE }, (_, i) => work(i % 2 === 0 ? change : read));
	for (let i = 0; i < BREAKS; i++) {
		const before = succeeded;
		await until(() => succeeded >= before + AT_ONCE, { everyMs: 1 });
		await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'formsrv' and datname = current_database()`;
	}
	isOver = true;
	await Promise.all(working);
	for (let i = 0; i < AT_ONCE; i++)
		expect(await Promise.all(Array.from({ length: AT_ONCE }, read))).toHaveLength(AT_ONCE);
	expect(faults).toEqual([]);
	process.off('uncaughtException', onFault);
	await Promise.all([storage.close(), sql.end()]);
}, 60_000);

test('an answer that broke off leaves nothing in the next one', async () => {
	const address = await newPostgresDatabase();
	const proxy = await startTcpProxy(address);
	const sql = connect(proxy.address, { name: 'formsrv', max: 1 });
	await rowsOf(sql, 'select 1');
	let packets = 0;
	proxy.swallow(() => ++packets > 1);
	const many = rowsOf(sql, 'select repeat(n::text, 1000) from generate_series(1, 10000) n');
	await expect(many).rejects.toBeInstanceOf(Unavailable);
	proxy.swallow(() => false);
	expect(await rowsOf(sql, 'select 7')).toEqual([[7]]);
	await sql.end();
	await proxy.close();
}, 60_000);

test('after a transaction that a setting of its session ended, the next one has the settings of the database', async () => {
	const address = await newPostgresDatabase();
	const sql = postgres(address, { max: 1 });
	const name = new URL(address).pathname.slice(1);
	await sql.unsafe(`alter database ${name} set statement_timeout = '50ms'`);
	const pool = connect(address, { name: 'test', max: 1 });
	const take = () => pool.begin((tx) => rowsOf(tx, 'select pg_sleep(0.2)'));
	await expect(take()).rejects.toBeInstanceOf(Unavailable);
	await sql.unsafe(`alter database ${name} reset statement_timeout`);
	expect(await take()).toHaveLength(1);
	await pool.end();
	await sql.end();
});

test('what statements rely on is set, whatever the role has, and a commit waits for the disk', async () => {
	const address = await newPostgresDatabase();
	await using admin = connect(address, { name: 'test', max: 1 });
	const values: Record<string, [ofRole: string, used: string]> = {
		default_transaction_isolation: ['repeatable read', 'read committed'],
		array_nulls: ['off', 'on'],
		bytea_output: ['escape', 'hex'],
		extra_float_digits: ['-10', '1'],
		synchronous_commit: ['off', 'on'],
	};
	const database = new URL(address).pathname.slice(1);
	const set = (name: string, value: string) => rowsOf(admin, `alter database ${database} set ${name} = '${value}'`);
	for (const [name, [ofRole]] of Object.entries(values)) await set(name, ofRole);
	await using sql = connect(address, { name: 'test', max: 1 });
	for (const [name, [, used]] of Object.entries(values)) expect(await rowsOf(sql, `show ${name}`)).toEqual([[used]]);
	await set('synchronous_commit', 'remote_apply');
	await using next = connect(address, { name: 'test', max: 1 });
	expect(await rowsOf(next, 'show synchronous_commit')).toEqual([['remote_apply']]);
});

test('a statement that waits for a lock ends with its connection, so that the server has one for the next', async () => {
	const address = await newPostgresDatabase();
	const admin = postgres(address, { max: 1, fetch_types: false });
	await admin.unsafe('create table locked (id int)');
	await admin.unsafe('begin; lock table locked in exclusive mode');
	const waiting = async () =>
		(await admin`select from pg_locks where relation = 'locked'::regclass and not granted`).count;
	const sql = connect(address, { name: 'test', max: 1 });
	const left = rowsOf(sql, 'insert into locked values (1)').catch((error: unknown) => error);
	await until(async () => (await waiting()) > 0);
	await sql.end(0);
	expect(await left).toBeInstanceOf(Unavailable);
	await until(async () => (await waiting()) === 0);
	await admin.end();
}, 30_000);

test('a server that takes connections and says nothing is named by the error', async () => {
	using mute = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
	await using sql = connect(`postgres://u@127.0.0.1:${mute.port}/d?sslmode=disable`, { name: 'formsrv', max: 1 });
	const error = await rowsOf(sql, 'select 1').catch((caught) => caught);
	expect(Bun.inspect(error)).toContain(`CONNECT_TIMEOUT 127.0.0.1:${mute.port}`);
});
