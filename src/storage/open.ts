/** The one place that names the engines: each call goes to the engine of the address. */

import { isPostgres, withoutPassword } from '../config/postgres-url.ts';
import type { MovedTable, MoveSide, MoveTarget, Storage, StorageOptions } from './contract.ts';
import type { Database } from './database.ts';
import { sqliteDatabaseAt } from './sqlite/database.ts';
import { hasDatabase } from './sqlite/database-place.ts';
import { sqliteVersion } from './sqlite/inspect.ts';
import { openSqlite } from './sqlite/open.ts';

// A place is the path of an SQLite file, or the address of a PostgreSQL database; that engine costs a start without it nothing.

/**
 * Opens the database, creating and migrating it as needed.
 * @throws AppError or Error with a sentence for the operator if it cannot be used
 */
export async function openStorage(place: string, options: StorageOptions = {}): Promise<Storage> {
	if (isPostgres(place)) return (await import('./postgres/open.ts')).openPostgres(place, options);
	if (options.beforeNew && !hasDatabase(place)) await options.beforeNew();
	return openSqlite(place, options);
}

/** There need not be one. */
export async function databaseAt(place: string): Promise<Database> {
	return isPostgres(place) ? (await import('./postgres/database.ts')).postgresDatabase(place) : databaseFileAt(place);
}

export const databaseFileAt = sqliteDatabaseAt;
export const engineVersion = sqliteVersion;

export const isFile = (place: string): boolean => !isPostgres(place);

/** For people: without a password. */
export function databaseName(place: string): string {
	return isPostgres(place) ? withoutPassword(place) : place;
}

/** For a move to another engine. */
export async function openSource(place: string, tables: readonly MovedTable[]): Promise<MoveSide> {
	if (isPostgres(place)) return (await import('./postgres/move.ts')).openSource(place, tables);
	return (await import('./sqlite/move.ts')).openSource(place);
}

/** @param from Where the rows come from: a move that was cut off goes on only from there. */
export async function openTarget(
	place: string,
	from: { source: string; tables: readonly MovedTable[] },
): Promise<MoveTarget> {
	if (isPostgres(place)) return (await import('./postgres/move.ts')).openTarget(place, from);
	return (await import('./sqlite/move.ts')).openTarget(place, from.source);
}
