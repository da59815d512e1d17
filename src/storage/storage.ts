/** The contract between the features and the engine that stores their rows, and how it is opened. */

import type { BaseSQLiteDatabase } from 'drizzle-orm/sqlite-core';
import type { Events } from '../events.ts';
import type { Log } from '../log.ts';
import type { ClockReport } from './clock-report.ts';
import type { DiskUse } from './database.ts';
import type { Findings } from './findings.ts';
import type { NameCounter } from './name-count.ts';
import { openSqlite } from './sqlite/open.ts';
import type {
	Filter,
	Flags,
	NewSubmission,
	Page,
	PageEntry,
	PageQuery,
	StoredSubmission,
	SubmissionHead,
} from './submission.ts';
import type { FormRow, Mode } from './tables.ts';
import type { ClockStep, Timeline } from './timeline.ts';

// biome-ignore lint/suspicious/noExplicitAny: the engine's own result type is of no concern to features
export type Db = BaseSQLiteDatabase<'sync' | 'async', any>;

/** A query built with Drizzle and not yet run. */
export interface Query<T = unknown> extends PromiseLike<T> {
	prepare(): { execute(): unknown };
}

export type Results<T extends readonly Query[]> = { -readonly [K in keyof T]: Awaited<T[K]> };

export interface StorageOptions {
	log?: Log;
	now?: () => number;
	/** Milliseconds that pass, whatever the clock does. */
	elapsed?: () => number;
	/** When a segment of the search index is full. */
	searchSegment?: { submissions: number; characters: number };
	/** How many field names of a form are listed. */
	maxListedNames?: number;
}

export interface Storage {
	/** For reading: `await db.select()…`. It cannot write. */
	db: Db;
	/** The form with that public id. @throws FormGone if there is none (in that mode) */
	findForm(id: string, mode?: Mode): Promise<FormRow>;
	/**
	 * Runs the statements that `build` returns in one transaction, all or nothing, and resolves with their results
	 * once they are on disk. Those with `returning()` resolve with rows. `build` may be called again.
	 * @throws UniqueViolation, Unavailable
	 */
	batch<const T extends readonly Query[]>(build: (tx: Db) => T): Promise<Results<T>>;
	/** Submissions have their own way in and out, because they come by the thousand. */
	submissions: SubmissionStore;
	search: SearchIndex;
	/** A new id, later than all that this process made. */
	nextId(): number;
	clock: Clock;
	/** Published after the commit. */
	events: Events;
	/** What is wrong at the moment. */
	findings: Findings;
	/** A log for all others: what findings say already is left out, and what it is told of damage becomes a finding. */
	logBeside(log: Log): Log;
	/** Changes whenever anything but submissions may have changed, by this process or another: for caches. */
	version(): number;
	disk(): DiskUse;
	/** @throws Unavailable if what lies at the path is another file, so that opening it would read, and could harm, that one. */
	requireFile(): void;
	/** Gives room back to the disk that long reads made the engine take; for a quiet time, because it may take long. */
	trimLog(): void;
	/** Commits what is queued and closes the database; nothing can be stored afterwards. */
	close(): void;
}

export interface SubmissionStore {
	/** Resolves when the submission is on disk. @throws FormGone if its form was deleted, Unavailable */
	append(row: NewSubmission): Promise<void>;
	/** Sets flags of submissions of a form, all or nothing; returns the ids that exist. */
	change(formId: number, ids: readonly number[], flags: Partial<Flags>): Promise<number[]>;
	/** Removes submissions of a form, all or nothing; returns the ids that existed. */
	remove(formId: number, ids: readonly number[]): Promise<number[]>;
	/** Removes up to `limit` submissions of a form that was deleted; `false` when none is left. */
	sweep(formId: number, limit: number): Promise<boolean>;
	read(formId: number, id: number): StoredSubmission | undefined;
	/** All but the text, which is not read for it. */
	head(formId: number, id: number): SubmissionHead | undefined;
	/**
	 * The text in UTF-8, or that much of its beginning. Meanwhile the engine holds the whole of it, and what is returned
	 * takes as much again.
	 */
	text(of: Pick<SubmissionHead, 'formId' | 'id'>, maxBytes?: number): Uint8Array | undefined;
	/** Those of the ids that exist, in their order, as on a page. */
	entries(formId: number, ids: readonly number[]): PageEntry[];
	page(query: PageQuery): Page;
	/** How many matching submissions lie between each two neighbouring ids of `bounds`, which ascend. */
	countBetween(formId: number, range: { filter: Filter; bounds: readonly number[] }): number[];
	/** The field names of all submissions but spam, or of spam, in the order first seen, as a JSON array. */
	namesJson(formId: number, isSpam: boolean): string;
	/** Whether there may be submissions with names that are not listed. */
	hasUnlistedNames(formId: number, isSpam: boolean): boolean;
	/** The version of a list that a recount may change; `undefined` if it is as it should be. */
	staleNames(formId: number, isSpam: boolean): number | undefined;
	/**
	 * Lists a form's field names by what was counted of its submissions before `fromId`; the few since are counted here.
	 * Resolves with `false` if they are too many for that. Nothing is done if the list is not of that version any more.
	 */
	relist(
		formId: number,
		count: { isSpam: boolean; version: number; fromId: number; counter: NameCounter },
	): Promise<boolean>;
	/** Resolves once everything that was enqueued before is on disk. */
	committed(): Promise<void>;
}

export interface SearchIndex {
	/**
	 * Indexes the next few submissions, or merges; `false` if there is nothing to do. For the one process that serves: two
	 * would disagree on the watermark.
	 * @param lastId No submission up to this one may still be on its way; the watermark never goes back.
	 */
	advance(lastId?: number, step?: 'usual' | 'short'): Promise<boolean>;
	/** Takes out some of what was removed; `false` if there is nothing to do. */
	clear(): Promise<boolean>;
	/** How many submissions were stored since the one with that id, as far as `limit`, and the newest id. */
	arrivals(sinceId: number, limit: number): { count: number; newest: number };
}

export interface Clock {
	/** Later than every id that was made. */
	end(): number;
	/** The moments that ids stand for. */
	timeline(): Timeline;
	/** Notices that the clock was set. */
	look(): void;
	/**
	 * The ids of a server come from memory. There must be one server at a time, which is what its lock is for.
	 * @param onStep Told of each time that the clock was set, from now on.
	 * @returns How to be no server any more.
	 */
	serve(onStep: (step: ClockStep) => void): () => void;
	/** What is to be said about the clock. */
	report(): ClockReport;
	/** Whether what is old by the clock is old: it has not been set for a while. */
	isSettled(): boolean;
}

/**
 * Opens the database, creating and migrating it as needed.
 * @throws AppError or Error with a sentence for the operator if it cannot be used
 */
export function openStorage(file: string, options: StorageOptions = {}): Storage {
	return openSqlite(file, options);
}
