/** Writes and pages of submissions: the hot paths, held as prepared statements for as long as the file is open. */

import type { Database, Statement } from 'bun:sqlite';
import type { Events } from '../../events.ts';
import { lazy } from '../../lazy.ts';
import { UniqueViolation } from '../errors.ts';
import type {
	Filter,
	Flags,
	ListQuery,
	NewDelivery,
	NewIdempotencyKey,
	NewSubmission,
	Page,
	PageEntry,
	StoredSubmission,
} from '../submission.ts';
import { isMissingParent } from './failures.ts';
import { type Block, blockIndexOf, type Count, type FormIndex } from './form-index.ts';
import { namesOf } from './name-count.ts';
import type { PresentForms } from './present-forms.ts';
import { createSubmissionFiles } from './submission-files.ts';
import type { Job, Writer } from './writer.ts';

export type Row = [number, number, number, number, string, string | null, string | null, string | null];

type PageRow = [number, number, number, number, string | number, string | null, string | null, string | null];

export const COLUMNS = 'id, is_read, is_starred, is_spam, data, spam_reason, subject, reply_to';
const COUNT_OF: Record<Filter, Count> = { all: 'total', unread: 'unread', starred: 'starred', spam: 'spam' };
export const CONDITION: Record<Filter, string> = {
	all: 'is_spam = 0',
	unread: 'is_spam = 0 and is_read = 0',
	starred: 'is_spam = 0 and is_starred = 1',
	spam: 'is_spam = 1',
};
export const BEYOND_ALL_IDS = Number.MAX_SAFE_INTEGER;
/** From so many bytes on, a text of a page is read by itself: a page of smaller ones is little in memory. */
const LARGE_BYTES = 16 * 1024;
const PAGE_COLUMNS = COLUMNS.replace('data', `iif(octet_length(data) < ${LARGE_BYTES}, data, octet_length(data))`);

/** One object and no closures, because they come by the thousand. */
interface Append extends Job {
	row: NewSubmission;
	stored(): void;
}

export type SubmissionLog = ReturnType<typeof createSubmissionLog>;

export function createSubmissionLog(
	client: Database,
	{ writer, index, forms, events }: { writer: Writer; index: FormIndex; forms: PresentForms; events: Events },
) {
	const sql = prepareStatements(client);
	const files = createSubmissionFiles(client);

	function insert(row: NewSubmission): void {
		const isSpam = row.spamReason !== null;
		const { id, formId, data, spamReason, subject, replyTo } = row;
		forms.check(formId);
		sql.insert.run(id, formId, isSpam ? 1 : 0, data, spamReason, subject, replyTo);
		if (row.idempotencyKey) insertIdempotencyKey(sql.insertIdempotencyKey, row.idempotencyKey);
		for (const delivery of row.deliveries ?? []) insertDelivery(sql.insertDelivery, row, delivery);
		if (row.files) files.insert(row, row.files);
		index.count(formId, { id, isRead: false, isStarred: false, isSpam, names: row.names }, 1);
	}

	function runAppend(this: Append): void {
		insert(this.row);
	}

	function resolveAppend(this: Append): void {
		this.stored();
		const { formId, id } = this.row;
		if (events.isHeard()) events.publish({ type: 'submission', formId, submissionId: id });
	}

	function changeOne(formId: number, id: number, flags: Partial<Flags>): boolean {
		const before = read(formId, id);
		if (!before) return false;
		const after = { ...before, ...flags };
		if (after.isRead === before.isRead && after.isStarred === before.isStarred && after.isSpam === before.isSpam)
			return true;
		const names = after.isSpam === before.isSpam ? [] : namesOf(before.data);
		const spamReason = after.isSpam ? (before.spamReason ?? 'marked') : null;
		sql.change.run(Number(after.isRead), Number(after.isStarred), Number(after.isSpam), spamReason, id);
		index.count(formId, { ...before, names }, -1);
		index.count(formId, { ...after, names }, 1);
		return true;
	}

	function removeOne(formId: number, id: number): boolean {
		const row = read(formId, id);
		if (!row) return false;
		files.remove(id);
		sql.remove.run(id);
		sql.unindex.run(id);
		index.count(formId, { ...row, names: namesOf(row.data) }, -1);
		return true;
	}

	function read(formId: number, id: number): StoredSubmission | undefined {
		const row = sql.read.values(id, formId)[0] as Row | undefined;
		return row && toStored(row);
	}

	/** Runs `one` for each id in one transaction; returns the ids for which it returned `true`. */
	function forEach(formId: number, ids: readonly number[], one: (id: number) => boolean): Promise<number[]> {
		return new Promise((resolve, reject) => {
			let done: number[] = [];
			writer.enqueue({
				compound: true,
				run: () => {
					done = ids.filter(one);
				},
				resolve: () => {
					resolve(done);
					events.publish({ type: 'change', formId });
				},
				reject,
			});
		});
	}

	/** How many matching rows have an id below `id`: whole blocks from memory, one part block from its index. */
	function countBelow(formId: number, filter: Filter, id: number): number {
		const count = COUNT_OF[filter];
		if (id >= BEYOND_ALL_IDS) return index.totals(formId)[count];
		const blocks = index.blocks(formId);
		const last = blockIndexOf(blocks, id);
		if (last < 0) return 0;
		let below = 0;
		for (let i = 0; i < last; i++) below += (blocks[i] as Block)[count];
		const { firstId } = blocks[last] as Block;
		return below + Number(sql.count[filter]().values(formId, firstId, id)[0]?.[0] ?? 0);
	}

	/** Reads `limit` rows from the one of that rank (0 = oldest match) onwards, skipping by the blocks' counts. */
	function readFromRank(query: Omit<ListQuery, 'words'>, rank: number, limit: number): PageEntry[] {
		const count = COUNT_OF[query.filter];
		const blocks = index.blocks(query.formId);
		const isAscending = query.order === 'asc';
		const statement = (isAscending ? sql.ascending : sql.descending)[query.filter]();
		const { at, below } = locate(blocks, { count, rank, total: index.totals(query.formId)[count] });
		const rows: PageRow[] = [];
		let skip = isAscending ? rank - below : below + (blocks[at] as Block)[count] - 1 - rank;
		let i = at;
		for (; rows.length < limit && i >= 0 && i < blocks.length; i += isAscending ? 1 : -1) {
			const block = blocks[i] as Block;
			if (block[count] === 0) continue;
			const next = blocks[i + 1]?.firstId ?? BEYOND_ALL_IDS;
			const found = statement.values(query.formId, block.firstId, next, limit - rows.length, skip) as PageRow[];
			for (const row of found) rows.push(row);
			skip = 0;
		}
		return rows.map((row) => toStored(row));
	}

	return {
		/** Stores a submission; resolves when it is on disk. @throws AppError FORM_NOT_FOUND if its form was deleted */
		append(row: NewSubmission): Promise<void> {
			return new Promise((stored, reject) => {
				const job: Append = { row, compound: isCompound(row), run: runAppend, resolve: resolveAppend, stored, reject };
				writer.enqueue(job);
			});
		},
		change(formId: number, ids: readonly number[], flags: Partial<Flags>): Promise<number[]> {
			return forEach(formId, ids, (id) => changeOne(formId, id, flags));
		},
		remove(formId: number, ids: readonly number[]): Promise<number[]> {
			return forEach(formId, ids, (id) => removeOne(formId, id));
		},
		read,
		/** Those of the ids that are there, in their order, as of a page. */
		entries(formId: number, ids: readonly number[]): PageEntry[] {
			return ids.flatMap((id) => (sql.entry().values(id, formId) as PageRow[]).map((row) => toStored(row)));
		},
		/** A page without a search. */
		page(query: Omit<ListQuery, 'words'>): Page {
			const { formId, filter, order, limit, offset, fromId = 0, beforeId = BEYOND_ALL_IDS } = query;
			const low = fromId > 0 ? countBelow(formId, filter, fromId) : 0;
			const high = countBelow(formId, filter, beforeId);
			const total = Math.max(0, high - low);
			const wanted = Math.min(limit, total - offset);
			if (wanted <= 0) return { rows: [], total };
			const rank = order === 'asc' ? low + offset : high - 1 - offset;
			return { rows: readFromRank(query, rank, wanted), total };
		},
		/** How many matching submissions lie between each two neighbouring ids of `bounds`, which ascend. */
		countBetween(formId: number, { filter, bounds }: { filter: Filter; bounds: readonly number[] }): number[] {
			const end = countBelow(formId, filter, BEYOND_ALL_IDS);
			// Most of many forms are quiet: then nothing more has to be looked up.
			let isQuiet = false;
			const below = bounds.map((id) => {
				const count = isQuiet ? end : countBelow(formId, filter, id);
				isQuiet ||= count === end;
				return count;
			});
			return below.slice(1).map((count, i) => count - (below[i] as number));
		},
		/** The field names in use, as a JSON array; see {@link FormIndex}. */
		namesJson: index.namesJson,
		/** Removes up to `limit` submissions of a form that was deleted; `false` when none is left. */
		sweep(formId: number, limit: number): Promise<boolean> {
			return new Promise((resolve, reject) => {
				let removed = 0;
				writer.enqueue({
					compound: true,
					run: () => {
						files.removeFirst(formId, limit);
						sql.unindexSwept.run(formId, limit);
						removed = sql.sweep.run(formId, limit).changes;
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

/** The block that holds the match of that rank, and how many matches lie in the blocks before it; sought from the nearer end. */
function locate(blocks: readonly Block[], { count, rank, total }: { count: Count; rank: number; total: number }) {
	if (rank < total / 2) {
		let below = 0;
		let at = 0;
		for (; rank >= below + (blocks[at] as Block)[count]; at++) below += (blocks[at] as Block)[count];
		return { at, below };
	}
	let below = total;
	let at = blocks.length;
	while (below > rank) below -= (blocks[--at] as Block)[count];
	return { at, below };
}

function prepareStatements(client: Database) {
	const each = (text: (condition: string) => string): Record<Filter, () => Statement> => ({
		all: lazy(() => client.prepare(text(CONDITION.all))),
		unread: lazy(() => client.prepare(text(CONDITION.unread))),
		starred: lazy(() => client.prepare(text(CONDITION.starred))),
		spam: lazy(() => client.prepare(text(CONDITION.spam))),
	});
	const range = 'from submissions where form_id = ?1 and id >= ?2 and id < ?3';
	const first = 'select id from submissions where form_id = ? order by id limit ?';
	return {
		insert: client.prepare(
			`insert into submissions (id, form_id, is_spam, data, spam_reason, subject, reply_to)
				values (?, ?, ?, ?, ?, ?, ?)`,
		),
		insertIdempotencyKey: client.prepare(
			`insert into idempotency_keys (form_id, key, body_hash, next, created_at) values (?, ?, ?, ?, ?)
				on conflict (form_id, key) do update set
				body_hash = excluded.body_hash, next = excluded.next, created_at = excluded.created_at where created_at <= ?`,
		),
		insertDelivery: client.prepare(
			`insert into deliveries (id, form_id, submission_id, channel, webhook_id, event, state, destination, next_attempt_at,
				last_error) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		),
		change: client.prepare(
			'update submissions set is_read = ?, is_starred = ?, is_spam = ?, spam_reason = ? where id = ?',
		),
		remove: client.prepare('delete from submissions where id = ?'),
		read: client.prepare(`select ${COLUMNS} from submissions where id = ? and form_id = ?`),
		entry: lazy(() => client.prepare(`select ${PAGE_COLUMNS} from submissions where id = ? and form_id = ?`)),
		sweep: client.prepare(`delete from submissions where id in (${first})`),
		/** Leaves the rest to the search index, which is behind anyway. */
		unindex: client.prepare('insert or ignore into search_removals (id) values (?)'),
		unindexSwept: client.prepare(`insert or ignore into search_removals (id) ${first}`),
		count: each((condition) => `select count(*) ${range} and ${condition}`),
		ascending: each(
			(condition) => `select ${PAGE_COLUMNS} ${range} and ${condition} order by id asc limit ?4 offset ?5`,
		),
		descending: each(
			(condition) => `select ${PAGE_COLUMNS} ${range} and ${condition} order by id desc limit ?4 offset ?5`,
		),
	};
}

function insertIdempotencyKey(
	statement: Statement,
	{ formId, key, bodyHash, next, createdAt, since }: NewIdempotencyKey,
): void {
	const { changes } = statement.run(formId, key, bodyHash, next ?? null, createdAt, since);
	if (changes === 0) throw new UniqueViolation('The idempotency key is in use.');
}

function insertDelivery(statement: Statement, row: NewSubmission, delivery: NewDelivery): void {
	try {
		statement.run(...deliveryValues(row, delivery));
	} catch (error) {
		// The webhook was deleted meanwhile, which is no reason to lose the submission.
		if (delivery.webhookId == null || !isMissingParent(error)) throw error;
	}
}

/** In the order of the columns of the statement. */
function deliveryValues({ id, formId }: NewSubmission, delivery: NewDelivery) {
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

export function toStored(row: Row): StoredSubmission;
export function toStored(row: PageRow): PageEntry;
export function toStored([id, isRead, isStarred, isSpam, data, spamReason, subject, replyTo]: PageRow): PageEntry {
	return {
		id,
		isRead: isRead === 1,
		isStarred: isStarred === 1,
		isSpam: isSpam === 1,
		data,
		spamReason,
		subject,
		replyTo,
	};
}
