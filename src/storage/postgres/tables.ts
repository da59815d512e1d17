/** The tables in PostgreSQL: those of `storage/tables.ts`, derived, and the engine's own; the schema for drizzle-kit. */

import * as pg from 'drizzle-orm/pg-core';
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import { ALL_TABLES } from '../all-tables.ts';

/** Columns that only this engine has, by table. */
const OWN_COLUMNS: Record<string, () => Record<string, pg.PgColumnBuilderBase>> = {
	// Up to which id the submissions are in blocks, and in the form's counts.
	forms: () => ({ folded_to: number('folded_to').notNull().default(0) }),
	// SQLite has one by itself, by which features order.
	former_slugs: () => ({ rowid: pg.bigserial('rowid', { mode: 'number' }) }),
	// The set of its fields; see `field-names.ts`.
	submissions: () => ({ shape: number('shape').notNull().default(0) }),
};
const OWN_INDEXES: Record<string, (columns: Record<string, pg.PgColumn>) => pg.PgTableExtraConfigValue[]> = {
	submissions: ({ form_id, is_spam, shape }) => [
		pg.index('submissions_shape').on(form_id as pg.PgColumn, is_spam as pg.PgColumn, shape as pg.PgColumn),
	],
};
/** Every statement that stores a submission locks its form, which costs less than a check of each row. */
const LOCKED_BY_HAND = new Set(['submissions']);

const number = (name: string) => pg.bigint(name, { mode: 'number' });
// biome-ignore lint/suspicious/noExplicitAny: of each column's own type, which only drizzle-kit is interested in
type Builder = any;
const KIND: Record<string, (name: string) => Builder> = {
	SQLiteInteger: number,
	// The numbers 0 and 1, so that fragments of SQL mean the same in both engines.
	SQLiteBoolean: (name) => pg.smallint(name),
	SQLiteText: (name) => pg.text(name),
	SQLiteTextJson: (name) => pg.text(name),
};

const derived = new Map<string, pg.PgTable>();

function derive(source: SQLiteTable): pg.PgTable {
	const { name, columns, indexes, foreignKeys } = getTableConfig(source);
	const known = derived.get(name);
	if (known) return known;
	const made = pg.pgTable(
		name,
		{ ...Object.fromEntries(columns.map((column) => [column.name, deriveColumn(column)])), ...OWN_COLUMNS[name]?.() },
		(self) => {
			const own = self as unknown as Record<string, pg.PgColumn>;
			const columnsOf = (list: readonly unknown[]) =>
				list.map((column) => own[(column as { name: string }).name]) as [pg.PgColumn, ...pg.PgColumn[]];
			return [
				...indexes.map(({ config }) =>
					(config.unique ? pg.uniqueIndex : pg.index)(config.name)
						.on(...columnsOf(config.columns))
						.where(config.where as never),
				),
				...foreignKeys
					.filter(() => !LOCKED_BY_HAND.has(name))
					.map((key) => {
						const { columns: from, foreignColumns, foreignTable } = key.reference();
						const target = derive(foreignTable) as unknown as Record<string, pg.PgColumn>;
						const to = foreignColumns.map((column) => target[column.name]) as [pg.PgColumn];
						const made = pg.foreignKey({ columns: columnsOf(from) as [pg.PgColumn], foreignColumns: to });
						return key.onDelete ? made.onDelete(key.onDelete) : made;
					}),
				...(OWN_INDEXES[name]?.(own) ?? []),
			];
		},
	);
	derived.set(name, made);
	return made;
}

type SourceColumn = ReturnType<typeof getTableConfig>['columns'][number];

function deriveColumn(column: SourceColumn): Builder {
	let made = KIND[column.columnType]?.(column.name);
	if (column.primary) made = made.primaryKey();
	if (column.notNull) made = made.notNull();
	if (column.isUnique) made = made.unique(column.uniqueName);
	if (column.default !== undefined) {
		const value = column.mapToDriverValue(column.default as never);
		made = made.default(typeof value === 'boolean' ? Number(value) : value);
	}
	return made;
}

const tables = Object.fromEntries(ALL_TABLES.map((table) => [getTableConfig(table).name, derive(table)]));

// One by one, because drizzle-kit sees what a module exports by name.
export const {
	forms,
	former_slugs,
	submissions,
	list_entries,
	files,
	imports,
	removed_files,
	submission_blocks,
	idempotency_keys,
	api_keys,
	key_forms,
	webhooks,
	deliveries,
	clock_steps,
	server_values,
	spam_marks,
	spam_models,
	spent_challenges,
	sessions,
	setup_links,
	invitations,
	audit_log,
	unique_values,
	visitor_mails,
	suppressions,
} = tables as Record<string, pg.PgTable>;

/** Processes that make ids, each under a number of its own; see `servers.ts`. */
export const servers = pg.pgTable('servers', {
	number: pg.smallint('number').primaryKey(),
	/** Token of the process that holds the number. */
	token: pg.text('token').notNull(),
	seenAt: pg.timestamp('seen_at', { withTimezone: true }).notNull(),
	/** The last id that was made under the number by one that gave it back. */
	lastId: number('last_id').notNull().default(0),
});

/** One row; see `settings-version.ts`. */
export const settingsVersion = pg.pgTable('settings_version', { number: number('number').notNull() });

/** The sets of fields that the submissions of a form have, each combination once. */
export const formShapes = pg.pgTable(
	'form_shapes',
	{
		formId: number('form_id').notNull(),
		shape: number('shape').notNull(),
		/** A JSON array. */
		names: pg.text('names').notNull(),
		/** The submission that had it first, which gives the order. */
		firstId: number('first_id').notNull(),
	},
	(table) => [pg.primaryKey({ columns: [table.formId, table.shape] })],
);

/** The searched texts of each submission; see `search.ts`. */
export const searchTexts = pg.pgTable(
	'search_texts',
	{
		id: number('id').primaryKey(),
		formId: number('form_id').notNull(),
		text: pg.text('text').notNull(),
	},
	(table) => [
		pg.index('search_texts_parts').using('gin', table.text.op('gin_trgm_ops')),
		// Where one form is a small part of the database.
		pg.index('search_texts_form').on(table.formId, table.id),
	],
);
