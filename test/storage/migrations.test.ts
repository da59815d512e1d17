/** The migrations of each engine lead to the tables of the program. */

import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
	generateDrizzleJson,
	generateMigration,
	generateSQLiteDrizzleJson,
	generateSQLiteMigration,
} from 'drizzle-kit/api';
import { getTableConfig } from 'drizzle-orm/sqlite-core';
import { ALL_TABLES } from '../../src/storage/all-tables.ts';
import * as postgresTables from '../../src/storage/postgres/tables.ts';
import * as sqliteTables from '../../src/storage/sqlite/tables.ts';

const FOLDER = join(import.meta.dir, '../../drizzle');

function lastSnapshot(folder: string) {
	const name = readdirSync(folder)
		.filter((file) => file.endsWith('_snapshot.json'))
		.sort()
		.at(-1);
	return JSON.parse(readFileSync(join(folder, name ?? ''), 'utf8'));
}

test('of SQLite', async () => {
	const snapshot = lastSnapshot(join(FOLDER, 'meta'));
	expect(
		await generateSQLiteMigration(
			snapshot,
			await generateSQLiteDrizzleJson({
				...Object.fromEntries(ALL_TABLES.map((table) => [getTableConfig(table).name, table])),
				...sqliteTables,
			}),
		),
	).toEqual([]);
});

test('of PostgreSQL', async () => {
	const snapshot = lastSnapshot(join(FOLDER, 'postgres/meta'));
	expect(await generateMigration(snapshot, generateDrizzleJson(postgresTables))).toEqual([]);
});
