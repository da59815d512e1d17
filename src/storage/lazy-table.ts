/** A table whose description is made when it is first used: a start uses none, and all of them would be a fifteenth of it. */

import { SQLiteTable, type SQLiteTableFn, sqliteTable } from 'drizzle-orm/sqlite-core';
import { lazy } from '../tasks/lazy.ts';

/** As `sqliteTable`; the columns have to be a function. */
export const lazyTable = ((...description: Parameters<SQLiteTableFn>) => {
	const table = lazy(() => sqliteTable(...description));
	// Drizzle tells a table by its prototype.
	return new Proxy(Object.create(SQLiteTable.prototype), { get: (_, member) => Reflect.get(table(), member) });
}) as unknown as SQLiteTableFn;
