/** The engine that tests of features run on: SQLite, or PostgreSQL if FORMSRV_TEST_ENGINE says so. */

import { test } from 'bun:test';
import { join } from 'node:path';

export const isOnPostgres = process.env.FORMSRV_TEST_ENGINE === 'postgres';
const databases = new Map<string, Promise<string>>();

/** A test of what is so on SQLite only; docs/architecture.md says why. On PostgreSQL it does not exist. */
export const testOnSqlite: typeof test = isOnPostgres ? (Object.assign(() => {}, test) as typeof test) : test;

/** How far times in responses may be from the test's: on PostgreSQL they follow the database's clock, which is read over a connection. */
export const CLOCKS_APART_MS = isOnPostgres ? 250 : 0;

/** The place of a new database: of a file in the folder, or of a database without rows. */
export async function newDatabase(folder: string): Promise<string> {
	if (!isOnPostgres) return join(folder, 'formsrv.db');
	const { newMigratedDatabase } = await import('./postgres.ts');
	return newMigratedDatabase();
}

/** The settings by which commands run in a folder find one and the same database. */
export async function databaseSettings(folder: string): Promise<Record<string, string>> {
	if (!isOnPostgres) return {};
	const known = databases.get(folder) ?? newDatabase(folder);
	databases.set(folder, known);
	return { FORMSRV_DATABASE_URL: await known };
}
