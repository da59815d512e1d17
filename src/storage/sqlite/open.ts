/** Opens a database in an SQLite file: the connections, and what works on them, put together. */

import { drizzle } from 'drizzle-orm/bun-sqlite';
import { createEvents } from '../../events.ts';
import { Unavailable } from '../errors.ts';
import { createFindForm } from '../find-form.ts';
import { createFindings, logBeside } from '../findings.ts';
import type { Db, Query, Results, Storage, StorageOptions } from '../storage.ts';
import { createClock } from './clock.ts';
import {
	abandonConnection,
	closeWriteConnection,
	LOG_KEEPS_BYTES,
	openReadConnection,
	openWriteConnection,
	truncateLog,
} from './connection.ts';
import { createDatabase, hasDatabase } from './database-place.ts';
import { measureDisk } from './disk-use.ts';
import { isDamage } from './failures.ts';
import { createFormIndex } from './form-index.ts';
import { migrate } from './migrate.ts';
import { createNameRelisting } from './name-relist.ts';
import { createPresentForms } from './present-forms.ts';
import { createSearchIndex } from './search-index.ts';
import { createSubmissionLog } from './submission-log.ts';
import { createSubmissionTexts } from './submission-text.ts';
import { createWatch } from './watch.ts';
import { createWriter, type Job } from './writer.ts';

/** A job for which there is a commit. */
const NOTHING: Job = { compound: false, run() {}, resolve() {}, reject() {} };

export function openSqlite(
	file: string,
	{ log: serverLog, now = Date.now, elapsed, searchSegment, maxListedNames }: StorageOptions,
): Storage {
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
		db,
		findForm: createFindForm(db),
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
		findings,
		logBeside: (others) => logBeside(findings, others, isDamage),
		disk: () => measureDisk(file),
		requireFile(): void {
			watch.look();
			if (findings.has('file')) throw new Unavailable();
		},
		trimLog(): void {
			if (!findings.has('file') && measureDisk(file).walBytes > LOG_KEEPS_BYTES) truncateLog(client);
		},
		events,
		nextId: clock.nextId,
		clock,
		version(): number {
			refreshOnce();
			return generation;
		},
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
