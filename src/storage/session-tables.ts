/** The tables of API keys, of who is signed in to the dashboard, and of links that sign a person in. */

import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { flag, formId, forms, MODES, type Permission } from './tables.ts';

/**
 * An API key: only its SHA-256 and a display form are kept. With `formId` it is a form-level key, for this form and those in
 * `keyForms`; servers that do not know that table see a key of this form alone.
 */
export const apiKeys = sqliteTable(
	'api_keys',
	{
		id: integer('id').primaryKey(),
		mode: text('mode', { enum: MODES }).notNull(),
		formId: integer('form_id').references(() => forms.id, { onDelete: 'cascade' }),
		name: text('name').notNull().default(''),
		permissions: text('permissions', { mode: 'json' }).$type<Permission[]>().notNull(),
		hash: text('hash').notNull().unique(),
		/** Prefix and last four characters, for a person to recognise it by. */
		display: text('display').notNull(),
		expiresAt: integer('expires_at'),
		revokedAt: integer('revoked_at'),
		lastUsedAt: integer('last_used_at'),
		/** Another took its place; it may be valid until `expiresAt` all the same. */
		isRotated: flag('is_rotated'),
		/** Makes it a member: a person who signs in as this address, in lower case. There is no token with such a hash. */
		email: text('email'),
	},
	(table) => [
		index('api_keys_form').on(table.formId),
		uniqueIndex('api_keys_member').on(table.email, table.mode).where(sql`email is not null and revoked_at is null`),
	],
);

/** The forms of a form-level key that has several, each of them. */
export const keyForms = sqliteTable(
	'key_forms',
	{
		keyId: integer('key_id')
			.notNull()
			.references(() => apiKeys.id, { onDelete: 'cascade' }),
		formId: formId(),
	},
	(table) => [uniqueIndex('key_forms_unique').on(table.keyId, table.formId), index('key_forms_form').on(table.formId)],
);

/**
 * A person signed in to the dashboard: bound to a key, or to none if a setup link was used. Only the SHA-256 of the
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
export type ApiKeyRow = typeof apiKeys.$inferSelect;
