/** Databases for tests: in the PostgreSQL that FORMSRV_TEST_POSTGRES names, or in one of the packages, which runs until the tests end. */

import postgres from 'postgres';
import { startPostgres } from './postgres-server.ts';

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
export async function newPostgresDatabase(): Promise<string> {
	const name = `formsrv_${process.pid}_${++made}`;
	const admin = postgres(address, { max: 1, fetch_types: false });
	await admin.unsafe(`create database ${name} template template0 encoding 'UTF8'`);
	await admin.end();
	const url = new URL(address);
	url.pathname = `/${name}`;
	return url.href;
}
