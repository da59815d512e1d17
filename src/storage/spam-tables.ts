/** The tables of what the owner's marks taught about spam. */

import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { flag, formId, forms, MODES, submissions } from './tables.ts';

/**
 * The owner's marks of submissions, as spam or as genuine, and what the word models have learnt from them. A mark goes with
 * its submission; what was learnt stays.
 */
export const spamMarks = sqliteTable(
	'spam_marks',
	{
		submissionId: integer('submission_id')
			.primaryKey()
			.references(() => submissions.id, { onDelete: 'cascade' }),
		formId: formId(),
		isSpam: flag('is_spam'),
		/** The kind as which it was learnt; `null`: not yet. */
		learntSpam: integer('learnt_spam', { mode: 'boolean' }),
		/** The lesson that learnt it last: a number that no other has. */
		lesson: integer('lesson'),
		/**
		 * As what the model of all forms is to learn it: 0, 1, or 2 for not at all; `null`: as `isSpam`. A form-level key teaches its
		 * form alone: its mark leaves this as it was.
		 */
		forAll: integer('for_all'),
		/** The kind as which the model of all forms learnt it; `null`: as `learntSpam`. */
		learntForAll: integer('learnt_for_all'),
	},
	(table) => [
		index('spam_marks_form').on(table.formId),
		index('spam_marks_due').on(table.submissionId).where(sql`learnt_spam is null or learnt_spam <> is_spam`),
		index('spam_marks_due_for_all')
			.on(table.submissionId)
			.where(sql`coalesce(for_all, is_spam) <> coalesce(learnt_for_all, learnt_spam, 2)`),
	],
);

/**
 * The word models of the spam score: of each form, and of each mode for all its forms. A model is the sum of its rows, which
 * training adds and merges.
 */
export const spamModels = sqliteTable(
	'spam_models',
	{
		id: integer('id').primaryKey(),
		/** Version of the tokens; rows of another version say nothing. */
		version: integer('version').notNull(),
		mode: text('mode', { enum: MODES }).notNull(),
		/** `null`: of all forms of the mode. */
		formId: integer('form_id').references(() => forms.id, { onDelete: 'cascade' }),
		/** Submissions learnt; negative where more were un-learnt. */
		spam: integer('spam').notNull(),
		ham: integer('ham').notNull(),
		/** How many of them have each token; see `spam/bayes/counts.ts`. */
		counts: text('counts').notNull(),
	},
	(table) => [index('spam_models_form').on(table.formId)],
);

export type SpamModelRow = typeof spamModels.$inferSelect;
