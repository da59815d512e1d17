/** Databases for tests: in the PostgreSQL that FORMSRV_TEST_POSTGRES names, or in one of the packages, which runs until the tests end. */

import { tmpdir } from 'node:os';
import { openStorage } from '../src/storage/open.ts';
import { lazy } from '../src/tasks/lazy.ts';
import { hasRoomInMemory, MEMORY } from './memory.ts';
import { postgresPrograms } from './postgres-programs.ts';
import { dropDatabases, makeDatabase, startPostgres } from './postgres-server.ts';
import { shareAmongFiles } from './shared-processes.ts';

/** Tests of durability say otherwise. Databases are made by the hundred: their files are copied, and nothing is logged or vacuumed. */
const FAST = [
	'fsync=off',
	'synchronous_commit=off',
	'full_page_writes=off',
	'wal_level=minimal',
	'max_wal_senders=0',
	'autovacuum=off',
	'max_connections=400',
	'shared_buffers=64MB',
];

/** With so much the data lie in memory: a database is 300 files, and some file systems take a tenth of a second to make these. */
const ROOM_BYTES = 4 * 2 ** 30;

let made = 0;
const address = process.env.FORMSRV_TEST_POSTGRES || (await startShared());
/** The file of tests that runs, and the names of its databases. */
let file = Bun.main;
const ofFile: string[] = [];
const template = lazy(makeTemplate);

async function startShared(): Promise<string> {
	const programs = postgresPrograms(tmpdir());
	const server = await startPostgres({
		settings: FAST,
		programs,
		...(hasRoomInMemory(ROOM_BYTES) && { parent: MEMORY }),
	});
	shareAmongFiles(server.pid());
	return server.address();
}

function newName(): string {
	return `formsrv_${process.pid}_${++made}`;
}

/** The databases of a file that is over would fill the memory. */
async function nameForFile(): Promise<string> {
	if (file !== Bun.main) {
		file = Bun.main;
		await dropDatabases(address, ofFile.splice(0));
	}
	const name = newName();
	ofFile.push(name);
	return name;
}

/** The address of a new and empty database. */
export async function newPostgresDatabase(): Promise<string> {
	return makeDatabase(address, await nameForFile());
}

/** The address of a new database with tables, as a server makes them at its first start. */
export async function newMigratedDatabase(): Promise<string> {
	return makeDatabase(address, await nameForFile(), await template());
}

async function makeTemplate(): Promise<string> {
	const place = await makeDatabase(address, newName());
	const storage = await openStorage(place);
	await storage.close();
	return new URL(place).pathname.slice(1);
}
