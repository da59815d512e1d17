/** The unique values of submissions: of those of a form that have the same one, a single submission holds it. */

import type { SubmissionStore } from '../contract.ts';
import { type Dialect, type Engine, type Operation, rows, type Value } from './operation.ts';

export function createHolding({ dialect, write, holdCounts }: Engine): Pick<SubmissionStore, 'holdValues'> {
	return {
		async holdValues(formId, values) {
			await write(function* () {
				// Others that take values hold the form as well.
				if (!(yield* holdCounts(formId))) return;
				for (const { id, hashes } of values)
					for (const hash of hashes)
						yield* rows(
							`insert into unique_values (form_id, hash, submission_id, is_held)
								select form_id, $3, id, 0 from submissions where id = $1 and form_id = $2
								and not exists (select 1 from unique_values where submission_id = $1 and hash = $3)`,
							[id, formId, hash],
						);
				yield* takeValues(dialect, [dialect.list(values.map(({ id }) => id))]);
			});
		},
	};
}

/** Has submissions that become spam or go hold no unique value: the oldest other one that has it, if any, holds it then. */
export function* passOnValues(dialect: Dialect, formId: number, ids: readonly number[]): Operation<void> {
	const list = dialect.list(ids);
	const heirs = yield* rows<[number | null]>(
		`select (select v.submission_id from unique_values v join submissions s on s.id = v.submission_id
			where v.form_id = $1 and v.hash = h.hash and v.is_held = 0 and s.is_spam = 0 and not ${dialect.isIn('v.submission_id', '$2')}
			order by v.submission_id limit 1)
			from unique_values h where ${dialect.isIn('h.submission_id', '$2')} and h.is_held = 1`,
		[formId, list],
	);
	if (heirs.length === 0) return;
	yield* rows(`update unique_values set is_held = 0 where ${dialect.isIn('submission_id', '$1')}`, [list]);
	yield* takeValues(dialect, [dialect.list(heirs.flatMap(([id]) => id ?? []))]);
}

/** Has a list of submissions hold their unique values, but for spam and what others hold; of two with one value the older one. */
export function* takeValues(dialect: Dialect, list: readonly Value[]): Operation<void> {
	yield* rows(
		`insert into unique_values (form_id, hash, submission_id, is_held)
			select v.form_id, v.hash, v.submission_id, 1 from unique_values v join submissions s on s.id = v.submission_id
			where ${dialect.isIn('v.submission_id', '$1')} and v.is_held = 0 and s.is_spam = 0
			order by v.submission_id on conflict do nothing`,
		list,
	);
	yield* rows(
		`delete from unique_values where ${dialect.isIn('submission_id', '$1')} and is_held = 0 and exists (select 1 from unique_values h
			where h.submission_id = unique_values.submission_id and h.hash = unique_values.hash and h.is_held = 1)`,
		list,
	);
}
