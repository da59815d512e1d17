/** While an operator copies attached files by the tools of PostgreSQL, no server removes any. */

import { expect, test } from 'bun:test';
import { join } from 'node:path';
import postgres from 'postgres';
import { databaseAt, openStorage } from '../../../src/storage/open.ts';
import { newPostgresDatabase } from '../../postgres.ts';
import { until } from '../../until.ts';

test('the lock that docs/postgresql.md names holds the files, at each server, until its session ends', async () => {
	const page = await Bun.file(join(import.meta.dir, '../../../docs/postgresql.md')).text();
	const lock = /select pg_advisory_lock_shared\(.+?\)(?=")/.exec(page)?.[0] ?? '';
	const address = await newPostgresDatabase();
	const servers = [await openStorage(address), await openStorage(address)];
	const areHeld = () => Promise.all(servers.map((storage) => storage.areFilesHeld()));
	const operator = postgres(address, { max: 1, fetch_types: false });
	for (const storage of servers) expect(await storage.areFilesHeld()).toBe(false);
	await operator.unsafe(lock);
	expect(await areHeld()).toEqual([true, true]);
	await operator.end();
	for (const storage of servers) await until(async () => !(await storage.areFilesHeld()));
	await Promise.all(servers.map((storage) => storage.close()));
}, 30_000);

test('a backup holds the files also where the database ends sessions that are idle', async () => {
	const address = await newPostgresDatabase();
	const storage = await openStorage(address);
	const admin = postgres(address, { max: 1, fetch_types: false });
	await admin.unsafe(`alter database ${new URL(address).pathname.slice(1)} set idle_session_timeout = '20ms'`);
	const letGo = await (await databaseAt(address)).holdFiles();
	const ended = Promise.withResolvers<void>();
	const idle = postgres(address, { max: 1, fetch_types: false, onnotice() {}, onclose: () => ended.resolve() });
	await idle`select 1`;
	await ended.promise;
	expect(await storage.areFilesHeld()).toBe(true);
	letGo();
	await Promise.all([storage.close(), admin.end(), idle.end()]);
}, 30_000);
