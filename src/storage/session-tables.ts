/** The tables of who is signed in to the dashboard, and of links that sign a person in. */

import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { apiKeys, MODES } from './tables.ts';

/**
 * A person signed in to the dashboard: bound to a key, or to none if a set-up link was used. Only the SHA-256 of the
 * cookie's token is kept. Times in milliseconds since 1970.
 */
export const sessions = sqliteTable(
	'sessions',
	{
		/** Carries the moment of signing in. */
		id: integer('id').primaryKey(),
		hash: text('hash').notNull().unique(),
		keyId: integer('key_id').references(() => apiKeys.id, { onDelete: 'cascade' }),
		mode: text('mode', { enum: MODES }).notNull(),
		/** To the minute. */
		lastSeenAt: integer('last_seen_at').notNull(),
	},
	(table) => [index('sessions_key').on(table.keyId)],
);

/** Links that sign a person in once, without a key. */
export const setupLinks = sqliteTable('setup_links', {
	/** SHA-256 of the token in the link, hexadecimal. */
	hash: text('hash').primaryKey(),
	/** Milliseconds since 1970. */
	expiresAt: integer('expires_at').notNull(),
});

/** Links that sign a person in once with a key. Servers that do not know the table reject them. */
export const invitations = sqliteTable(
	'invitations',
	{
		/** SHA-256 of the token in the link, hexadecimal. */
		hash: text('hash').primaryKey(),
		keyId: integer('key_id')
			.notNull()
			.references(() => apiKeys.id, { onDelete: 'cascade' }),
		/** Milliseconds since 1970. */
		expiresAt: integer('expires_at').notNull(),
	},
	(table) => [index('invitations_key').on(table.keyId)],
);

export type SessionRow = typeof sessions.$inferSelect;
