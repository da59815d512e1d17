/** Stores submissions of earlier moments among those that are there, by the same SQL on both engines. */

import { AppError } from '../../errors.ts';
import type { Events } from '../../events.ts';
import { IDS_PER_MILLISECOND } from '../../ids.ts';
import type { Entry } from '../audit/action.ts';
import type { Clock, Db, SubmissionStore } from '../contract.ts';
import { FormGone, Unavailable, UniqueViolation } from '../errors.ts';
import { roomOf } from '../file-room.ts';
import type { Findings } from '../findings.ts';
import { ALL, cellOf, flagCellOf, OF_FILE, typesOf } from '../rows.ts';
import type { ImportedPlace, ImportedSubmission } from '../submission.ts';
import { built, type Columns, type Engine, type Operation, rows, type Value } from './operation.ts';

/** Ids of the last moments are left to submissions that arrive, whatever clocks differ. */
const SETTLED_IDS = 2000 * IDS_PER_MILLISECOND;
const LONGEST_WAIT_MS = 15_000;
const BETWEEN_LOOKS_MS = 50;
/** Places that are looked at together, at first and at most. */
const WINDOW = { first: 64, last: 8192 };
/** Moments of which the next free id is remembered. */
const MAX_MOMENTS = 10_000;
const TRIES = 5;

const SUBMISSION = typesOf(ALL);
const FILE: Columns = { form_id: 'bigint', submission_id: 'bigint', ...typesOf(OF_FILE) };

interface ImportOptions {
	db: Db;
	events: Events;
	findings: Pick<Findings, 'rejection'>;
	clock: Pick<Clock, 'horizon' | 'timeline'>;
	nextId: () => number;
	openEntry(): Entry;
	ownColumns?(formId: number, placed: readonly Placed[]): Promise<OwnColumns>;
}

/** Columns that only this engine has, with their values for each submission. */
export interface OwnColumns {
	columns: Columns;
	values: readonly Value[][];
}

/** With the first id that it may get. */
export interface Placed {
	row: ImportedSubmission;
	id: number;
	/** Made of form, time and fields. */
	hash: string;
	/** The hash, with the id that it has elsewhere: rows that agree in this are one submission. */
	key: string;
}

export function createImport(
	{ dialect, write, holdCounts }: Engine,
	{ db, events, findings, clock, nextId, openEntry, ownColumns }: ImportOptions,
): Pick<SubmissionStore, 'import'> {
	/** By the first id of a moment: the next one that may be free. */
	const next = new Map<number, number>();

	/** Below it, no process makes ids any more. */
	let below = 0;

	async function settle(latest: number): Promise<void> {
		for (const since = performance.now(); latest >= below; ) {
			// By which the ids of a server that had nothing to do go on.
			nextId();
			below = (await clock.horizon()) - SETTLED_IDS;
			if (latest < below) return;
			if (performance.now() - since > LONGEST_WAIT_MS) throw new Unavailable();
			await Bun.sleep(BETWEEN_LOOKS_MS);
		}
	}

	function place(formId: number, row: ImportedSubmission): Placed {
		const first = clock.timeline().idAt(row.at);
		if (first === undefined) throw new AppError('VALIDATION_ERROR', 'No id stands for the moment of a submission.');
		const { formerId = -1 } = row;
		const isOfMoment = clock.timeline().millisOf(formerId) === row.at && formerId >= first;
		const hash = new Bun.CryptoHasher('sha256').update(`${formId} ${row.at} ${row.data}`).digest('base64url');
		const key = row.formerId === undefined ? hash : `${hash} ${formerId}`;
		return { row, id: isOfMoment ? formerId : first, hash, key };
	}

	/** The ids of those that are there already, by their hashes and keys. */
	function* findKnown(formId: number, placed: readonly Placed[]): Operation<Map<string, number>> {
		const imported = yield* rows<[string, number]>(
			`select hash, submission_id from imports where ${dialect.isIn('hash', '$1', 'text')}`,
			[dialect.list(placed.flatMap(({ hash, key }) => [hash, key]))],
		);
		const former = placed.filter(({ row, id }) => row.formerId === id);
		const there = yield* rows<[number, string]>(
			`select id, data from submissions where form_id = $1 and ${dialect.isIn('id', '$2')}`,
			[formId, dialect.list(former.map(({ id }) => id))],
		);
		const dataOf = new Map(there);
		const same = former.filter(({ row, id }) => dataOf.get(id) === row.data);
		return new Map([...same.flatMap(({ hash, key, id }) => [[hash, id] as const, [key, id] as const]), ...imported]);
	}

	/** Gives each its id: the one it may have, or the next free one behind that. */
	function* giveIds(placed: readonly Placed[]): Operation<number[]> {
		const wanted = placed.map(({ id: moment }) => {
			const id = Math.max(moment, next.get(moment) ?? 0);
			if (next.size >= MAX_MOMENTS) next.clear();
			next.set(moment, id + 1);
			return id;
		});
		const found = yield* rows<[number]>(`select id from ${dialect.usedIds} used where ${dialect.isIn('id', '$1')}`, [
			dialect.list(wanted),
		]);
		const taken = new Set(found.map(([id]) => id));
		const given: number[] = [];
		for (const [i, { id: moment }] of placed.entries()) {
			const id = taken.has(wanted[i] as number) ? yield* freeId(wanted[i] as number, taken) : (wanted[i] as number);
			taken.add(id);
			given.push(id);
			next.set(moment, Math.max(id + 1, next.get(moment) ?? 0));
		}
		return given;
	}

	function* freeId(from: number, taken: ReadonlySet<number>): Operation<number> {
		for (let start = from, width = WINDOW.first; ; start += width, width = Math.min(2 * width, WINDOW.last)) {
			const found = yield* rows<[number]>(`select id from ${dialect.usedIds} used where id >= $1 and id < $2`, [
				start,
				start + width,
			]);
			const used = new Set(found.map(([id]) => id));
			for (let id = start; id < start + width; id++) if (!used.has(id) && !taken.has(id)) return id;
		}
	}

	return {
		async import(formId, imported, beside = () => []) {
			const rejection = findings.rejection('submission');
			if (rejection) throw rejection;
			const placed = imported.map((row) => place(formId, row));
			await settle(placed.reduce((latest, { id }) => Math.max(latest, id, next.get(id) ?? 0), 0) + placed.length);
			const own = await ownColumns?.(formId, placed);
			const entry = openEntry();

			function* store(): Operation<ImportedPlace[]> {
				const moveCounts = yield* holdCounts(formId);
				const forms = yield* rows('select 1 from forms where id = $1 and deleted_at is null', [formId]);
				if (!moveCounts || forms.length === 0) throw new FormGone('The form was deleted in the meantime.');
				const idOf = yield* findKnown(formId, placed);
				const seen = new Set(idOf.keys());
				const fresh = placed.filter(({ hash, key }) => !seen.has(key) && seen.add(hash).add(key));
				if (fresh.length === 0) return placed.map(({ key }) => ({ id: idOf.get(key) as number, isNew: false }));
				const ids = yield* giveIds(fresh);
				// More of one moment than it has ids: behind it come those of the present.
				if (ids.some((id) => id >= below)) throw new Unavailable();
				// A row without an id is any that has its hash. Whatever gets another id has to be told from its like by the key.
				const hashes = fresh.map(({ row, hash, key }, i) => {
					const id = ids[i] as number;
					const isAny = !idOf.has(hash);
					if (isAny) idOf.set(hash, id);
					idOf.set(key, id);
					return isAny && row.formerId === id ? hash : key;
				});
				const indexOf = new Map(placed.map((one, i) => [one, i]));
				yield* dialect.insert(
					'submissions',
					{ ...SUBMISSION, ...own?.columns },
					fresh.map((one, i) => [
						...valuesOf({ ...one.row, id: ids[i] as number, formId }),
						...(own?.values[indexOf.get(one) as number] ?? []),
					]),
				);
				yield* dialect.insert(
					'imports',
					{ submission_id: 'bigint', hash: 'text' },
					hashes.map((hash, i) => [ids[i] as number, hash]),
				);
				yield* dialect.index(fresh.map(({ row: { data } }, i) => ({ id: ids[i] as number, formId, data })));
				yield* storeFiles(formId, fresh, ids);
				yield* moveCounts(fresh.map(({ row }, i) => ({ id: ids[i] as number, after: row })));
				const recorded = entry.statements(db, { formId, counts: { submissions: fresh.length } });
				for (const statement of [...beside(db), ...recorded]) yield* built(statement);
				const isNew = new Set(fresh);
				return placed.map((one) => ({ id: idOf.get(one.key) as number, isNew: isNew.has(one) }));
			}

			const places = await again(() => entry.within(() => write(store)));
			if (places.some(({ isNew }) => isNew)) events.publish({ type: 'change', formId });
			return places;
		},
	};

	function* storeFiles(formId: number, placed: readonly Placed[], ids: readonly number[]): Operation<void> {
		const files = placed.flatMap(({ row }, i) => (row.files ?? []).map((file) => ({ file, id: ids[i] as number })));
		if (files.length === 0) return;
		const values = files.map(({ file, id }) => [formId, id, ...OF_FILE.map((column) => cellOf(file, column))]);
		yield* dialect.insert('files', FILE, values);
		const kept = files.reduce((sum, { file }) => sum + (file.key === null ? 0 : roomOf(file.bytes)), 0);
		yield* rows('update forms set file_bytes = file_bytes + $2 where id = $1', [formId, kept]);
	}
}

/** Another server, or another import, may give a form of its own the same ids at the same time: the next look sees them. */
async function again<T>(store: () => Promise<T>): Promise<T> {
	for (let tries = 1; ; tries++) {
		try {
			return await store();
		} catch (error) {
			if (!(error instanceof UniqueViolation)) throw error;
			if (tries === TRIES) throw new Unavailable(error);
		}
	}
}

/** In the order of the columns. */
function valuesOf(row: Omit<ImportedSubmission, 'at'> & { id: number; formId: number }): Value[] {
	return ALL.map((column) => (column.kind === 'flag' ? flagCellOf(row, column) : cellOf(row, column)));
}
