/** Several programs that start at once on a new database, and servers of two versions on one. */

import { expect, test } from 'bun:test';
import postgres from 'postgres';
import { openStorage } from '../../../src/storage/storage.ts';
import { forms } from '../../../src/storage/tables.ts';
import { newPostgresDatabase } from '../../postgres.ts';
import { openTestServer } from '../../server.ts';

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
	const { id } = (await server.call<{ id: string }>('POST /api/forms', { json: { name: 'A', slug: 'a' } })).body;
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
