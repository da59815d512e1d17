/** The numbers under which processes make ids: there are 16, and one that was killed gives its own back after a while. */

import { expect, test } from 'bun:test';
import postgres from 'postgres';
import { ID_SOURCES, IDS_PER_MILLISECOND } from '../../../src/ids.ts';
import { openStorage } from '../../../src/storage/open.ts';
import { newPostgresDatabase } from '../../postgres.ts';
import { until } from '../../until.ts';
import { append, FORM, listIds, open } from '../contract.ts';

/** Less than the ten for which a number stays taken. */
const KILLED_SECONDS_AGO = 8;
const HOUR_MS = 3_600_000;

test('a start waits for the number of a process that was killed; if as many as may live, it says so', async () => {
	const address = await newPostgresDatabase();
	await (await openStorage(address)).close();
	const sql = postgres(address, { max: 1, fetch_types: false });
	await sql`delete from servers`;
	await sql`insert into servers (number, token, seen_at)
		select n, 'another', now() from generate_series(0, ${ID_SOURCES - 1}) n`;
	const renewing = setInterval(async () => {
		await sql`update servers set seen_at = now() where number <> 5 or seen_at > now() - interval '5 s'`;
	}, 1000);
	const start = openStorage(address);
	await expect(start).rejects.toThrow('16 processes already use the database');
	await sql`update servers set seen_at = now() - ${`${KILLED_SECONDS_AGO} s`}::interval where number = 5`;
	await (await openStorage(address)).close();
	expect(await sql`select number from servers where token <> 'another'`).toMatchObject([{ number: 5 }]);
	clearInterval(renewing);
	await sql.end();
}, 60_000);

test('the number of a process that was killed before the clock was set back is free', async () => {
	const address = await newPostgresDatabase();
	await (await openStorage(address)).close();
	const sql = postgres(address, { max: 1, fetch_types: false });
	await sql`delete from servers`;
	await sql`insert into servers (number, token, seen_at)
		select n, 'another', now() + interval '1 hour' from generate_series(0, ${ID_SOURCES - 1}) n`;
	await (await openStorage(address)).close();
	expect(await sql`select number from servers where token <> 'another'`).toMatchObject([{ number: 0 }]);
	await sql.end();
}, 60_000);

test('after the clock was set back ids go on behind those that there are, in a new process and in one that was there', async () => {
	const address = await newPostgresDatabase();
	const { storage: older } = await open(async () => () => openStorage(address));
	const ahead = (Date.now() + HOUR_MS) * IDS_PER_MILLISECOND;
	const sql = postgres(address, { max: 1, fetch_types: false });
	// By a process that was killed.
	await sql`insert into submissions (id, form_id, data) values (${ahead}, ${FORM}, '{"a":"b"}')`;
	await using newer = { storage: await openStorage(address), [Symbol.asyncDispose]: () => newer.storage.close() };
	const first = await append(newer.storage);
	expect(first).toBeGreaterThan(ahead);
	await until(() => older.clock.end() > ahead, { withinMs: 50_000 });
	const second = await append(older);
	expect(second).toBeGreaterThan(ahead);
	// Those who go on from the newest get both, and so does the search.
	for (const { clock } of [older, newer.storage])
		await until(async () => (await clock.horizon()) > Math.max(first, second), { withinMs: 50_000 });
	for (const storage of [older, newer.storage])
		expect(await listIds(storage)).toEqual([ahead, first, second].sort((a, b) => a - b));
	await sql.end();
	await older.close();
}, 60_000);

test('a server that was away for longer than its number is kept stores again once others know of it', async () => {
	const address = await newPostgresDatabase();
	const { storage } = await open(async () => () => openStorage(address));
	const sql = postgres(address, { max: 1, fetch_types: false });
	await sql`update servers set seen_at = now() - interval '1 minute'`;
	await append(storage);
	expect(await sql`select seen_at > now() - interval '10 seconds' as known from servers`).toMatchObject([
		{ known: true },
	]);
	await sql.end();
	await storage.close();
});
