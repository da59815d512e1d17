/** Changes to many submissions at once: a chunk at a time, so that submissions arriving meanwhile do not wait. */

import type { Retries } from '../../delivery/retries.ts';
import { invalidField } from '../../errors.ts';
import type { Forms } from '../../forms/forms.ts';
import { decodeId } from '../../ids.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Selection } from '../../storage/submission.ts';
import type { Mode } from '../../storage/tables.ts';
import { type NarrowingQuery, parseNarrowing, toNarrowing } from '../list-query.ts';
import type { BulkTarget, BulkUpdate } from './schema.ts';

const CHUNK = 200;

export interface BulkOptions {
	forms: Forms;
	release: Retries['release'];
}

/** @template Input What is read once the form is known to exist. */
interface BulkRequest<Input> {
	mode?: Mode;
	readInput: () => Promise<Input>;
	/** Refuses whoever may not know what is in submissions. */
	mayLetOut: (disclosure: 'search') => void;
}

type Target = { ids: number[] } | { narrowing: NarrowingQuery };

export type Bulk = ReturnType<typeof createBulk>;

export function createBulk({ submissions, clock }: Storage, { forms, release }: BulkOptions) {
	/** The ids that are meant, in chunks. What arrives after the call is not meant. */
	async function* chunksOf(formId: number, target: Target): AsyncGenerator<number[]> {
		if ('ids' in target) {
			for (let at = 0; at < target.ids.length; at += CHUNK) yield target.ids.slice(at, at + CHUNK);
			return;
		}
		const end = clock.end();
		let rest: Selection = { ...toNarrowing(target.narrowing, clock.timeline()), formId };
		rest.beforeId = Math.min(rest.beforeId ?? end, end);
		while (true) {
			const ids = await submissions.ids(rest, { order: 'asc', limit: CHUNK });
			if (ids.length > 0) yield ids;
			if (ids.length < CHUNK) return;
			rest = { ...rest, fromId: (ids.at(-1) as number) + 1 };
		}
	}

	return {
		/**
		 * Sets flags; answers how many submissions there were.
		 * @throws AppError FORM_NOT_FOUND, VALIDATION_ERROR, FORBIDDEN
		 */
		async update(formId: string, { mode, readInput, mayLetOut }: BulkRequest<BulkUpdate>): Promise<number> {
			const form = await forms.row(formId, mode);
			const { set, sendWithheld, ...input } = await readInput();
			const target = parseTarget(input);
			if (input.search !== undefined) mayLetOut('search');
			const isReleased = set.isSpam === false && sendWithheld === true;
			let updated = 0;
			for await (const ids of chunksOf(form.id, target)) {
				const changed = await submissions.change(form.id, ids, set);
				if (isReleased) await release(form.id, changed);
				updated += changed.length;
			}
			return updated;
		},
		/** Removes for good; answers how many. @throws AppError FORM_NOT_FOUND, VALIDATION_ERROR */
		async remove(formId: string, { mode, readInput, mayLetOut }: BulkRequest<BulkTarget>): Promise<number> {
			const form = await forms.row(formId, mode);
			const input = await readInput();
			const target = parseTarget(input);
			if (input.search !== undefined) mayLetOut('search');
			let removed = 0;
			for await (const ids of chunksOf(form.id, target)) removed += (await submissions.remove(form.id, ids)).length;
			return removed;
		},
	};
}

/** A request that names neither would mean everything: that has to be said, by a filter. */
function parseTarget({ ids, filter, ...rest }: BulkTarget): Target {
	if (ids === undefined) {
		if (filter === undefined) throw invalidField('ids', 'REQUIRED', 'Either ids or filter is required.');
		return { narrowing: parseNarrowing({ filter, ...rest }) };
	}
	const [extra] = Object.keys({ ...(filter !== undefined && { filter }), ...rest });
	if (extra !== undefined) throw invalidField(extra, 'CONFLICT', `${extra} cannot be combined with ids.`);
	return { ids: [...new Set(ids)].flatMap((id) => decodeId(id) ?? []) };
}
