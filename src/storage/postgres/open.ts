/** Opens a database in PostgreSQL: the connections, and what works on them, put together. */

import type { Log } from '../../log/log.ts';
import { HOUR_MS } from '../../tasks/durations.ts';
import { lazy } from '../../tasks/lazy.ts';
import { createActions, NO_ENTRY } from '../audit/action.ts';
import type { Db, Query, RecordOf, Results, Storage, StorageOptions } from '../contract.ts';
import { Unavailable } from '../errors.ts';
import { createFindForm } from '../find-form.ts';
import { createFindings, logBeside } from '../findings.ts';
import { arrivalOf, type NewSubmission } from '../submission.ts';
import { createChanges } from '../submissions/change.ts';
import { createConfirming } from '../submissions/confirm.ts';
import { createFiles } from '../submissions/files.ts';
import { createImport } from '../submissions/import.ts';
import { createReads } from '../submissions/read.ts';
import { createHolding } from '../submissions/unique-values.ts';
import { createAvailability } from './availability.ts';
import { createClock } from './clock.ts';
import { createCommitBlockers } from './commit-blockers.ts';
import { connect, createDb, type Runner, SILENT_MS } from './connection.ts';
import { createCounts } from './counts.ts';
import { measure } from './database.ts';
import { createFieldNames } from './field-names.ts';
import { createLeaders } from './leaders.ts';
import { createLongReads } from './long-reads.ts';
import { migrate, readSchema } from './migrate.ts';
import { createEngine, transact } from './operations.ts';
import { createSearch } from './search.ts';
import { checkServer } from './server-check.ts';
import { createServerEvents } from './server-events.ts';
import { createSettingsVersion, SETTINGS_CHANGED } from './settings-version.ts';
import { startProblem } from './start-problem.ts';
import { areFilesHeld, recountFiles } from './submission-files.ts';
import { createSubmissionLists } from './submission-lists.ts';
import { rejectUnfinishedMove } from './unfinished-move.ts';
import { createWatch } from './watch.ts';
import { createWriter } from './writer.ts';

const CONNECTIONS = 6;

export async function openPostgres(
	url: string,
	{ log: serverLog, beforeNew, now = Date.now, elapsed, scans, actions = createActions() }: StorageOptions = {},
): Promise<Storage> {
	const findings = createFindings({ log: serverLog, now, elapsed });
	const blockers = createCommitBlockers(url, findings);
	const availability = createAvailability(blockers.note);
	const pool = connect(url, {
		name: 'formsrv',
		max: CONNECTIONS,
		silentMs: SILENT_MS,
		onNotice: ({ text }) => {
			if (text === SETTINGS_CHANGED) settings.noteChange();
		},
	});
	const sql = availability.bind(pool);
	const settings = createSettingsVersion(sql, () => clock.servers.areOthers());
	const another = () => connect(url, { name: 'formsrv start', max: 1 });
	const watch = createWatch(url, { findings, availability, log: serverLog });
	const onError = (cause: unknown) => {
		if (!findings.has('database')) serverLog?.warn('The database could not be asked.', { cause });
	};
	const serverEvents = createServerEvents(sql, {
		connectTo: (on) => connect(url, { name: 'formsrv events', max: 1, silentMs: SILENT_MS, ...on }),
		onError,
	});
	const { events } = serverEvents;
	const names = createFieldNames(sql);
	const onStored = (row: NewSubmission, submissionId: number) => {
		counts.count(row.formId);
		if (serverEvents.isTold('submission')) events.publish(arrivalOf(row, submissionId));
	};
	const writer = createWriter(url, sql, {
		clock: () => clock,
		findings,
		shapesOf: names.shapesOf,
		onStored,
		onError: blockers.noteStoring,
	});
	let clock: Awaited<ReturnType<typeof createClock>>;
	try {
		await watch.begin();
		await checkServer(url);
		if (beforeNew && (await readSchema(sql)) === 0) await beforeNew();
		await migrate(sql, another);
		clock = await createClock(sql, { now, oldestWriting: writer.oldestId, onError });
		await rejectUnfinishedMove(sql).catch(async (error: unknown) => {
			await clock.close();
			throw error;
		});
	} catch (error) {
		await writer.close();
		await watch.stop();
		await blockers.stop();
		await sql.end();
		throw startProblem(error, url);
	}
	const db = createDb(sql);
	const engine = createEngine(sql);
	const written = { db, events, openEntry: () => actions.open(clock.nextId) };
	const counts = createCounts(sql, { horizon: clock.settled, onError });
	const leaders = createLeaders(url, onError);
	watch.start();
	let isClosing = false;
	let recountAt = 0;
	const isStoring = () => writer.oldestId() !== undefined;
	const longReads = createLongReads(url, { program: scans, findings, availability, isStoring });

	async function close(): Promise<void> {
		isClosing = true;
		await writer.close();
		await serverEvents.close();
		await leaders.close();
		await watch.stop();
		await blockers.stop();
		await longReads.close();
		await counts.close();
		await clock.close();
		await sql.end();
	}

	return {
		db,
		isShared: true,
		...createFindForm(db),
		async batch<const T extends readonly Query[]>(build: (tx: Db) => T, record?: RecordOf<T>): Promise<Results<T>> {
			if (isClosing) throw new Unavailable();
			const rejection = findings.rejection('write');
			if (rejection) throw rejection;
			const began = performance.now();
			const entry = record === null ? NO_ENTRY : actions.open(clock.nextId);
			const run = async (tx: Runner) => {
				const results: unknown[] = [];
				const txDb = createDb(tx);
				for (const query of build(txDb)) results.push(await query.prepare().execute());
				const recorded = record?.(results as Results<T>);
				for (const query of entry.statements(txDb, recorded)) await query.prepare().execute();
				return results as Results<T>;
			};
			const results = await entry.within(() => transact(sql, run));
			await settings.spread(began);
			return results;
		},
		submissions: {
			append: writer.append,
			...createChanges(engine, written),
			...createConfirming(engine, written),
			...createFiles(engine, written),
			...createHolding(engine),
			...createImport(engine, { ...written, findings, clock, nextId: clock.nextId, ownColumns: names.ownColumns }),
			...createReads(engine),
			...createSubmissionLists(sql, { counts, names: names.list, forgetNames: names.forget, longReads }),
		},
		search: createSearch(sql, { horizon: clock.settled, findings }),
		nextId: clock.nextId,
		clock,
		events,
		findings,
		logBeside: (others: Log) => logBeside(findings, others, () => false),
		settingsVersion: settings.version,
		foreignWrites: () => 0,
		disk: () => measure(sql),
		areFilesHeld: () => areFilesHeld(sql),
		serve(): () => void {
			serverEvents.listen();
			return () => {};
		},
		lead: leaders.lead,
		maintain(): void {
			names.tidy().catch(onError);
			if (performance.now() < recountAt) return;
			recountAt = performance.now() + HOUR_MS;
			recountFiles(sql).catch(onError);
		},
		close: lazy(close),
	};
}
