/** The table of values of which each may be in one submission of a form; see `field-rules/unique.ts`. */

import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { flag, submissions } from './tables.ts';

/** The values of submissions in fields with such a rule, as keyed hashes. They go with their submission. */
export const uniqueValues = sqliteTable(
	'unique_values',
	{
		formId: integer('form_id').notNull(),
		/** HMAC-SHA-256 of form, field and value, hexadecimal. */
		hash: text('hash').notNull(),
		submissionId: integer('submission_id')
			.notNull()
			.references(() => submissions.id, { onDelete: 'cascade' }),
		/** False for spam, for what is pending, and for what another submission has had since before it, or before the rule. */
		isHeld: flag('is_held'),
	},
	(table) => [
		uniqueIndex('unique_values_submission').on(table.submissionId, table.hash, table.isHeld),
		uniqueIndex('unique_values_held').on(table.formId, table.hash).where(sql`is_held = 1`),
		// Who has a value next.
		index('unique_values_spare').on(table.formId, table.hash, table.submissionId).where(sql`is_held = 0`),
	],
);
