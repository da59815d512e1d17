/**
 * Forms that take only so many submissions. A statement that does not count stores none of theirs. One that counts is the second
 * of its transaction: the first locks the forms, so that it sees all that others stored, changed and removed before.
 */

import { FormFull, FormGone, UniqueViolation, ValueTaken } from '../../errors.ts';
import { PLACE } from '../../filters.ts';
import { holdsValues, type NewSubmission, placeOfNew } from '../../submission.ts';
import { numbers, type Runner, rowsOf, type Sql, strings } from '../connection.ts';

/** How many submissions the form `f` has in its inbox. */
export const INBOX_TOTAL = `(f.total + (select count(*) from submissions
	where form_id = f.id and id >= f.folded_to and is_spam = 0))`;

/** Selects from the submissions `a` to the forms `f` those that fit, as `ok`: as many of each form as there is room for; all if it has no bound, and all that go elsewhere than to the inbox. */
export const FITTING = [
	`room as (select f.id form_id, f.max_submissions - ${INBOX_TOTAL} places from f where f.max_submissions is not null)`,
	`ok as (select n.* from (select a.*, row_number() over (partition by form_id, is_spam order by id) place from a) n
		left join room on room.form_id = n.form_id where room.places is null or n.is_spam <> 0 or n.place <= room.places)`,
];

/** Against all other statements that store, also such as found a form without a bound before it got one. */
export async function lockForms(tx: Runner, formIds: readonly number[]): Promise<void> {
	await rowsOf(tx, 'select 1 from forms where id = any($1::bigint[]) order by id for update', [numbers(formIds)]);
}

type BoundedForms = ReturnType<typeof createBoundedForms>;

export function createBoundedForms(sql: Sql) {
	/** As far as this process has noticed. */
	const known = new Set<number>();

	return {
		has: (formId: number): boolean => known.has(formId),
		/** Returns, for each existing form, whether it accepts another submission in its inbox. */
		async look(formIds: readonly number[]): Promise<Map<number, boolean>> {
			const rows = await rowsOf<[number, boolean | null]>(
				sql,
				`select f.id, f.max_submissions > ${INBOX_TOTAL} from forms f
					where f.id = any($1::bigint[]) and f.deleted_at is null`,
				[numbers(formIds)],
			);
			for (const [id, hasRoom] of rows) {
				if (hasRoom === null) known.delete(id);
				else known.add(id);
			}
			return new Map(rows.map(([id, hasRoom]) => [id, hasRoom !== false]));
		},
	};
}

/** Why submissions that a statement left out cannot be stored; `undefined` for what may go again. */
export async function whyNotStored(
	sql: Sql,
	rows: readonly NewSubmission[],
	bounded: BoundedForms,
): Promise<(Error | undefined)[]> {
	const rooms = await bounded.look([...new Set(rows.map(({ formId }) => formId))]);
	return Promise.all(
		rows.map(async (row) => {
			const { formId } = row;
			if (!rooms.has(formId)) return new FormGone('The form was deleted in the meantime.');
			if (await isKeyInUse(sql, row)) return new UniqueViolation('The idempotency key is in use.');
			if (rooms.get(formId) === false && placeOfNew(row) === PLACE.inbox) return new FormFull();
			if (await isValueTaken(sql, row)) return new ValueTaken();
		}),
	);
}

async function isKeyInUse(sql: Sql, { idempotencyKey }: NewSubmission): Promise<boolean> {
	if (!idempotencyKey) return false;
	const { formId, key, since } = idempotencyKey;
	const text = 'select 1 from idempotency_keys where form_id = $1 and key = $2 and created_at > $3';
	return (await rowsOf(sql, text, [formId, key, since])).length > 0;
}

async function isValueTaken(sql: Sql, row: NewSubmission): Promise<boolean> {
	if (!holdsValues(row)) return false;
	const text = 'select 1 from unique_values where form_id = $1 and hash = any($2::text[]) and is_held = 1 limit 1';
	return (await rowsOf(sql, text, [row.formId, strings(row.uniqueHashes as string[])])).length > 0;
}
