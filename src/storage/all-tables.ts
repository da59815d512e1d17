/** The tables of both engines. */

import { is } from 'drizzle-orm';
import { SQLiteTable } from 'drizzle-orm/sqlite-core';
import * as auditTable from './audit-table.ts';
import * as sessionTables from './session-tables.ts';
import * as spamTables from './spam-tables.ts';
import * as tables from './tables.ts';
import * as uniqueTable from './unique-table.ts';
import * as visitorTables from './visitor-tables.ts';

export const ALL_TABLES = Object.values<unknown>({
	...tables,
	...spamTables,
	...sessionTables,
	...auditTable,
	...uniqueTable,
	...visitorTables,
}).filter((table): table is SQLiteTable => is(table, SQLiteTable));
