/** The contract between the features and the engine that stores their rows. */

import type { BaseSQLiteDatabase } from 'drizzle-orm/sqlite-core';
import type { Events } from '../events.ts';
import type { Log } from '../log/log.ts';
import type { Actions, AuditStatement, Recorded } from './audit/action.ts';
import type { ClockReport } from './clock-report.ts';
import type { DiskUse } from './database.ts';
import type { Counts, Filter, Place } from './filters.ts';
import type { Findings } from './findings.ts';
import type {
	Confirmation,
	Confirming,
	FieldNames,
	ImportedPlace,
	ImportedSubmission,
	List,
	ListQuery,
	NewSubmission,
	OwnedChange,
	PageEntry,
	Paging,
	Scanned,
	Selection,
	StoredFile,
	StoredSubmission,
	SubmissionHead,
	UniqueHashes,
} from './submission.ts';
import type { Announce } from './submissions/announced.ts';
import type { Columns } from './submissions/operation.ts';
import type { FormRow, Mode } from './tables.ts';
import type { Timeline } from './timeline.ts';

// biome-ignore lint/suspicious/noExplicitAny: the engine's own result type is of no concern to features
export type Db = BaseSQLiteDatabase<'sync' | 'async', any>;

/** A query built with Drizzle and not yet run. */
export interface Query<T = unknown> extends PromiseLike<T> {
	prepare(): { execute(): unknown };
}

export type Results<T extends readonly Query[]> = { -readonly [K in keyof T]: Awaited<T[K]> };

/** See {@link Storage.batch}. */
export type RecordOf<T extends readonly Query[]> = null | ((results: Results<T>) => Recorded | null);

export interface StorageOptions {
	log?: Log;
	/** One other than `Date.now` counts in place of any clock that the engine has of its own. */
	now?: () => number;
	/** Milliseconds that pass, whatever the clock does. */
	elapsed?: () => number;
	/** The path of the program that calls `serveScans`, which long reads need. */
	scans?: string;
	/** When a segment of the search index is full. */
	searchSegment?: { submissions: number; characters: number };
	/** The actions of owners and commands, which leave entries in the audit log; without it there are none. */
	actions?: Actions;
	/** Called before a new database is created; an error that it throws prevents that. */
	beforeNew?: () => Promise<void>;
}

export interface Storage {
	/**
	 * For reading: `await db.select()…`. It is not to write. Queries are Drizzle's for SQLite, with fragments of SQL that mean the
	 * same in every engine; flags are the numbers 0 and 1 in them, but for `is_spam`.
	 */
	db: Db;
	/** The form with that public id. @throws FormGone if there is none (in that mode) */
	findForm(id: string, mode?: Mode): Promise<FormRow>;
	/** Its row id, for what needs none of its settings: they are forty columns. @throws FormGone as above */
	findFormId(id: string, mode?: Mode): Promise<number>;
	/**
	 * Runs the statements that `build` returns in one transaction, all or nothing, and resolves with their results
	 * once they are on disk. Those with `returning()` resolve with rows. `build` may be called again.
	 * @param record Called with the results, inside the transaction: what it says of the action that this is part of, for the entry
	 * of the audit log, which is written with it. `null`: it is not what makes the action happen.
	 * @throws UniqueViolation, Unavailable
	 */
	batch<const T extends readonly Query[]>(build: (tx: Db) => T, record?: RecordOf<T>): Promise<Results<T>>;
	/** Submissions have their own way in and out, because they come by the thousand. */
	submissions: SubmissionStore;
	search: SearchIndex;
	/** True if other servers may use it at the same time. */
	isShared: boolean;
	/**
	 * A new id, later than all that this process made, and made by no other. An engine has what it needs for that once it is
	 * open.
	 */
	nextId(): number;
	clock: Clock;
	/** Published after the commit; to a server also those of other servers and commands, where the engine passes them on. */
	events: Events;
	/** The current problems. */
	findings: Findings;
	/** A log for features: errors that findings report already are left out, and an error of damage becomes a finding. */
	logBeside(log: Log): Log;
	/**
	 * Grows whenever settings may have changed, of forms, former slugs or webhooks, by this process or another: for caches
	 * of them. Submissions and deliveries of this process leave it as it is. It is asked for by every request that uses such
	 * a cache: an engine that knows it at once does not make them wait.
	 */
	settingsVersion(): number | Promise<number>;
	/** How often processes wrote of which this one gets no events. */
	foreignWrites(): number;
	disk(): Promise<DiskUse>;
	/** Returns whether a backup is copying files, so that none may be removed. To be called after the keys to remove were read. */
	areFilesHeld(): Promise<boolean>;
	/** From now on this process is a server: it accepts submissions by the thousand. Returns a function that stops it. */
	serve(): () => void;
	/**
	 * Does work that one process does for all: calls `start` once this process is its leader, at once where there is only one
	 * server. An engine may end it, by what `start` returned, and start it again. Returns what ends it for good.
	 */
	lead(work: 'maintenance' | 'search' | 'delivery' | 'backup', start: () => StopWork): StopWork;
	/** Tidies up after the engine itself; for a quiet time, because it may take long. */
	maintain(): void;
	/** Commits what is queued and closes the database; nothing can be stored afterwards. */
	close(): Promise<void>;
}

/** Resolves when the work has ended; attempts in flight may take so long. */
export type StopWork = (graceMs: number) => Promise<void>;

export interface ScanRequest {
	selection: Scanned;
	order: Paging['order'];
}

/**
 * Takes as many of the submissions as it wants; it may be run again from its beginning, in a thread beside the server. What it
 * returns passes between threads; its `bytes` are not copied.
 */
export type Scan<Request extends ScanRequest, Result> = (
	submissions: Iterable<StoredSubmission>,
	request: Request,
) => Result;

/** By the names under which they are asked for. */
// biome-ignore lint/suspicious/noExplicitAny: each has a request and a result of its own
export type Scans = Readonly<Record<string, Scan<any, unknown>>>;

export interface ChangeOptions {
	/** Whom a mark as spam teaches: all forms, or this one alone. */
	teaches?: 'all' | 'form';
	/** Changes with the same one are parts of one call. */
	call?: object;
}

export interface SubmissionStore {
	/**
	 * Resolves with the id that its sender is told, when it is on disk. It gets that as it is written, so that no list which was read
	 * before has a later one. A form with `maxSubmissions` never has more by this: those in its
	 * inbox count.
	 * @throws FormGone if its form was deleted, FormFull, UniqueViolation if its idempotency key is in use, ValueTaken, Unavailable
	 */
	append(row: NewSubmission): Promise<number>;
	/**
	 * Stores submissions of earlier moments among those of a form, all or nothing, however many it takes, and is silent about them. Lists
	 * that were read before may have later ones. Returns where each is; one that was imported already, or is there under its former id,
	 * is not new.
	 * @param beside Further statements of the transaction.
	 * @throws FormGone, Unavailable
	 */
	import(
		formId: number,
		rows: readonly ImportedSubmission[],
		beside?: (tx: Db) => readonly AuditStatement[],
	): Promise<ImportedPlace[]>;
	/**
	 * Sets flags of submissions of a form, all or nothing; returns the ids that exist, in the order given. What becomes spam has
	 * the reason it had before, or `marked`; what is no spam has none. `isSpam`, whether it changes anything or not, is the
	 * owner's mark, kept in the table `spamMarks`, which teaches. Spam holds no unique values; what becomes genuine holds those that
	 * no other submission holds by then, and what a submission held goes to the oldest genuine one that has it too. A pending one can become
	 * spam; nothing else ends that it waits.
	 */
	change(formId: number, ids: readonly number[], change: OwnedChange, options?: ChangeOptions): Promise<number[]>;
	/**
	 * Has pending submissions of a form, the older first, lie in its inbox from `confirmedAt` on (milliseconds since 1970), each with its
	 * deliveries, all in one transaction; returns what came of each. A form with `maxSubmissions` never has more by this.
	 */
	confirm(formId: number, pending: readonly Confirming[], confirmedAt: number): Promise<Map<number, Confirmation>>;
	/** The ids of the pending submissions of a form for an address, from an id on, ascending. */
	pendingOf(formId: number, of: { addressKey: string; fromId: number; limit: number }): Promise<number[]>;
	/**
	 * Removes submissions of a form with all that belongs to them, all or nothing; returns the ids that existed, in the order given. Unique
	 * values go on as above.
	 */
	remove(formId: number, ids: readonly number[], options?: Pick<ChangeOptions, 'call'>): Promise<number[]>;
	/** From now on the deliveries that it plans for changes and removals are written with them. */
	announceBy(announce: Announce): void;
	/** Adds the unique values of submissions that are stored; those that are not spam hold what no other one holds, older ones first. */
	holdValues(formId: number, values: readonly UniqueHashes[]): Promise<void>;
	/** Removes the files of submissions of a form, which keep their names and sizes; all or nothing. */
	dropFiles(formId: number, ids: readonly number[]): Promise<void>;
	/** Gives a file of which no bytes are kept an object of the file store; returns whether it had none until then. */
	keepFile(formId: number, file: Pick<StoredFile, 'id' | 'key' | 'scan'>): Promise<boolean>;
	/** Removes up to `limit` submissions of a form that was deleted; `false` when none is left. */
	sweep(formId: number, limit: number): Promise<boolean>;
	/** `undefined` if there is none in that form. */
	get(formId: number, id: number): Promise<StoredSubmission | undefined>;
	/** All but the text, which is not read for it. */
	head(formId: number, id: number): Promise<SubmissionHead | undefined>;
	/**
	 * The text in UTF-8, or that much of its beginning. Meanwhile the engine holds the whole of it, and what is returned
	 * takes as much again.
	 */
	text(of: Pick<SubmissionHead, 'formId' | 'id'>, maxBytes?: number): Promise<Uint8Array | undefined>;
	/** Those of the ids that exist, in their order, as on a page. */
	entries(formId: number, ids: readonly number[]): Promise<PageEntry[]>;
	/**
	 * The files of submissions in the order sent; submissions without files are absent. What removes a submission moves the
	 * keys of its files to the table `removedFiles`, in the same transaction.
	 */
	files(ids: readonly number[]): Promise<Map<number, StoredFile[]>>;
	/** Returns whether any submission of a form has files, including files that were not kept. */
	hasFiles(formId: number): Promise<boolean>;
	/** The room that the files of a form take, or those of all, as `roomOf` says. */
	fileBytes(formId?: number): Promise<number>;
	/** @throws AppError UNAVAILABLE if a search takes too long, or too many are in flight */
	list(query: ListQuery): Promise<List>;
	/** How many submissions match; throws as `list` does. */
	count(selection: Selection): Promise<number>;
	/** The first ids of a selection; throws as `list` does. */
	ids(selection: Selection, part: Omit<Paging, 'offset'>): Promise<number[]>;
	/** Returns the counts of each form; zeros for one that does not exist. */
	counts(formIds: readonly number[]): Promise<Map<number, Counts>>;
	/** Returns, for each form, how many matching submissions lie between each two neighbouring ids of `bounds`, which ascend. */
	countsBetween(
		formIds: readonly number[],
		range: { filter: Filter; bounds: readonly number[] },
	): Promise<Map<number, number[]>>;
	names(formId: number, place: Place): Promise<FieldNames>;
	/** Keeps no name that no submission of the form has any more, where some are kept longer. */
	forgetNames(formId: number): Promise<void>;
	/** To be called while the request can still be rejected. @throws Unavailable if nothing could be scanned now */
	prepareScan(): void;
	/** Runs one of `StorageOptions.scans`; throws as `list` does. */
	scan<Request extends ScanRequest, Result>(name: string, request: Request): Promise<Result>;
}

/** The reads that each engine has of its own. */
export type ListedReads = Pick<
	SubmissionStore,
	'list' | 'count' | 'ids' | 'counts' | 'countsBetween' | 'names' | 'forgetNames' | 'prepareScan' | 'scan'
>;

/** Full-text search follows behind the commits. */
export interface SearchIndex {
	/** Keeps the index up to date; for the leader. Returns how to stop. */
	follow(log: Log): () => Promise<void>;
	/** Indexes all that is stored now. */
	catchUp(): Promise<void>;
}

export interface Clock {
	/** The time that counts, in milliseconds since 1970: where servers share a database, that of the database. */
	now(): number;
	/** Later than every id that was made, as far as this process knows. */
	end(): number;
	/** No submission below this id will appear any more: a list that a client continues from its newest moment ends here. */
	horizon(): Promise<number>;
	/** The moments that ids stand for. */
	timeline(): Timeline;
	/** To be called about once a second by a server: notices that the clock was set. */
	look(): void;
	report(): ClockReport;
	/** Returns whether old times can be trusted: the clock has not been set for a while. */
	isSettled(): boolean;
}

export type RowValues = (string | number | null)[];

export interface MovedTable {
	name: string;
	columns: Columns;
	/** The columns that identify a row, and the order in which rows are moved. */
	key: readonly string[];
}

/** One of the two databases; nothing else can write to it until it is closed. */
export interface MoveSide {
	/** Among the server's values: one that is the engine's own, and not moved. */
	ownValue: string;
	count(table: MovedTable): Promise<number>;
	/** Those behind a key, in chunks. */
	rows(table: MovedTable, after?: RowValues): AsyncIterable<RowValues[]>;
	close(): Promise<void>;
}

/** No server starts on it until it is finished. */
export interface MoveTarget extends MoveSide {
	/** A sentence that says how to begin the move anew. */
	anew: string;
	lastKey(table: MovedTable): Promise<RowValues | undefined>;
	/** In one transaction, with the derived data. */
	write(table: MovedTable, rows: readonly RowValues[]): Promise<void>;
	/** Makes a database of it that servers may use. */
	finish(): Promise<void>;
}
