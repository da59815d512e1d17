/** Opens a database in an SQLite file: the connections, and what works on them, put together. */

import { drizzle } from 'drizzle-orm/bun-sqlite';
import { createEvents } from '../../events.ts';
import type { Log } from '../../log/log.ts';
import { lazy } from '../../tasks/lazy.ts';
import { createActions, NO_ENTRY } from '../audit/action.ts';
import { describeStep } from '../clock-report.ts';
import type { Db, Query, RecordOf, Results, StopWork, StorageOptions } from '../contract.ts';
import { Unavailable } from '../errors.ts';
import { createFindForm } from '../find-form.ts';
import { createFindings, logBeside } from '../findings.ts';
import { startIndexer } from '../indexer.ts';
import { createReader } from '../reader.ts';
import type { NewSubmission } from '../submission.ts';
import { createChanges } from '../submissions/change.ts';
import { createConfirming } from '../submissions/confirm.ts';
import { createFiles } from '../submissions/files.ts';
import { createImport } from '../submissions/import.ts';
import { createReads } from '../submissions/read.ts';
import { createHolding } from '../submissions/unique-values.ts';
import { createClock } from './clock.ts';
import {
	abandonConnection,
	behindLinks,
	closeWriteConnection,
	LOG_KEEPS_BYTES,
	openReadConnection,
	openWriteConnection,
	truncateLog,
} from './connection.ts';
import { rejectDamagedLog } from './damaged-log.ts';
import { createDatabase, hasDatabase } from './database-place.ts';
import { measureDisk } from './disk-use.ts';
import { isDamage } from './failures.ts';
import { createFormIndex } from './form-index.ts';
import { areFilesHeld, holdFiles } from './locks.ts';
import { migrate } from './migrate.ts';
import { createNameTidying } from './name-tidying.ts';
import { createEngine } from './operations.ts';
import { recountIfDue } from './recount.ts';
import { createSearchIndex } from './search-index.ts';
import { createSettingsVersion } from './settings-version.ts';
import { createSubmissionLists } from './submission-lists.ts';
import { createSubmissionPages } from './submission-pages.ts';
import type { SqliteReads } from './submission-reader.ts';
import { createPresentForms, createSubmissionStore } from './submission-store.ts';
import type { Job } from './transaction.ts';
import { createWatch } from './watch.ts';
import { createWriter, inTransaction } from './writer.ts';

/** A job for which there is a commit. */
const NOTHING: Job = { compound: false, run() {}, resolve() {}, reject() {} };

export type SqliteStorage = ReturnType<typeof openSqlite>;

/** Opens the engine. Members beyond the contract are for tests of the engine. */
export function openSqlite(
	file: string,
	{ log: serverLog, now = Date.now, elapsed, scans, searchSegment, actions = createActions() }: StorageOptions = {},
) {
	if (!hasDatabase(file)) createDatabase(file);
	rejectDamagedLog(behindLinks(file));
	const client = openWriteConnection(file);
	try {
		migrate(client);
	} catch (error) {
		client.close();
		throw error;
	}
	const reader = openReadConnection(file);
	const [db, tx]: [Db, Db] = [drizzle(reader), drizzle(client)];
	const index = createFormIndex(client);
	const dataVersion = client.prepare('pragma data_version');
	let seenVersion = Number(dataVersion.values()[0]?.[0]);
	/** From the first batch on, for which a start does not wait. */
	const watchSettings = lazy(() => createSettingsVersion(client));
	let ownChanges = 0;
	/** Another process wrote, settings perhaps. */
	let foreignWrites = 0;
	let isFresh = false;

	/** Notices what another process wrote, such as a command beside the server. */
	function refresh(): void {
		const version = dataVersion.values()[0]?.[0] as number;
		if (version === seenVersion) return;
		seenVersion = version;
		foreignWrites++;
		index.forget();
		clock.refresh();
	}

	/** Like {@link refresh}, at most once in a turn of the event loop: requests that arrive together share the look. */
	function refreshOnce(): number {
		if (isFresh) return foreignWrites;
		isFresh = true;
		setImmediate(() => {
			isFresh = false;
		});
		refresh();
		return foreignWrites;
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
	const store = createSubmissionStore(client, { writer, index, forms, events, nextId: clock.nextId });
	const engine = createEngine(client, { reader, writer, index });
	const written = { db: tx, events, openEntry: () => actions.open(clock.nextId) };
	const reads = createReads(engine);
	const { entries } = reads;
	const pages = createSubmissionPages(client, index);
	const search = createSearchIndex(client, writer, searchSegment);
	const longReads = createReader<SqliteReads>(file, { program: scans, findings, beforeOpening: requireFile });
	const tidyNames = createNameTidying(client, { writer, index });

	/** Opening the path would read, and could harm, what lies there if it is another file. */
	function requireFile(): void {
		watch.look();
		if (findings.has('file')) throw new Unavailable();
	}

	/** Ends long reads first. At once if there are none. */
	async function close(): Promise<void> {
		if (longReads.isRunning()) await longReads.close();
		writer.drain();
		if (!watch.stop()) {
			for (const connection of [client, reader]) abandonConnection(connection);
			return;
		}
		reader.close();
		closeWriteConnection(client);
	}

	return {
		db,
		isShared: false,
		...createFindForm(db),
		async batch<const T extends readonly Query[]>(build: (tx: Db) => T, record?: RecordOf<T>): Promise<Results<T>> {
			const readSettingsVersion = watchSettings();
			const entry = record === null ? NO_ENTRY : actions.open(clock.nextId);
			const run = (query: Query) => (query.prepare().execute() as { sync(): unknown }).sync();
			const write = () => {
				forms.forget();
				const results = build(tx).map(run) as Results<T>;
				entry.statements(tx, record?.(results)).forEach(run);
				return results;
			};
			const results = await entry.within(() => inTransaction(writer, write));
			ownChanges = readSettingsVersion();
			return results;
		},
		submissions: {
			...createChanges(engine, written),
			...createConfirming(engine, written),
			...createFiles(engine, written),
			...createHolding(engine),
			...createImport(engine, { ...written, findings, clock, nextId: clock.nextId }),
			...reads,
			append: (row: NewSubmission): Promise<number> => {
				const rejection = findings.rejection('submission');
				return rejection ? Promise.reject(rejection) : store.append(row);
			},
			...createSubmissionLists(reader, { entries, pages, index, reader: longReads, refresh: refreshOnce }),
		},
		search: {
			...search,
			catchUp: async () => {
				while ((await search.advance()) || (await search.clear()));
			},
			follow: (others: Log) => startIndexer({ search, findings, read: engine.read }, others),
		},
		findings,
		logBeside: (others: Log) => logBeside(findings, others, isDamage),
		disk: async () => measureDisk(file),
		areFilesHeld: async () => areFilesHeld(file),
		longReads,
		serve(): () => void {
			// Makes the lock file: a backup on a read-only mount can lock only one that is there.
			holdFiles(file)();
			// Only the server does it: another process would drop what this one follows with its search.
			if (recountIfDue(client, serverLog)) index.forget();
			return clock.serve((step) => serverLog?.warn(describeStep(step)));
		},
		lead: (_work: string, start: () => StopWork): StopWork => start(),
		maintain(): void {
			tidyNames().catch((cause: unknown) => {
				if (!(cause instanceof Unavailable)) serverLog?.warn('The field names could not be listed anew.', { cause });
			});
			if (!findings.has('file') && measureDisk(file).walBytes > LOG_KEEPS_BYTES) truncateLog(client);
		},
		events,
		nextId: clock.nextId,
		clock,
		settingsVersion: () => ownChanges + refreshOnce(),
		foreignWrites: refreshOnce,
		close: lazy(close),
	};
}
