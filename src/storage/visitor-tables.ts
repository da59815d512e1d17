/** The tables by which mails to visitors are bounded. An address is in them as a keyed hash alone. */

import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

const VISITOR_MAIL_KINDS = ['response', 'confirmation'] as const;
export type VisitorMailKind = (typeof VISITOR_MAIL_KINDS)[number];

const SUPPRESSION_REASONS = ['rejected', 'asked'] as const;
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];

/** The mails to visitors of the last day or so. It outlives forms: deleting one frees no place in the bounds. */
export const visitorMails = sqliteTable(
	'visitor_mails',
	{
		/** That of the delivery. */
		id: integer('id').primaryKey(),
		address: text('address').notNull(),
		formId: integer('form_id').notNull(),
		kind: text('kind', { enum: VISITOR_MAIL_KINDS }).notNull(),
		/** When it was tried last, in milliseconds since 1970. */
		at: integer('at').notNull(),
		/** The hour for which it was planned, in hours since 1970: an outage does not fill the hour after it. */
		hour: integer('hour').notNull(),
	},
	(table) => [
		index('visitor_mails_address').on(table.address, table.at),
		index('visitor_mails_hour').on(table.formId, table.kind, table.hour),
		index('visitor_mails_age').on(table.at),
	],
);

/** Addresses that get no more mails for visitors. `rejected`: by their mail server; `asked`: by the link in a mail. */
export const suppressions = sqliteTable('suppressions', {
	address: text('address').primaryKey(),
	reason: text('reason', { enum: SUPPRESSION_REASONS }).notNull(),
	/** Milliseconds since 1970. */
	createdAt: integer('created_at').notNull(),
});
