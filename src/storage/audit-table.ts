/** The table of the audit log: who did what, and when. */

import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { Details } from './audit/changes.ts';
import { MODES } from './tables.ts';

/**
 * An entry of the audit log. It names objects that may be gone, so it refers to no other table. Rows come with what they are about
 * and go by age alone; only those of a bulk change that goes on, and of repeated reads and failures, still grow.
 */
export const auditLog = sqliteTable(
	'audit_log',
	{
		/** Carries the moment. */
		id: integer('id').primaryKey(),
		/** `live` also for what concerns the whole server. */
		mode: text('mode', { enum: MODES }).notNull(),
		/** As the operation is called in the API document; a command without one by its name. */
		action: text('action').notNull(),
		/** As `key:ID`, `user:NAME` of the command line, `session:ID` of a setup link, `link` to a file, or `unknown`. */
		actor: text('actor').notNull(),
		/** The session of the dashboard, if it was one. */
		session: text('session'),
		formId: integer('form_id'),
		/** As `submission:ID`. */
		object: text('object'),
		/** Address or network of the client, as far as the log shows it. */
		address: text('address'),
		details: text('details', { mode: 'json' }).$type<Details>(),
		/** How often it happened. */
		count: integer('count').notNull(),
	},
	(table) => [
		index('audit_log_mode').on(table.mode, table.id),
		index('audit_log_action').on(table.action, table.id),
		index('audit_log_actor').on(table.actor, table.id),
		index('audit_log_form').on(table.formId, table.id),
		index('audit_log_object').on(table.object, table.id),
	],
);

export type AuditRow = typeof auditLog.$inferSelect;
