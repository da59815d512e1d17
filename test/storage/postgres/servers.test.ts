/** The numbers under which processes make ids: there are 16, and one that was killed gives its own back after a while. */

import { expect, test } from 'bun:test';
import postgres from 'postgres';
import { ID_SOURCES } from '../../../src/ids.ts';
import { openStorage } from '../../../src/storage/open.ts';
import { newPostgresDatabase } from '../../postgres.ts';
import { append, open } from '../contract.ts';

/** Less than the ten for which a number stays taken. */
const KILLED_SECONDS_AGO = 8;

test('a start waits for the number of a process that was killed; if as many as may live, it says so', async () => {
	const address = await newPostgresDatabase();
	await (await openStorage(address)).close();
	const sql = postgres(address, { max: 1, fetch_types: false });
	await sql`delete from servers`;
	await sql`insert into servers (number, token, seen_at)
		select n, 'another', now() + interval '1 hour' from generate_series(0, ${ID_SOURCES - 1}) n`;
	const start = openStorage(address);
	await expect(start).rejects.toThrow('16 processes already use the database');
	await sql`update servers set seen_at = now() - ${`${KILLED_SECONDS_AGO} s`}::interval where number = 5`;
	await (await openStorage(address)).close();
	expect(await sql`select number from servers where token <> 'another'`).toMatchObject([{ number: 5 }]);
	await sql.end();
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
