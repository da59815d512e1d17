/** The contract between the features and whatever engine keeps their rows, and how it is opened. */

import { drizzle } from 'drizzle-orm/bun-sqlite';
import type { BaseSQLiteDatabase } from 'drizzle-orm/sqlite-core';
import { createEvents } from '../events.ts';
import type { Log } from '../log.ts';
import { createClock } from './clock.ts';
import { cannotStore } from './constraints.ts';
import { createDatabase, hasDatabase } from './database-place.ts';
import { measureDisk } from './disk-use.ts';
import { createFindForm } from './find-form.ts';
import { createFindings } from './findings.ts';
import { createFormIndex } from './form-index.ts';
import { migrate } from './migrate.ts';
import { createNameRelisting } from './name-relist.ts';
import { createPresentForms } from './present-forms.ts';
import { createSearchIndex, type SegmentSize } from './search-index.ts';
import {
	abandonConnection,
	closeWriteConnection,
	LOG_KEEPS_BYTES,
	openReadConnection,
	openWriteConnection,
	truncateLog,
} from './sqlite.ts';
import { createSubmissionLog } from './submission-log.ts';
import { createSubmissionTexts } from './submission-text.ts';
import { createWatch } from './watch.ts';
import { createWriter, type Job } from './writer.ts';

// biome-ignore lint/suspicious/noExplicitAny: the engine's own result type is of no concern to features
export type Db = BaseSQLiteDatabase<'sync' | 'async', any>;

/** A query built with Drizzle and not yet run. */
export interface Query<T = unknown> extends PromiseLike<T> {
	prepare(): { execute(): unknown };
}

/** A job for which there is a commit. */
const NOTHING: Job = { compound: false, run() {}, resolve() {}, reject() {} };

type Results<T extends readonly Query[]> = { -readonly [K in keyof T]: Awaited<T[K]> };

export type Storage = ReturnType<typeof openStorage>;

export interface StorageOptions {
	log?: Log;
	now?: () => number;
	/** Milliseconds that pass, whatever the clock does. */
	elapsed?: () => number;
	/** When a piece of the search index is full. */
	searchSegment?: SegmentSize;
	/** How many field names of a form are listed. */
	maxListedNames?: number;
}

/**
 * Opens the database file, creating and migrating it as needed.
 * @throws AppError or Error with a sentence for the operator if the file cannot be used.
 */
export function openStorage(
	file: string,
	{ log: serverLog, now = Date.now, elapsed, searchSegment, maxListedNames }: StorageOptions = {},
) {
	if (!hasDatabase(file)) createDatabase(file);
	const client = openWriteConnection(file);
	try {
		migrate(client);
	} catch (error) {
		client.close();
		throw error;
	}
	const reader = openReadConnection(file);
	const db: Db = drizzle(reader);
	const tx: Db = drizzle(client);
	const index = createFormIndex(client, { maxListedNames });
	const dataVersion = client.prepare('pragma data_version');
	let seenVersion = Number(dataVersion.values()[0]?.[0]);
	let generation = 0;
	let isFresh = false;
	let isOpen = true;

	/** Notices what another process wrote, such as a command beside the server. */
	function refresh(): void {
		const version = dataVersion.values()[0]?.[0] as number;
		if (version === seenVersion) return;
		seenVersion = version;
		generation++;
		index.forget();
		clock.refresh();
	}

	/** Like {@link refresh}, at most once in a turn of the event loop: requests that arrive together share the look. */
	function refreshOnce(): void {
		if (isFresh) return;
		isFresh = true;
		setImmediate(() => {
			isFresh = false;
		});
		refresh();
	}

	const events = createEvents();
	const findings = createFindings({ log: serverLog, now, elapsed });
	const watch = createWatch(client, { file, findings });
	const forms = createPresentForms(client);
	const writer = createWriter(client, {
		hooks: {
			begun: () => {
				refresh();
				forms.forget();
			},
			committing: () => {
				index.flush();
				clock.flush();
			},
			rolledBack: () => {
				index.forget();
				clock.rolledBack();
			},
		},
		findings,
		glance: watch.glance,
	});
	const clock = createClock(client, { now, elapsed, commitSoon: () => writer.enqueue(NOTHING) });
	const log = createSubmissionLog(client, { writer, index, forms, events });
	const texts = createSubmissionTexts(reader);
	const search = createSearchIndex(client, writer, searchSegment);

	return {
		/** For reading: `await db.select()…`. It cannot write. */
		db,
		/** The form with that public id. @throws AppError FORM_NOT_FOUND if there is none (in that mode) */
		findForm: createFindForm(db),
		/**
		 * Runs the statements that `build` returns in one transaction, all or nothing, and resolves with their results
		 * once they are on disk. Those with `returning()` answer rows.
		 */
		batch<const T extends readonly Query[]>(build: (tx: Db) => T): Promise<Results<T>> {
			return new Promise((resolve, reject) => {
				let results: unknown[] = [];
				writer.enqueue({
					compound: true,
					run: () => {
						forms.forget();
						results = build(tx).map((query) => (query.prepare().execute() as { sync(): unknown }).sync());
					},
					resolve: () => {
						generation++;
						resolve(results as Results<T>);
					},
					reject,
				});
			});
		},
		/** Submissions have their own way in and out, because they come by the thousand. */
		submissions: {
			...log,
			...texts,
			append(row: Parameters<typeof log.append>[0]): Promise<void> {
				const refusal = findings.refusal('submission');
				return refusal ? Promise.reject(refusal) : log.append(row);
			},
			...createNameRelisting(client, { writer, index }),
			page: (query: Parameters<typeof log.page>[0]) => {
				refreshOnce();
				return log.page(query);
			},
			countBetween: (...args: Parameters<typeof log.countBetween>) => {
				refreshOnce();
				return log.countBetween(...args);
			},
			staleNames: (...args: Parameters<typeof index.staleNames>) => {
				refreshOnce();
				return index.staleNames(...args);
			},
			hasUnlistedNames: (...args: Parameters<typeof index.hasUnlistedNames>) => {
				refreshOnce();
				return index.hasUnlistedNames(...args);
			},
		},
		search,
		/** What is wrong at the moment. */
		findings,
		/** @throws AppError if what lies at the path is another file, so that opening it would read, and could harm, that one. */
		requireFile(): void {
			watch.look();
			if (findings.has('file')) throw cannotStore();
		},
		/** What the log took while somebody read for long goes back to the disk; done at a quiet time, for it copies all of that. */
		trimLog(): void {
			if (!findings.has('file') && measureDisk(file).walBytes > LOG_KEEPS_BYTES) truncateLog(client);
		},
		/** Told of what is on disk. */
		events,
		nextId: clock.nextId,
		clock,
		/** Changes whenever anything but submissions may have changed, by this process or another: for caches. */
		version(): number {
			refreshOnce();
			return generation;
		},
		/** Commits what is queued and closes the file; nothing can be stored afterwards. */
		close(): void {
			if (!isOpen) return;
			isOpen = false;
			writer.drain();
			if (!watch.stop()) {
				abandonConnection(client);
				abandonConnection(reader);
				return;
			}
			reader.close();
			closeWriteConnection(client);
		},
	};
}
