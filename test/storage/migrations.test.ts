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
import * as auditTable from '../../src/storage/audit-table.ts';
import * as postgresTables from '../../src/storage/postgres/tables.ts';
import * as sessionTables from '../../src/storage/session-tables.ts';
import * as spamTables from '../../src/storage/spam-tables.ts';
import * as sqliteTables from '../../src/storage/sqlite/tables.ts';
import * as tables from '../../src/storage/tables.ts';
import * as uniqueTable from '../../src/storage/unique-table.ts';
import * as visitorTables from '../../src/storage/visitor-tables.ts';

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
				...tables,
				...spamTables,
				...sessionTables,
				...auditTable,
				...uniqueTable,
				...visitorTables,
				...sqliteTables,
			}),
		),
	).toEqual([]);
});

test('of PostgreSQL', async () => {
	const snapshot = lastSnapshot(join(FOLDER, 'postgres/meta'));
	expect(await generateMigration(snapshot, generateDrizzleJson(postgresTables))).toEqual([]);
});
