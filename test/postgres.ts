/** Databases for tests: in the PostgreSQL that FORMSRV_TEST_POSTGRES names, or in one of the packages, which runs until the tests end. */

import { openStorage } from '../src/storage/open.ts';
import { lazy } from '../src/tasks/lazy.ts';
import { makeDatabase, startPostgres } from './postgres-server.ts';
import { shareAmongFiles } from './shared-processes.ts';

/** Tests of durability say otherwise. */
const FAST = [
	'fsync=off',
	'synchronous_commit=off',
	'full_page_writes=off',
	'max_connections=400',
	'shared_buffers=64MB',
];

let made = 0;
const address = process.env.FORMSRV_TEST_POSTGRES || (await startShared());
const newName = () => `formsrv_${process.pid}_${++made}`;
const template = lazy(makeTemplate);

async function startShared(): Promise<string> {
	const server = await startPostgres({ settings: FAST });
	shareAmongFiles(server.pid());
	return server.address();
}

/** The address of a new and empty database. */
export function newPostgresDatabase(): Promise<string> {
	return makeDatabase(address, newName());
}

/** The address of a new database with tables, as a server makes them at its first start. */
export async function newMigratedDatabase(): Promise<string> {
	return makeDatabase(address, newName(), await template());
}

async function makeTemplate(): Promise<string> {
	const place = await newPostgresDatabase();
	const storage = await openStorage(place);
	await storage.close();
	return new URL(place).pathname.slice(1);
}
