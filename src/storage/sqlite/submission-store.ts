/** Writes submissions, and with them all that their transaction holds: by statements prepared for as long as the file is open. */

import type { Database, Statement } from 'bun:sqlite';
import type { Events } from '../../events.ts';
import { lazy } from '../../tasks/lazy.ts';
import { FormFull, UniqueViolation } from '../errors.ts';
import type { Flags } from '../filters.ts';
import { COLUMNS, DETAILS, detailOf, hasDetails, MARK_AGAIN, namesOf, type Row, toStored } from '../rows.ts';
import {
	type Arrival,
	giveIds,
	type NewDelivery,
	type NewIdempotencyKey,
	type NewSubmission,
	type StoredSubmission,
} from '../submission.ts';
import { isMissingParent } from './failures.ts';
import type { FormIndex } from './form-index.ts';
import type { PresentForms } from './present-forms.ts';
import { createSubmissionFiles } from './submission-files.ts';
import type { Job, Writer } from './writer.ts';

const NEW: Flags = { isRead: false, isStarred: false, isSpam: false };
const NEW_SPAM: Flags = { ...NEW, isSpam: true };

/** One object and no closures, because they come by the thousand. */
interface Append extends Job, Arrival {
	names: readonly string[];
	stored(id: number): void;
}

interface StoreOptions {
	writer: Writer;
	index: FormIndex;
	forms: PresentForms;
	events: Events;
	nextId: () => number;
}

export type SubmissionStore = ReturnType<typeof createSubmissionStore>;

export function createSubmissionStore(client: Database, { writer, index, forms, events, nextId }: StoreOptions) {
	const sql = prepareStatements(client);
	const files = createSubmissionFiles(client, index);

	function insert(arrival: Append): void {
		const { row } = arrival;
		const isSpam = row.spamReason !== null;
		const { formId, data } = row;
		const most = forms.maxSubmissions(formId);
		if (most !== null && !isSpam && index.totals(formId).total >= most) throw new FormFull();
		giveIds(arrival, nextId);
		const { id, toldId } = arrival;
		if (hasDetails(row)) {
			sql.insert().run(id, formId, data, isSpam ? 1 : 0, ...DETAILS.map((column) => detailOf(row, column)));
		} else sql.insertPlain.run(id, formId, data);
		if (row.idempotencyKey) insertIdempotencyKey(sql.insertIdempotencyKey(), row.idempotencyKey, toldId);
		for (const delivery of row.deliveries ?? []) insertDelivery(sql.insertDelivery(), arrival, delivery);
		if (row.files) files.insert(arrival, row.files);
		index.add(formId, arrival, isSpam ? NEW_SPAM : NEW);
	}

	function runAppend(this: Append): void {
		insert(this);
	}

	function resolveAppend(this: Append): void {
		const { id, toldId, row } = this;
		this.stored(toldId);
		if (events.isHeard('submission')) events.publish({ type: 'submission', formId: row.formId, submissionId: id });
	}

	function changeOne(formId: number, id: number, flags: Partial<Flags>, teaches: 'all' | 'form'): boolean {
		const before = read(formId, id);
		if (!before) return false;
		if (flags.isSpam !== undefined) sql.mark().run(id, formId, Number(flags.isSpam), teaches === 'all' ? null : 2);
		const after = { ...before, ...flags };
		if (after.isRead === before.isRead && after.isStarred === before.isStarred && after.isSpam === before.isSpam)
			return true;
		// Inbox and spam have a list of names each: a submission that stays in one changes neither.
		const names = after.isSpam === before.isSpam ? [] : namesOf(before.data);
		const spamReason = after.isSpam ? (before.spamReason ?? 'marked') : null;
		sql.change().run(Number(after.isRead), Number(after.isStarred), Number(after.isSpam), spamReason, id);
		index.change(formId, { id, names }, before, after);
		return true;
	}

	function removeOne(formId: number, id: number): boolean {
		const row = read(formId, id);
		if (!row) return false;
		files.remove(id);
		sql.remove().run(id);
		sql.unindex().run(id);
		index.change(formId, { id, names: namesOf(row.data) }, row);
		return true;
	}

	function read(formId: number, id: number): StoredSubmission | undefined {
		const row = sql.read().values(id, formId)[0] as Row | undefined;
		return row && toStored(row);
	}

	/** Runs `change` for each id in one transaction; returns the ids for which it returned `true`. */
	function changeEach(formId: number, ids: readonly number[], change: (id: number) => boolean): Promise<number[]> {
		return new Promise((resolve, reject) => {
			let done: number[] = [];
			writer.enqueue({
				compound: true,
				run: () => {
					done = ids.filter(change);
				},
				resolve: () => {
					resolve(done);
					events.publish({ type: 'change', formId });
				},
				reject,
			});
		});
	}

	return {
		/** Stores a submission; see the contract. */
		append(row: NewSubmission): Promise<number> {
			return new Promise((stored, reject) => {
				const job: Append = {
					row,
					id: 0,
					toldId: 0,
					names: row.names,
					compound: isCompound(row),
					run: runAppend,
					resolve: resolveAppend,
					stored,
					reject,
				};
				writer.enqueue(job);
			});
		},
		change(
			formId: number,
			ids: readonly number[],
			flags: Partial<Flags>,
			teaches: 'all' | 'form' = 'all',
		): Promise<number[]> {
			return changeEach(formId, ids, (id) => changeOne(formId, id, flags, teaches));
		},
		remove(formId: number, ids: readonly number[]): Promise<number[]> {
			return changeEach(formId, ids, (id) => removeOne(formId, id));
		},
		read,
		/** Removes up to `limit` submissions of a form that was deleted; `false` when none is left. */
		sweep(formId: number, limit: number): Promise<boolean> {
			return new Promise((resolve, reject) => {
				let removed = 0;
				writer.enqueue({
					compound: true,
					run: () => {
						files.removeFirst(formId, limit);
						sql.unindexSwept().run(formId, limit);
						removed = sql.sweep().run(formId, limit).changes;
					},
					resolve: () => resolve(removed > 0),
					reject,
				});
			});
		},
	};
}

function isCompound({ idempotencyKey, deliveries, files }: NewSubmission): boolean {
	return idempotencyKey !== undefined || files !== undefined || (deliveries?.length ?? 0) > 0;
}

function prepareStatements(client: Database) {
	const first = 'select id from submissions where form_id = ? order by id limit ?';
	return {
		/** Nearly every submission, in less time than by the other one. */
		insertPlain: client.prepare('insert into submissions (id, form_id, data) values (?, ?, ?)'),
		insert: lazy(() =>
			client.prepare(
				`insert into submissions (id, form_id, data, is_spam, ${DETAILS.map(({ name }) => name).join(', ')})
				values (?, ?, ?, ?, ${DETAILS.map(() => '?').join(', ')})`,
			),
		),
		insertIdempotencyKey: lazy(() =>
			client.prepare(
				`insert into idempotency_keys (form_id, key, body_hash, next, submission_id, created_at)
				values (?, ?, ?, ?, ?, ?) on conflict (form_id, key) do update set body_hash = excluded.body_hash,
				next = excluded.next, submission_id = excluded.submission_id, created_at = excluded.created_at where created_at <= ?`,
			),
		),
		insertDelivery: lazy(() =>
			client.prepare(
				`insert into deliveries (id, form_id, submission_id, channel, webhook_id, event, state, destination, next_attempt_at,
				last_error) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			),
		),
		change: lazy(() =>
			client.prepare('update submissions set is_read = ?, is_starred = ?, is_spam = ?, spam_reason = ? where id = ?'),
		),
		mark: lazy(() =>
			client.prepare(
				`insert into spam_marks (submission_id, form_id, is_spam, for_all) values (?, ?, ?, ?)
				on conflict (submission_id) do update set ${MARK_AGAIN}`,
			),
		),
		remove: lazy(() => client.prepare('delete from submissions where id = ?')),
		read: lazy(() => client.prepare(`select ${COLUMNS} from submissions where id = ? and form_id = ?`)),
		sweep: lazy(() => client.prepare(`delete from submissions where id in (${first})`)),
		/** Leaves the rest to the search index, which is behind anyway. */
		unindex: lazy(() => client.prepare('insert or ignore into search_removals (id) values (?)')),
		unindexSwept: lazy(() => client.prepare(`insert or ignore into search_removals (id) ${first}`)),
	};
}

function insertIdempotencyKey(
	statement: Statement,
	{ formId, key, bodyHash, next, createdAt, since }: NewIdempotencyKey,
	submissionId: number,
): void {
	const { changes } = statement.run(formId, key, bodyHash, next ?? null, submissionId, createdAt, since);
	if (changes === 0) throw new UniqueViolation('The idempotency key is in use.');
}

function insertDelivery(statement: Statement, arrival: Arrival, delivery: NewDelivery): void {
	try {
		statement.run(...deliveryValues(arrival, delivery));
	} catch (error) {
		// The webhook was deleted meanwhile, which is no reason to lose the submission.
		if (delivery.webhookId == null || !isMissingParent(error)) throw error;
	}
}

/** In the order of the columns of the statement. */
function deliveryValues({ id, row: { formId } }: Arrival, delivery: NewDelivery) {
	const { channel, webhookId, event, state, destination, nextAttemptAt, lastError } = delivery;
	return [
		delivery.id ?? null,
		formId,
		id,
		channel,
		webhookId ?? null,
		event ?? 'submission.created',
		state,
		destination,
		nextAttemptAt ?? null,
		lastError ?? null,
	];
}
