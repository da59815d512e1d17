/** The table of values of which each may be in one submission of a form; see `field-rules/unique.ts`. */

import { sql } from 'drizzle-orm';
import { integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
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
		/** False for spam, and for what was taken out of spam when another submission had the value. */
		isHeld: flag('is_held'),
	},
	(table) => [
		uniqueIndex('unique_values_submission').on(table.submissionId, table.hash, table.isHeld),
		uniqueIndex('unique_values_held').on(table.formId, table.hash).where(sql`is_held = 1`),
	],
);
