/** The tables that only SQLite has, derived from submissions; PostgreSQL has other means. */

import { integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { counter, flag, formId } from '../tables.ts';

/** How many submissions of a form have a field name, apart for each place where they lie; the rowid keeps the order first seen. */
export const fieldNames = sqliteTable(
	'field_names',
	{
		id: integer('id').primaryKey(),
		formId: formId(),
		/** The place, as the column of submissions has it. */
		isSpam: flag('is_spam'),
		/** The name as a JSON string, so that every name is distinct and exact, lone surrogates included. */
		name: text('name').notNull(),
		count: counter('count'),
	},
	(table) => [uniqueIndex('field_names_unique').on(table.formId, table.isSpam, table.name)],
);

/**
 * Pieces of the search index, each with two tables of its own for a stretch of the submissions; see `search-segments.ts`.
 * All up to the `lastId` of the newest one are indexed, but for `search_additions`. Their order is that of `firstId`.
 */
export const searchSegments = sqliteTable('search_volumes', {
	number: integer('number').primaryKey(),
	firstId: integer('first_id').notNull(),
	lastId: integer('last_id').notNull(),
	/** Submissions taken in so far, including those removed since. */
	submissions: integer('submissions').default(0).notNull(),
	characters: integer('characters').default(0).notNull(),
	/** True if there is nothing left to merge in it. */
	isPacked: integer('is_packed', { mode: 'boolean' }).default(false).notNull(),
});

/** Removed submissions that the search index still holds; see `search-index.ts`. */
export const searchRemovals = sqliteTable('search_removals', { id: integer('id').primaryKey() });

/** Imported submissions that the search index does not hold yet, although it is further. */
export const searchAdditions = sqliteTable('search_additions', { id: integer('id').primaryKey() });
