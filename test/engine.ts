/** Which engine the tests of features run on: SQLite, or PostgreSQL if FORMSRV_TEST_ENGINE says so. */

import { join } from 'node:path';

/** The place of a new database: a file in the folder, or an address. */
export async function newDatabase(folder: string): Promise<string> {
	if (process.env.FORMSRV_TEST_ENGINE !== 'postgres') return join(folder, 'formsrv.db');
	const { newPostgresDatabase } = await import('./postgres.ts');
	return newPostgresDatabase();
}
