/** Writes submissions, and with them all that their transaction holds: by statements prepared for as long as the file is open. */

import type { Database, Statement } from 'bun:sqlite';
import type { Events } from '../../events.ts';
import { lazy } from '../../tasks/lazy.ts';
import { FormFull, FormGone, UniqueViolation, ValueTaken } from '../errors.ts';
import { roomOf } from '../file-room.ts';
import { type Flags, NEW, PLACE } from '../filters.ts';
import { cellOf, DETAILS, detailsOf, KEY_AGAIN, OF_DELIVERY, OF_FILE, OF_KEY } from '../rows.ts';
import {
	type Arrival,
	arrivalOf,
	giveIds,
	type NewDelivery,
	type NewIdempotencyKey,
	type NewSubmission,
	placeOfNew,
	type StoredFile,
} from '../submission.ts';
import { isMissingParent } from './failures.ts';
import type { FormIndex } from './form-index.ts';
import type { Job } from './transaction.ts';
import type { Writer } from './writer.ts';

/** By their places. */
const ARRIVED: readonly Flags[] = [NEW, { ...NEW, isSpam: true }, { ...NEW, isPending: true }];

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

type PresentForms = ReturnType<typeof createPresentForms>;

/** Looks up the existing forms of a transaction, and how much they accept: once, however many submissions it holds. */
export function createPresentForms(client: Database) {
	const select = client.prepare('select max_submissions from forms where id = ? and deleted_at is null');
	const found = new Map<number, number | null>();
	return {
		/**
		 * How many submissions a form takes, `null` for any number. To be called inside the writer's transaction.
		 * @throws FormGone if the form was deleted
		 */
		maxSubmissions(formId: number): number | null {
			const known = found.get(formId);
			if (known !== undefined) return known;
			const [row] = select.values(formId) as [number | null][];
			if (!row) throw new FormGone('The form was deleted in the meantime.');
			found.set(formId, row[0]);
			return row[0];
		},
		/** To be called when a transaction begins, and before what may change forms in it. */
		forget(): void {
			found.clear();
		},
	};
}

export function createSubmissionStore(client: Database, { writer, index, forms, events, nextId }: StoreOptions) {
	const sql = prepareStatements(client);

	function insert(arrival: Append): void {
		const { row } = arrival;
		const place = placeOfNew(row);
		const isInInbox = place === PLACE.inbox;
		const { formId, data } = row;
		const most = forms.maxSubmissions(formId);
		if (most !== null && isInInbox && index.totals(formId).total >= most) throw new FormFull();
		giveIds(arrival, nextId);
		const { id } = arrival;
		sql.insert.run(id, formId, data, place, ...detailsOf(row));
		if (row.idempotencyKey) insertKey(arrival, row.idempotencyKey);
		for (const delivery of row.deliveries ?? []) insertDelivery(sql.insertDelivery(), arrival, delivery);
		if (row.files) insertFiles(arrival, row.files);
		for (const hash of row.uniqueHashes ?? []) {
			const { changes } = sql.insertUniqueValue().run(formId, hash, id, isInInbox ? 1 : 0);
			if (changes === 0) throw new ValueTaken();
		}
		index.add(formId, arrival, ARRIVED[place] as Flags);
	}

	function insertKey({ toldId, row: { formId } }: Arrival, key: NewIdempotencyKey): void {
		const values = OF_KEY.map((column) => cellOf(key, column));
		const { changes } = sql.insertIdempotencyKey().run(formId, toldId, ...values, key.since);
		if (changes === 0) throw new UniqueViolation('The idempotency key is in use.');
	}

	function insertFiles({ id, row: { formId } }: Arrival, files: readonly StoredFile[]): void {
		let kept = 0;
		for (const file of files) {
			sql.insertFile().run(formId, id, ...OF_FILE.map((column) => cellOf(file, column)));
			if (file.key !== null) kept += roomOf(file.bytes);
		}
		sql.addFileBytes().run(kept, formId);
	}

	function runAppend(this: Append): void {
		insert(this);
	}

	function resolveAppend(this: Append): void {
		const { id, toldId, row } = this;
		this.stored(toldId);
		if (events.isHeard('submission')) events.publish(arrivalOf(row, id));
	}

	return {
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
	};
}

function isCompound({ idempotencyKey, deliveries, files, uniqueHashes }: NewSubmission): boolean {
	const parts = [idempotencyKey, files, uniqueHashes];
	return parts.some((part) => part !== undefined) || (deliveries?.length ?? 0) > 0;
}

function prepareStatements(client: Database) {
	return {
		insert: client.prepare(
			`insert into submissions (id, form_id, data, is_spam, ${DETAILS.map(({ name }) => name).join(', ')})
			values (?, ?, ?, ?, ${DETAILS.map(() => '?').join(', ')})`,
		),
		insertIdempotencyKey: lazy(() => client.prepare(`${insertInto('idempotency_keys', OF_KEY)} ${KEY_AGAIN} ?`)),
		insertDelivery: lazy(() => client.prepare(insertInto('deliveries', OF_DELIVERY))),
		insertFile: lazy(() => client.prepare(insertInto('files', OF_FILE))),
		insertUniqueValue: lazy(() =>
			client.prepare(
				'insert into unique_values (form_id, hash, submission_id, is_held) values (?, ?, ?, ?) on conflict do nothing',
			),
		),
		addFileBytes: lazy(() => client.prepare('update forms set file_bytes = file_bytes + ? where id = ?')),
	};
}

/** A row that belongs to a submission. */
const insertInto = (table: string, columns: typeof OF_FILE) =>
	`insert into ${table} (form_id, submission_id, ${columns.map(({ name }) => name).join(', ')})
		values (?, ?, ${columns.map(() => '?').join(', ')})`;

function insertDelivery(statement: Statement, { id, row: { formId } }: Arrival, delivery: NewDelivery): void {
	try {
		statement.run(formId, id, ...OF_DELIVERY.map((column) => cellOf(delivery, column)));
	} catch (error) {
		// The webhook was deleted meanwhile, which is no reason to lose the submission.
		if (delivery.webhookId == null || !isMissingParent(error)) throw error;
	}
}
