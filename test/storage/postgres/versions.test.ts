/** Several programs that start at once on a new database, and servers of two versions on one. */

import { expect, test } from 'bun:test';
import { chmodSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { assetPath } from '../../../src/assets.ts';
import { openStorage } from '../../../src/storage/open.ts';
import { connect, rowsOf } from '../../../src/storage/postgres/connection.ts';
import { migrate } from '../../../src/storage/postgres/migrate.ts';
import { forms } from '../../../src/storage/tables.ts';
import { newPostgresDatabase } from '../../postgres.ts';
import { openTestServer } from '../../server.ts';
import { tempFolder } from '../../temp-folder.ts';
import { until } from '../../until.ts';

const AT_ONCE = 6;

test('of several that start at once on a new database one makes the tables, and the others wait for it', async () => {
	const address = await newPostgresDatabase();
	const opened = await Promise.all(Array.from({ length: AT_ONCE }, () => openStorage(address)));
	await Promise.all(
		opened.map((storage, i) =>
			storage.batch((tx) => [
				tx.insert(forms).values({ id: storage.nextId(), mode: 'live', slug: `s${i}`, name: 'n' }),
			]),
		),
	);
	for (const storage of opened) expect(await storage.db.select().from(forms)).toHaveLength(AT_ONCE);
	await Promise.all(opened.map((storage) => storage.close()));
}, 60_000);

test('a server goes on beside a newer one that added to the tables; an older one does not start there', async () => {
	const database = await newPostgresDatabase();
	const server = await openTestServer({ database });
	const { id } = await server.createForm<{ id: string }>({ name: 'A', slug: 'a' });
	expect((await server.submit('a', { n: 1 })).status).toBe(200);
	const newer = postgres(database, { max: 1, fetch_types: false });
	for (const table of ['forms', 'submissions', 'deliveries', 'api_keys', 'sessions', 'webhooks'])
		await newer.unsafe(`alter table ${table} add column of_a_newer_version text not null default 'x'`);
	await newer`update formsrv_schema set version = version + 1`;
	await newer.end();
	expect((await server.submit('a', { n: 2 })).status).toBe(200);
	expect((await server.call(`PATCH /api/forms/${id}`, { json: { name: 'B' } })).status).toBe(200);
	const { body } = await server.call<{ submissions: { data: unknown }[] }>(`GET /api/forms/${id}/submissions`);
	expect(body.submissions.map(({ data }) => data)).toEqual([{ n: 2 }, { n: 1 }]);
	await expect(openStorage(database)).rejects.toThrow('newer formsrv');
	await server.close();
}, 60_000);

test('a newer server that has to wait for a dump before it can change the tables holds up nobody for long', async () => {
	const database = await newPostgresDatabase();
	const server = await openTestServer({ database });
	await server.call('POST /api/forms', { json: { name: 'A', slug: 'a' } });
	const folder = tempFolder();
	cpSync(assetPath('drizzle', 'postgres'), folder, { recursive: true });
	for (const path of ['.', 'meta', 'meta/_journal.json']) chmodSync(join(folder, path), 0o755);
	const journal = JSON.parse(readFileSync(join(folder, 'meta/_journal.json'), 'utf8'));
	journal.entries.push({ tag: 'newer' });
	writeFileSync(join(folder, 'meta/_journal.json'), JSON.stringify(journal));
	writeFileSync(join(folder, 'newer.sql'), 'alter table forms add column of_a_newer_version text');
	const another = () => connect(database, { name: 'formsrv', max: 1 });
	const [dump, newer] = [postgres(database, { max: 1 }), another()];
	await dump.unsafe('begin');
	await dump.unsafe('select from forms');
	const migrating = migrate(newer, another, folder);
	const waits =
		'select from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())';
	const isWaiting = async () => (await rowsOf(newer, waits)).length > 0;
	await until(isWaiting);
	// Behind the one that waits.
	expect((await server.submit('a', { n: 1 })).status).toBe(200);
	await dump.unsafe('commit');
	await migrating;
	expect(await rowsOf(newer, 'select of_a_newer_version from forms')).toHaveLength(1);
	await Promise.all([server.close(), dump.end(), newer.end()]);
}, 60_000);
