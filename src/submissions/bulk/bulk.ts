/** Changes many submissions, in chunks, so that new submissions do not wait. */

import type { Retries } from '../../delivery/retries.ts';
import { invalidField } from '../../errors.ts';
import { decodeId, encodeId } from '../../ids.ts';
import { recordAction } from '../../storage/audit/action.ts';
import type { Storage } from '../../storage/contract.ts';
import { mapWordLists, TEXT_NAMES, WORD_LISTS } from '../../storage/owned.ts';
import type { OwnedChange } from '../../storage/submission.ts';
import type { Mode } from '../../storage/tables.ts';
import { CRITERIA, mapSwitches, mapTexts } from '../criteria.ts';
import { type Criteria, idsOf, parseCriteria, selectionOf } from '../list-query.ts';
import { checkWords, storedOwned } from '../own-words.ts';
import type { BulkDeletion, BulkTarget, BulkUpdate, Deleted, Updated } from './schema.ts';

const CHUNK = 200;

/** `readInput` is called once the form is known to exist. */
interface BulkRequest<Input> {
	mode?: Mode;
	/** True if marks teach nothing to other forms. */
	isFormLevel?: boolean;
	readInput: () => Promise<Input>;
	/** @throws AppError FORBIDDEN if the caller may not read submissions: results of a search disclose content */
	checkDisclosure: (disclosure: 'search') => void;
}

type Target = { ids: number[] } | { criteria: Criteria };

export type Bulk = ReturnType<typeof createBulk>;

export function createBulk(storage: Storage, release: Retries['release']) {
	const { submissions, clock, findFormId } = storage;

	/** The ids of the target, in chunks, without submissions that arrive after the call. */
	async function* chunksOf(formId: number, target: Target): AsyncGenerator<number[]> {
		if ('ids' in target) {
			for (let at = 0; at < target.ids.length; at += CHUNK) yield target.ids.slice(at, at + CHUNK);
			return;
		}
		yield* idsOf(submissions, selectionOf(target.criteria, formId, clock), CHUNK);
	}

	async function count(formId: number, target: Target, unknown: Set<string>): Promise<number> {
		if ('criteria' in target) return submissions.count(selectionOf(target.criteria, formId, clock));
		let found = 0;
		for await (const ids of chunksOf(formId, target)) {
			const entries = await submissions.entries(formId, ids);
			for (const { id } of entries) unknown.delete(encodeId(id));
			found += entries.length;
		}
		return found;
	}

	return {
		/**
		 * Sets what owners write. @returns how many submissions matched, and the ids that none has
		 * @throws AppError FORM_NOT_FOUND, VALIDATION_ERROR, FORBIDDEN
		 */
		async update(formId: string, request: BulkRequest<BulkUpdate>): Promise<Updated> {
			const { mode, isFormLevel, readInput, checkDisclosure } = request;
			const form = await findFormId(formId, mode);
			const input = await readInput();
			const change = changeOf(input);
			const target = parseTarget(input, checkDisclosure);
			const isReleased = input.set?.isSpam === false && input.sendWithheld === true;
			const options = { teaches: isFormLevel ? 'form' : 'all', call: {} } as const;
			const unknown = new Set(input.ids);
			let updated = 0;
			for await (const ids of chunksOf(form, target)) {
				const changed = await submissions.change(form, ids, change, options);
				if (isReleased) await release(form, changed);
				for (const id of changed) unknown.delete(encodeId(id));
				updated += changed.length;
			}
			await recordAction(storage, { facts: factsOf(input) });
			return { updated, ...ifAny(unknown) };
		},
		/**
		 * Removes submissions. By a search, which may find more than was meant, it only counts them unless `dryRun` is `false`.
		 * @throws AppError FORM_NOT_FOUND, VALIDATION_ERROR, FORBIDDEN
		 */
		async remove(formId: string, { mode, readInput, checkDisclosure }: BulkRequest<BulkDeletion>): Promise<Deleted> {
			const form = await findFormId(formId, mode);
			const input = await readInput();
			const target = parseTarget(input, checkDisclosure);
			const unknown = new Set(input.ids);
			if (input.dryRun ?? input.search !== undefined) {
				const matched = await count(form, target, unknown);
				await recordAction(storage, { facts: { ...factsOf(input), dryRun: true, matched } });
				return { deleted: 0, matched, dryRun: true, ...ifAny(unknown) };
			}
			const call = {};
			let deleted = 0;
			for await (const ids of chunksOf(form, target)) {
				const removed = await submissions.remove(form, ids, { call });
				for (const id of removed) unknown.delete(encodeId(id));
				deleted += removed.length;
			}
			await recordAction(storage, { facts: factsOf(input) });
			return { deleted, ...ifAny(unknown) };
		},
	};
}

const ifAny = (unknown: ReadonlySet<string>) => unknown.size > 0 && { unknown: [...unknown] };

/** The target as the audit log has it: of ids, and of what discloses content, only whether there is any. */
function factsOf(target: BulkTarget): Record<string, string | boolean> {
	const facts = {
		filter: target.filter,
		...mapSwitches((name) => target[name]?.toString()),
		...mapTexts((name, { disclosesContent }) => (disclosesContent ? target[name] !== undefined : target[name])),
		ids: target.ids !== undefined,
	};
	return Object.fromEntries(Object.entries(facts).filter(([, value]) => value)) as Record<string, string | boolean>;
}

/** @throws AppError VALIDATION_ERROR */
function changeOf({ set, ...sent }: BulkUpdate): OwnedChange {
	const others = WORD_LISTS.flatMap(({ adding, removing }) => [adding, removing]);
	if (!set && others.every((name) => !sent[name]))
		throw invalidField('set', 'REQUIRED', `set is required, unless ${others.join(' or ')} is there.`);
	// As `readJson` has it of the members of a body.
	const lost = TEXT_NAMES.find((name) => set?.[name] === '');
	const message = `set.${lost} must not be an empty text: send a value, or null for none.`;
	if (lost) throw invalidField(`set.${lost}`, 'EMPTY', message);
	for (const list of WORD_LISTS) {
		const { name, adding, removing } = list;
		const added = sent[adding];
		if (added) checkWords(added, adding, list);
		if (set?.[name] && (added ?? sent[removing]))
			throw invalidField(`set.${name}`, 'CONFLICT', `set.${name} cannot be combined with ${adding} or ${removing}.`);
	}
	return {
		...storedOwned(set ?? {}, 'set.'),
		...mapWordLists('adding', ({ adding }) => sent[adding]),
		...mapWordLists('removing', ({ removing }) => sent[removing]),
	};
}

/** Requires `ids` or `filter`: without both a request would mean all submissions. */
function parseTarget(target: BulkTarget, checkDisclosure: BulkRequest<never>['checkDisclosure']): Target {
	const { ids, filter } = target;
	if (ids === undefined) {
		if (filter === undefined) throw invalidField('ids', 'REQUIRED', 'Either ids or filter is required.');
		const criteria = parseCriteria({ ...target, filter });
		const disclosures = mapTexts((name, { disclosesContent }) => disclosesContent && target[name] !== undefined);
		if (Object.values(disclosures).includes(true)) checkDisclosure('search');
		return { criteria };
	}
	const extra = CRITERIA.find((criterion) => target[criterion] !== undefined);
	if (extra !== undefined) throw invalidField(extra, 'CONFLICT', `${extra} cannot be combined with ids.`);
	return { ids: [...new Set(ids)].flatMap((id) => decodeId(id) ?? []) };
}
