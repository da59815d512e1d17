/** Why submissions that a statement left out cannot be stored. */

import { FormFull, FormGone, UniqueViolation } from '../errors.ts';
import type { NewSubmission } from '../submission.ts';
import type { BoundedForms } from './bounded-forms.ts';
import { rowsOf, type Sql } from './connection.ts';

/** For each of them; `undefined` for what may go again. */
export async function whyNotStored(
	sql: Sql,
	rows: readonly NewSubmission[],
	bounded: BoundedForms,
): Promise<(Error | undefined)[]> {
	const rooms = await bounded.look([...new Set(rows.map(({ formId }) => formId))]);
	return Promise.all(
		rows.map(async (row) => {
			const { formId, spamReason } = row;
			if (!rooms.has(formId)) return new FormGone('The form was deleted in the meantime.');
			if (await isKeyInUse(sql, row)) return new UniqueViolation('The idempotency key is in use.');
			if (rooms.get(formId) === false && spamReason === null) return new FormFull();
		}),
	);
}

async function isKeyInUse(sql: Sql, { idempotencyKey }: NewSubmission): Promise<boolean> {
	if (!idempotencyKey) return false;
	const { formId, key, since } = idempotencyKey;
	const text = 'select 1 from idempotency_keys where form_id = $1 and key = $2 and created_at > $3';
	return (await rowsOf(sql, text, [formId, key, since])).length > 0;
}
