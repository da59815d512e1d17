/** Takes pending submissions into the inbox once the address of their visitor is confirmed, by the same SQL on both engines. */

import type { Events } from '../../events.ts';
import type { SubmissionStore } from '../contract.ts';
import { FormGone } from '../errors.ts';
import { PLACE } from '../filters.ts';
import { FLAG_COLUMNS, toFlags } from '../rows.ts';
import type { Confirmation, Confirming } from '../submission.ts';
import { insertDeliveries } from './announced.ts';
import { type Engine, type Operation, rows } from './operation.ts';
import { takeValues } from './unique-values.ts';

export function createConfirming(
	{ dialect, read, write, holdCounts, totalOf }: Engine,
	{ events }: { events: Events },
): Pick<SubmissionStore, 'confirm' | 'pendingOf'> {
	/** Finds another submission that holds one of these values ($2) of a submission ($1). */
	const isTaken = `select 1 from unique_values v join unique_values h on h.form_id = v.form_id and h.hash = v.hash and h.is_held = 1
		where v.submission_id = $1 and v.is_held = 0 and ${dialect.isIn('v.hash', '$2', 'text')} limit 1`;

	function* confirmAll(
		formId: number,
		{ pending, confirmedAt }: { pending: readonly Confirming[]; confirmedAt: number },
	): Operation<Map<number, Confirmation>> {
		const moveCounts = yield* holdCounts(formId);
		const [form] = yield* rows<[number | null]>(
			'select max_submissions from forms where id = $1 and deleted_at is null',
			[formId],
		);
		if (!moveCounts || !form) throw new FormGone('The form was deleted in the meantime.');
		const uniqueHashes = new Map(pending.map((one) => [one.id, one.uniqueHashes]));
		let places = form[0] === null ? Number.POSITIVE_INFINITY : form[0] - (yield* totalOf(formId));
		const found = (yield* rows<[number, ...number[]]>(
			`select ${FLAG_COLUMNS} from submissions where form_id = $1 and ${dialect.isIn('id', '$2')}
				and is_spam = ${PLACE.pending} order by id ${dialect.forUpdate}`,
			[formId, dialect.list(pending.map(({ id }) => id))],
		)).map(([id, ...flags]) => ({ id, before: toFlags(flags) }));
		const results = new Map(pending.map(({ id }): [number, Confirmation] => [id, 'gone']));
		for (const { id, before } of found) {
			if (places <= 0) results.set(id, 'full');
			else if ((yield* rows(isTaken, [id, dialect.list(uniqueHashes.get(id) ?? [])])).length > 0)
				results.set(id, 'taken');
			else {
				// An owner who put it away while it waited has to see that it came.
				places--;
				yield* moveCounts([{ id, before, after: { ...before, isPending: false, isArchived: false } }]);
				yield* rows(
					`update submissions set is_spam = ${PLACE.inbox}, is_archived = 0, confirmed_at = $2, address_key = null where id = $1`,
					[id, confirmedAt],
				);
				yield* takeValues(dialect, [dialect.list([id])]);
				results.set(id, 'confirmed');
			}
		}
		const confirmed = pending.filter(({ id }) => results.get(id) === 'confirmed');
		yield* insertDeliveries(
			dialect,
			confirmed.flatMap(({ id, deliveries }) => deliveries.map((one) => ({ ...one, formId, submissionId: id }))),
		);
		return results;
	}

	return {
		async confirm(formId, pending, confirmedAt) {
			const results = await write(() => confirmAll(formId, { pending, confirmedAt }));
			for (const [submissionId, result] of results)
				if (result === 'confirmed') events.publish({ type: 'submission', formId, submissionId });
			events.publish({ type: 'change', formId });
			return results;
		},
		async pendingOf(formId, { addressKey, fromId, limit }) {
			const found = await read(
				rows<[number]>(
					`select id from submissions where form_id = $1 and address_key = $2 and id >= $3 and is_spam = ${PLACE.pending}
						order by id limit ${limit}`,
					[formId, addressKey, fromId],
				),
			);
			return found.map(([id]) => id);
		},
	};
}
