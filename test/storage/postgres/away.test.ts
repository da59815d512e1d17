/** A database in PostgreSQL that is away for a while, or does not get its answers through. */

import { afterEach, expect, test } from 'bun:test';
import postgres from 'postgres';
import type { Storage } from '../../../src/storage/contract.ts';
import { OutcomeUnknown, Unavailable } from '../../../src/storage/errors.ts';
import { openStorage } from '../../../src/storage/open.ts';
import { forms } from '../../../src/storage/tables.ts';
import { newPostgresDatabase } from '../../postgres.ts';
import { openTestServer } from '../../server.ts';
import { startTcpProxy, type TcpProxy } from '../../tcp-proxy.ts';
import { until } from '../../until.ts';

const FORM = 7;
const PRODUCERS = 16;
const SUBMISSIONS = 1500;
const CHANGES = 400;
/** One of so many packets of the server. */
const LOST_OF = 20;

let proxy: TcpProxy | undefined;
let storage: Storage | undefined;

afterEach(async () => {
	proxy?.swallow(() => false);
	proxy?.restore();
	await storage?.close();
	await proxy?.close();
});

async function open(): Promise<{ address: string; opened: Storage; through: TcpProxy }> {
	const address = await newPostgresDatabase();
	const through = await startTcpProxy(address);
	const opened = await openStorage(through.address);
	proxy = through;
	storage = opened;
	await opened.batch((tx) => [tx.insert(forms).values({ id: FORM, mode: 'live', slug: 's', name: 'n' })]);
	return { address, opened, through };
}

const append = (to: Storage, number: number) => {
	const rest = { formId: FORM, names: ['n'], spamReason: null, subject: null, replyTo: null };
	return to.submissions.append({ data: `{"n":${number}}`, ...rest });
};

async function storedAt(address: string): Promise<number[]> {
	const sql = postgres(address, { max: 1, fetch_types: false });
	const rows = await sql<{ data: string }[]>`select data from submissions`;
	await sql.end();
	return rows.map(({ data }) => (JSON.parse(data) as { n: number }).n);
}

test('while it is away submissions are refused at once, and taken again when it is back', async () => {
	const { opened, through } = await open();
	await append(opened, 1);
	through.cut();
	const inFlight = append(opened, 2).catch(() => {});
	await until(() => opened.findings.has('database'));
	const asked = performance.now();
	await expect(append(opened, 3)).rejects.toBeInstanceOf(Unavailable);
	await expect(opened.batch((tx) => [tx.update(forms).set({ name: 'New' })])).rejects.toBeInstanceOf(Unavailable);
	await expect((async () => opened.db.select().from(forms))()).rejects.toBeInstanceOf(Unavailable);
	expect(performance.now() - asked).toBeLessThan(500);
	through.restore();
	await until(() => !opened.findings.has('database'));
	await append(opened, 4);
	await inFlight;
}, 30_000);

test('a change that was refused because the database fell silent is not made when it speaks again', async () => {
	const { address, opened, through } = await open();
	const other = postgres(address, { max: 1, fetch_types: false });
	const inTransaction = async () => {
		const [row] = await other`select count(*)::int n from pg_stat_activity
			where datname = current_database() and pid <> pg_backend_pid() and state like 'idle in transaction%'`;
		return row?.n > 0;
	};
	const isBlocked = async () => (await other`select 1 from pg_locks where not granted`).length > 0;
	await other.unsafe('begin');
	await other`select 1 from forms for update`;
	const change = opened.batch((tx) => [tx.update(forms).set({ name: 'New' })]);
	await until(isBlocked);
	through.silence();
	await expect(change).rejects.toBeInstanceOf(Unavailable);
	await other.unsafe('commit');
	through.restore();
	await until(async () => !opened.findings.has('database') && !(await inTransaction()));
	const [form] = await other`select name from forms`;
	await other.end();
	expect(form?.name).toBe('n');
}, 60_000);

test('when answers are lost on their way, what a change says of itself is true', async () => {
	const { address, opened, through } = await open();
	const said = { done: [] as number[], not: [] as number[], unknown: [] as number[] };
	let packets = 0;
	through.swallow(() => ++packets % LOST_OF === 0);
	const isComplete = () => Object.values(said).every(({ length }) => length > 0);
	let next = 100;
	const change = async () => {
		while (next < CHANGES || !isComplete()) {
			const id = ++next;
			const form = { id, mode: 'live', slug: `s${id}`, name: 'n' } as const;
			try {
				await opened.batch((tx) => [tx.insert(forms).values(form), tx.update(forms).set({ name: 'm' })]);
				said.done.push(id);
			} catch (error) {
				const isUnknown = error instanceof OutcomeUnknown;
				if (!isUnknown) expect(error).toBeInstanceOf(Unavailable);
				said[isUnknown ? 'unknown' : 'not'].push(id);
				await Bun.sleep(5);
			}
		}
	};
	await Promise.all(Array.from({ length: 4 }, change));
	through.swallow(() => false);
	const sql = postgres(address, { max: 1, fetch_types: false });
	const stored = new Set((await sql`select id from forms`).map(({ id }) => Number(id)));
	await sql.end();
	expect(said.done.filter((id) => !stored.has(id))).toEqual([]);
	expect(said.not.filter((id) => stored.has(id))).toEqual([]);
}, 60_000);

test('while it is away, what would have to read it answers 503 with Retry-After, and no 500', async () => {
	const through = await startTcpProxy(await newPostgresDatabase());
	proxy = through;
	const server = await openTestServer({ database: through.address });
	const { body } = await server.call<{ id: string }>('POST /api/forms', { json: { name: 'A', slug: 'a' } });
	through.cut();
	const routes = [
		'/api/forms',
		`/api/forms/${body.id}`,
		`/api/forms/${body.id}/submissions`,
		'/api/deliveries',
	] as const;
	for (const route of routes) {
		const { status, headers } = await server.call(`GET ${route}`);
		expect([route, status, headers.get('retry-after')]).toEqual([route, 503, '30']);
	}
	through.restore();
	await until(async () => (await server.call('GET /api/forms')).status === 200);
	await server.close();
}, 30_000);

test('when answers are lost on their way, each acknowledged submission is there exactly once', async () => {
	const { address, opened, through } = await open();
	const acknowledged = new Set<number>();
	let next = 0;
	let cuts = 0;
	let packets = 0;
	through.swallow(() => {
		const isLost = ++packets % LOST_OF === 0;
		if (isLost) cuts++;
		return isLost;
	});
	const produce = async () => {
		while (next < SUBMISSIONS) {
			const number = ++next;
			try {
				await append(opened, number);
				acknowledged.add(number);
			} catch (error) {
				expect(error).toBeInstanceOf(Unavailable);
				await Bun.sleep(20);
			}
		}
	};
	await Promise.all(Array.from({ length: PRODUCERS }, produce));
	through.swallow(() => false);
	const stored = await storedAt(address);
	expect(cuts).toBeGreaterThan(0);
	expect(acknowledged.size).toBeGreaterThan(0);
	expect(stored.length).toBe(new Set(stored).size);
	expect([...acknowledged].filter((number) => !stored.includes(number))).toEqual([]);
}, 60_000);

test('a cut that the server does not notice is found out: what it stored meanwhile is acknowledged', async () => {
	const { address, opened, through } = await open();
	await append(opened, 1);
	const other = postgres(address, { max: 1, fetch_types: false });
	await other.unsafe('begin');
	await other`select from forms where id = ${FORM} for update`;
	const waiting = append(opened, 2);
	const isAtWork = async () => (await other`select from pg_stat_activity where wait_event_type = 'Lock'`).length > 0;
	await until(isAtWork);
	through.sever();
	await other.unsafe('commit');
	await waiting;
	expect(await storedAt(address)).toEqual([1, 2]);
	await append(opened, 3);
	await other.end();
}, 30_000);
