/** Changes of submissions that are stored: flags, removal, the sweep of a form; and single ones read. */

import type { Events } from '../../events.ts';
import { type Flags, moveOf } from '../filters.ts';
import {
	BEYOND_ALL_IDS,
	COLUMNS,
	FLAG_COLUMNS,
	HEAD_COLUMNS,
	MARK_AGAIN,
	PAGE_COLUMNS,
	type Row,
	toEntry,
	toFlags,
	toHead,
	toStored,
} from '../rows.ts';
import type { PageEntry, StoredSubmission, SubmissionHead } from '../submission.ts';
import { numbers, type Runner, rowsOf, type Sql } from './connection.ts';
import type { FormCounts, Move } from './counts.ts';
import { asStorageError, mayTryAgain } from './failures.ts';
import { removeFiles } from './submission-files.ts';
import { inOrder, OF_FORM_BETWEEN } from './submission-order.ts';

const MAX_TRIES = 5;

export interface SubmissionLogOptions {
	counts: Pick<FormCounts, 'move'>;
	events: Events;
}

interface Found extends Flags {
	id: number;
}

export function createSubmissionLog(sql: Sql, { counts, events }: SubmissionLogOptions) {
	/** By form, the last id that was swept: what lies before it is passed over, as it stays in the index for as long as a dump runs. */
	const swept = new Map<number, number>();

	/** Runs `act` on those of the ids that exist, in one transaction that holds the form's row, so that no fold goes between. */
	async function withRows(
		formId: number,
		ids: readonly number[],
		act: (tx: Runner, found: readonly Found[]) => Promise<Move[]>,
	): Promise<number[]> {
		const done = await again(() =>
			sql.begin(async (tx) => {
				const [form] = await rowsOf<[number]>(tx, 'select folded_to from forms where id = $1 for no key update', [
					formId,
				]);
				if (!form) return [];
				const rows = await rowsOf<[number, ...number[]]>(
					tx,
					`select ${FLAG_COLUMNS} from submissions
						where form_id = $1 and id = any($2::bigint[]) order by id for update`,
					[formId, numbers(ids)],
				);
				const found = rows.map(([id, ...flags]) => ({ id, ...toFlags(flags) }));
				const moves = await act(tx, found);
				await counts.move(tx, formId, { moves, foldedTo: form[0] });
				return found.map(({ id }) => id);
			}),
		);
		events.publish({ type: 'change', formId });
		const present = new Set(done);
		return ids.filter((id) => present.has(id));
	}

	/** The counts of a form that was deleted are of no interest. */
	async function sweep(formId: number, limit: number): Promise<boolean> {
		const after = swept.get(formId) ?? 0;
		const last = await again(() =>
			sql.begin(async (tx) => {
				// Against statements that found the form before it was deleted, and still store submissions of it.
				await rowsOf(tx, 'select 1 from forms where id = $1 for update', [formId]);
				const rows = await rowsOf<[number]>(
					tx,
					`select id from submissions where ${OF_FORM_BETWEEN} order by ${inOrder('asc')} limit ${limit} for update`,
					[formId, after + 1, BEYOND_ALL_IDS],
				);
				const ids = rows.map(([id]) => id);
				if (ids.length > 0) await removeRows(tx, ids);
				else if (after === 0) await rowsOf(tx, 'delete from form_shapes where form_id = $1', [formId]);
				return ids.at(-1);
			}),
		);
		if (last !== undefined) swept.set(formId, last);
		else if (swept.delete(formId)) return sweep(formId, limit);
		return last !== undefined;
	}

	return {
		change(
			formId: number,
			ids: readonly number[],
			flags: Partial<Flags>,
			teaches: 'all' | 'form' = 'all',
		): Promise<number[]> {
			return withRows(formId, ids, async (tx, found) => {
				if (flags.isSpam !== undefined && found.length > 0) {
					await rowsOf(
						tx,
						`insert into spam_marks (submission_id, form_id, is_spam, for_all)
							select id, $2, $3, $4 from unnest($1::bigint[]) as id
							on conflict (submission_id) do update set ${MARK_AGAIN}`,
						[numbers(found.map(({ id }) => id)), formId, Number(flags.isSpam), teaches === 'all' ? null : 2],
					);
				}
				const changed = found.filter((row) =>
					Object.entries(flags).some(([name, value]) => row[name as keyof Flags] !== value),
				);
				if (changed.length === 0) return [];
				const value = (flag: boolean | undefined) => (flag === undefined ? null : Number(flag));
				await rowsOf(
					tx,
					`update submissions set is_read = coalesce($2, is_read), is_starred = coalesce($3, is_starred),
						is_spam = coalesce($4, is_spam),
						spam_reason = case when coalesce($4, is_spam) = 1 then coalesce(spam_reason, 'marked') end
						where id = any($1::bigint[])`,
					[numbers(changed.map(({ id }) => id)), value(flags.isRead), value(flags.isStarred), value(flags.isSpam)],
				);
				return changed.map((row) => ({ id: row.id, ...moveOf(row, { ...row, ...flags }) }));
			});
		},
		remove(formId: number, ids: readonly number[]): Promise<number[]> {
			return withRows(formId, ids, async (tx, found) => {
				if (found.length === 0) return [];
				await removeRows(
					tx,
					found.map(({ id }) => id),
				);
				return found.map((row) => ({ id: row.id, ...moveOf(row) }));
			});
		},
		sweep,
		async get(formId: number, id: number): Promise<StoredSubmission | undefined> {
			const [row] = await rowsOf<Row>(sql, `select ${COLUMNS} from submissions where id = $1 and form_id = $2`, [
				id,
				formId,
			]);
			return row && toStored(row);
		},
		async head(formId: number, id: number): Promise<SubmissionHead | undefined> {
			const text = `select ${HEAD_COLUMNS} from submissions where id = $1 and form_id = $2`;
			const [row] = await rowsOf<Row>(sql, text, [id, formId]);
			return row && toHead(formId, id, row);
		},
		async text(
			{ formId, id }: Pick<SubmissionHead, 'formId' | 'id'>,
			maxBytes?: number,
		): Promise<Uint8Array | undefined> {
			const bytes = "convert_to(data, 'UTF8')";
			const asked = maxBytes === undefined ? bytes : `substring(${bytes} from 1 for ${Math.floor(maxBytes)})`;
			const [row] = await rowsOf<[Uint8Array]>(sql, `select ${asked} from submissions where id = $1 and form_id = $2`, [
				id,
				formId,
			]);
			return row?.[0];
		},
		async entries(formId: number, ids: readonly number[]): Promise<PageEntry[]> {
			return readEntries(sql, formId, ids);
		},
	};
}

/** Those of the ids that exist, in their order. */
export async function readEntries(sql: Runner, formId: number, ids: readonly number[]): Promise<PageEntry[]> {
	if (ids.length === 0) return [];
	const rows = await rowsOf<Row>(
		sql,
		`select ${PAGE_COLUMNS} from submissions where form_id = $1 and id = any($2::bigint[])`,
		[formId, numbers(ids)],
	);
	const byId = new Map(rows.map((row) => [row[0], toEntry(row)]));
	return ids.flatMap((id) => byId.get(id) ?? []);
}

async function removeRows(tx: Runner, ids: readonly number[]): Promise<void> {
	const list = numbers(ids);
	await removeFiles(tx, list);
	await rowsOf(tx, 'delete from submissions where id = any($1::bigint[])', [list]);
	// After the rows are locked: the search index adds no text to a submission that is not there.
	await rowsOf(tx, 'delete from search_texts where id = any($1::bigint[])', [list]);
}

/** Transactions that stood in each other's way were rolled back, and run anew. */
export async function again<T>(run: () => Promise<T>): Promise<T> {
	for (let tries = 1; ; tries++) {
		try {
			return await run();
		} catch (error) {
			if (!mayTryAgain(error) || tries >= MAX_TRIES) throw asStorageError(error);
		}
	}
}
