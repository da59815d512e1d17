/** Submissions in PostgreSQL over connections that break: what was acknowledged is stored, once. */

import { expect, test } from 'bun:test';
import postgres from 'postgres';
import { ID_SOURCES } from '../../../src/ids.ts';
import { Unavailable } from '../../../src/storage/errors.ts';
import { openStorage } from '../../../src/storage/open.ts';
import { forms } from '../../../src/storage/tables.ts';
import { newPostgresDatabase } from '../../postgres.ts';
import { until } from '../../until.ts';

const FORM = 7;
const PRODUCERS = 32;
const BREAKS = 15;
const HOUR_MS = 3_600_000;
const AS_THE_DATABASE_MS = 1000;

test('whatever statement the connections break at, each acknowledged submission is there exactly once', async () => {
	const address = await newPostgresDatabase();
	const sql = postgres(address, { max: 1, fetch_types: false });
	const storage = await openStorage(address);
	await storage.batch((tx) => [tx.insert(forms).values({ id: FORM, mode: 'live', slug: 's', name: 'n' })]);
	const acknowledged: number[] = [];
	let isOver = false;
	let rejected = 0;
	let sent = 0;

	async function produce(): Promise<void> {
		while (!isOver) {
			const number = ++sent;
			const rest = { formId: FORM, names: ['n'], spamReason: null, subject: null, replyTo: null };
			try {
				await storage.submissions.append({ data: `{"n":${number}}`, ...rest });
				acknowledged.push(number);
			} catch (error) {
				expect(error).toBeInstanceOf(Unavailable);
				rejected++;
				await Bun.sleep(5);
			}
		}
	}

	const producing = Array.from({ length: PRODUCERS }, produce);
	for (let breaks = 0; breaks < BREAKS; breaks++) {
		const before = acknowledged.length;
		await until(() => acknowledged.length >= before + 50, { everyMs: 2 });
		await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'formsrv writer%' and datname = current_database()`;
	}
	isOver = true;
	await Promise.all(producing);
	const stored = (await sql`select data from submissions`).map(
		({ data }) => (JSON.parse(data as string) as { n: number }).n,
	);
	expect(stored.length).toBe(new Set(stored).size);
	expect(acknowledged.filter((number) => !new Set(stored).has(number))).toEqual([]);
	expect((await storage.submissions.counts([FORM])).get(FORM)?.total).toBe(stored.length);
	expect(rejected).toBeLessThan(sent);
	await sql.end();
	await storage.close();
}, 60_000);

test('a submission whose id is taken is stored under another, and what came with it under its own', async () => {
	const address = await newPostgresDatabase();
	const rightNow = Date.now();
	const storage = await openStorage(address, { now: () => rightNow });
	await storage.batch((tx) => [tx.insert(forms).values({ id: FORM, mode: 'live', slug: 's', name: 'n' })]);
	const rest = { formId: FORM, names: ['n'], data: '{"n":1}', spamReason: null, subject: null, replyTo: null };
	// While the clock stands still, ids are one after the other.
	const taken = storage.nextId() + ID_SOURCES * (PRODUCERS / 2);
	const sql = postgres(address, { max: 1, fetch_types: false });
	await sql`insert into submissions (id, form_id, data) values (${taken}, ${FORM}, '{"n":1}')`;
	await sql.end();
	const stored = await Promise.all(Array.from({ length: PRODUCERS }, () => storage.submissions.append(rest)));
	expect(stored).not.toContain(taken);
	expect(new Set([taken, ...stored]).size).toBe(PRODUCERS + 1);
	expect((await storage.submissions.counts([FORM])).get(FORM)?.total).toBe(PRODUCERS + 1);
	await storage.close();
}, 60_000);

/** A clock that is off by `ms` until it is disposed of. */
function shiftable(clock: { now(): number }) {
	const { now } = clock;
	const rightNow = () => now.call(clock);
	const shifted = {
		ms: 0,
		rightNow,
		[Symbol.dispose](): void {
			clock.now = now;
		},
	};
	clock.now = () => rightNow() + shifted.ms;
	return shifted;
}

test('ids follow the clock of the database, also while that of the machine is set', async () => {
	using machine = shiftable(Date);
	const storage = await openStorage(await newPostgresDatabase());
	await storage.batch((tx) => [tx.insert(forms).values({ id: FORM, mode: 'live', slug: 's', name: 'n' })]);
	const row = { formId: FORM, data: '{}', names: [], spamReason: null, subject: null, replyTo: null };
	for (machine.ms of [2 * HOUR_MS, -2 * HOUR_MS]) {
		const at = storage.clock.timeline().millisOf(await storage.submissions.append(row));
		expect(Math.abs(at - machine.rightNow())).toBeLessThan(AS_THE_DATABASE_MS);
	}
	await storage.close();
}, 30_000);

test('a clock of the machine that was set, or differs from the database, lets nothing count as old', async () => {
	using machine = shiftable(Date);
	const address = await newPostgresDatabase();
	const storage = await openStorage(address);
	expect(storage.clock.isSettled()).toBe(true);
	machine.ms = 2 * HOUR_MS;
	expect(storage.clock.isSettled()).toBe(false);
	const { clock, close } = await openStorage(address);
	expect(clock.isSettled()).toBe(false);
	expect(clock.report().problem).toMatch(/^The clock of this machine says .*, and that of the database/);
	machine.ms = 0;
	expect(storage.clock.isSettled()).toBe(false);
	expect(storage.clock.report().problem).toBeNull();
	await close();
	await storage.close();
}, 30_000);

test('when the clock of the database goes ahead, as after a fail-over, storing goes on', async () => {
	// Less time passes here instead: it is their difference that counts.
	using passed = shiftable(performance);
	const storage = await openStorage(await newPostgresDatabase());
	await storage.batch((tx) => [tx.insert(forms).values({ id: FORM, mode: 'live', slug: 's', name: 'n' })]);
	passed.ms = -5000;
	const row = { formId: FORM, data: '{}', names: [], spamReason: null, subject: null, replyTo: null };
	const ids = await Promise.all([1, 2, 3].map(() => storage.submissions.append(row)));
	for (const id of ids)
		expect(Math.abs(storage.clock.timeline().millisOf(id) - Date.now())).toBeLessThan(AS_THE_DATABASE_MS);
	await storage.close();
}, 30_000);
