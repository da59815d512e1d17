/** Databases for tests: in the PostgreSQL that FORMSRV_TEST_POSTGRES names, or in one of the packages, which runs until the tests end. */

import { makeDatabase, startPostgres } from './postgres-server.ts';

/** Tests of durability say otherwise. */
const FAST = [
	'fsync=off',
	'synchronous_commit=off',
	'full_page_writes=off',
	'max_connections=400',
	'shared_buffers=64MB',
];

let made = 0;
const address = process.env.FORMSRV_TEST_POSTGRES || (await startPostgres({ settings: FAST })).address();

/** The address of a new and empty database. */
export function newPostgresDatabase(): Promise<string> {
	return makeDatabase(address, `formsrv_${process.pid}_${++made}`);
}
