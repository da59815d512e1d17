/** Changes of stored submissions: flags, removal, and the sweep of a form that was deleted. */

import { invalidField } from '../../errors.ts';
import type { Events } from '../../events.ts';
import { encodeId } from '../../ids.ts';
import { mapNames } from '../../text/map-names.ts';
import type { Entry } from '../audit/action.ts';
import type { Details } from '../audit/changes.ts';
import type { ChangeOptions, Db, SubmissionStore } from '../contract.ts';
import { type Flags, PLACE } from '../filters.ts';
import { columnOf, OWNED, type OwnedName, WORD_LISTS, type WordList } from '../owned.ts';
import { BEYOND_ALL_IDS, MARK_AGAIN, OWNED_NAMES, toOwned } from '../rows.ts';
import type { Owned, OwnedChange } from '../submission.ts';
import { changeWords, joinWords, splitWords } from '../word-lists.ts';
import { type Announce, type ChangeAbout, writeDeliveries } from './announced.ts';
import { removeFiles } from './files.ts';
import {
	built,
	type Dialect,
	type Engine,
	type MoveCounts,
	type Operation,
	rows,
	type Transition,
	type Value,
} from './operation.ts';
import { passOnValues, takeValues } from './unique-values.ts';

interface Found extends Owned, Pick<Flags, 'isPending'> {
	id: number;
}

/** Returns those that really change. */
type Act = (found: readonly Found[], moveCounts: MoveCounts) => Operation<readonly Transition[]>;

interface Target extends Pick<ChangeOptions, 'call'>, Omit<ChangeAbout, 'call'> {
	/** They go into the audit log. */
	facts?: Details['facts'];
}

interface ChangesOptions {
	/** To build statements by. */
	db: Db;
	events: Events;
	/** The entry of the audit log that a change belongs to. */
	openEntry(): Entry;
}

export function createChanges(
	{ dialect, write, holdCounts }: Engine,
	{ db, events, openEntry }: ChangesOptions,
): Pick<SubmissionStore, 'change' | 'remove' | 'sweep' | 'announceBy'> {
	let announce: Announce | undefined;
	/** By form, the last id that was swept: PostgreSQL would pass over all before it, which stay in the index for as long as a dump runs. */
	const swept = new Map<number, number>();

	/** Runs `act` on those of the ids that exist, in one transaction; returns them in the order given. */
	async function onFound({ facts, call = {}, ...target }: Target, act: Act): Promise<number[]> {
		const { formId, ids } = target;
		const announcement = announce && (await announce({ ...target, call }));
		const entry = openEntry();
		function* change() {
			// It was rolled back with an attempt before.
			announcement?.deliveries([]);
			const moveCounts = yield* holdCounts(formId);
			if (!moveCounts) return [];
			const found = (yield* rows<[number, ...Value[]]>(
				`select ${OWNED_NAMES} from submissions
					where form_id = $1 and ${dialect.isIn('id', '$2')} order by id ${dialect.forUpdate}`,
				[formId, dialect.list(ids)],
			)).map(([id, ...owned]) => ({ id, ...toOwned(owned) }));
			if (found.length === 0) return [];
			const changed = yield* act(found, moveCounts);
			if (announcement && changed.length > 0) yield* writeDeliveries(dialect, announcement, changed);
			for (const statement of entry.statements(db, { formId, facts, counts: { submissions: found.length } }))
				yield* built(statement);
			return found.map(({ id }) => id);
		}
		const done = await entry.within(() => write<number[]>(change));
		announcement?.stored();
		events.publish({ type: 'change', formId });
		const present = new Set(done);
		return ids.filter((id) => present.delete(id));
	}

	return {
		announceBy(by) {
			announce = by;
		},
		change(formId, ids, change, { teaches = 'all', call } = {}) {
			const lists = WORD_LISTS.filter(({ adding, removing }) => change[adding] ?? change[removing]);
			const keys = OWNED.filter((key) => change[key] !== undefined || lists.some(({ name }) => name === key));
			// Flags with their values; of words only that they change.
			const facts = mapNames(keys, (key) => change[key] !== false);
			const target = { formId, ids, call, isRemoval: false, isSpam: change.isSpam, facts };
			return onFound(target, function* (found, moveCounts) {
				if (change.isSpam !== undefined)
					yield* rows(
						`insert into spam_marks (submission_id, form_id, is_spam, for_all)
							select id, form_id, $2, $3 from submissions where ${dialect.isIn('id', '$1')}
							on conflict (submission_id) do update set ${MARK_AGAIN}`,
						[dialect.list(found.map(({ id }) => id)), Number(change.isSpam), teaches === 'all' ? null : 2],
					);
				const changed = found
					.map((row) => {
						const isPending = row.isPending && !change.isSpam;
						const words = Object.fromEntries(lists.map((list) => [list.name, wordsAfter(list, row, change)]));
						return { id: row.id, before: row, after: { ...row, ...change, ...words, isPending } };
					})
					.filter(({ before, after }) => keys.some((key) => before[key] !== after[key]));
				if (changed.length === 0) return changed;
				yield* moveCounts(changed);
				const wordsOf = ({ after }: (typeof changed)[number]) => JSON.stringify(lists.map(({ name }) => after[name]));
				for (const alike of Map.groupBy(changed, wordsOf).values())
					yield* rows(`update submissions set ${assignments(keys, change)} where ${dialect.isIn('id', '$1')}`, [
						dialect.list(alike.map(({ id }) => id)),
						...keys
							.filter((key) => key !== 'isSpam')
							.map((key) => toCell((alike[0] as (typeof alike)[number]).after[key])),
					]);
				const changedIds = changed.map(({ id }) => id);
				if (change.isSpam) yield* passOnValues(dialect, formId, changedIds);
				else if (change.isSpam === false) yield* takeValues(dialect, [dialect.list(changedIds)]);
				return changed;
			});
		},
		remove: (formId, ids, { call } = {}) =>
			onFound({ formId, ids, call, isRemoval: true }, function* (found, moveCounts) {
				const gone = found.map((row) => ({ id: row.id, before: row }));
				const goneIds = found.map(({ id }) => id);
				yield* moveCounts(gone);
				yield* passOnValues(dialect, formId, goneIds);
				yield* removeRows(dialect, goneIds);
				return gone;
			}),
		/** The counts of a form that was deleted are of no interest. */
		async sweep(formId, limit) {
			const after = swept.get(formId) ?? 0;
			const last = await write(function* () {
				// Against statements that found the form before it was deleted, and still store submissions of it.
				yield* rows(`select 1 from forms where id = $1 ${dialect.forUpdate}`, [formId]);
				const found = yield* rows<[number]>(
					`select id from submissions where (form_id, id) >= ($1, $2) and (form_id, id) < ($1, $3)
						order by form_id, id limit ${limit} ${dialect.forUpdate}`,
					[formId, after + 1, BEYOND_ALL_IDS],
				);
				const ids = found.map(([id]) => id);
				if (ids.length > 0) yield* removeRows(dialect, ids);
				else if (after === 0 && dialect.afterSweep) yield* rows(dialect.afterSweep, [formId]);
				return ids.at(-1);
			});
			if (last !== undefined) swept.set(formId, last);
			else if (swept.delete(formId)) return this.sweep(formId, limit);
			return last !== undefined;
		},
	};
}

/** @throws AppError VALIDATION_ERROR if there is no room for one more */
function wordsAfter({ name, most, adding, removing }: WordList, row: Found, change: OwnedChange): string | null {
	const after = changeWords(splitWords(row[name]), { add: change[adding], remove: change[removing] });
	if (after.length <= most) return joinWords(after);
	const message = `${adding} finds no room: the submission ${encodeId(row.id)} would have more than ${most} ${name}.`;
	throw invalidField(adding, 'TOO_MANY', message);
}

function assignments(keys: readonly OwnedName[], { isSpam }: OwnedChange): string {
	const others = keys.filter((key) => key !== 'isSpam');
	const texts = others.map((key, i) => `${columnOf(key)} = $${i + 2}`);
	if (isSpam) texts.push(`is_spam = ${PLACE.spam}, spam_reason = coalesce(spam_reason, 'marked'), address_key = null`);
	// A pending one, which is no spam either, stays where it is.
	else if (isSpam === false)
		texts.push(`is_spam = case is_spam when ${PLACE.spam} then ${PLACE.inbox} else is_spam end, spam_reason = null`);
	return texts.join(', ');
}

/** Flags are numbers in the tables. */
function toCell(value: Owned[OwnedName]): Value {
	return typeof value === 'boolean' ? Number(value) : value;
}

function* removeRows(dialect: Dialect, ids: readonly number[]): Operation<void> {
	const list = [dialect.list(ids)];
	yield* removeFiles(dialect, list);
	// With it go the rows of its files.
	yield* rows(`delete from submissions where ${dialect.isIn('id', '$1')}`, list);
	// After the rows are locked: the search index adds no text to a submission that is not there.
	yield* rows(dialect.unindex, list);
}
