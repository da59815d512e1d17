/** The one writer: jobs that arrive together share one commit, and resolve after it is on disk. */

import type { Database } from 'bun:sqlite';
import { Unavailable } from '../errors.ts';
import type { Findings } from '../findings.ts';
import { asStorageError, isBusy, isDiskFull, isStorageFailure } from './failures.ts';
import { createHindrance, fateUnknown } from './hindrance.ts';

/** Bounds how long one commit can hold up the event loop. */
const MAX_JOBS_PER_COMMIT = 2000;
/** For how many turns of the event loop at most a commit waits, while each brings more to share it. */
const MAX_GATHERING_TURNS = 4;

/** While nothing can be committed, it is tried again after this long, and later less often: a disk that fails may be slow. */
const RETRY_MS = { first: 20, later: 250 };
/** Before a commit the files must have been looked at within the first of these, and after it within the second. */
const FRESH_MS = { before: 250, after: 500 };
/** For what is left when the file is closed. */
const LAST_WAIT_MS = 1000;

/** A job of several statements failed, and what it did before that is not undone. */
const HALF_DONE = Symbol('half done');

/**
 * One change. `run` is called inside the transaction, and again if that is rolled back to begin anew; `resolve` after the
 * commit is on disk, or `reject`.
 */
export interface Job {
	run(): void;
	resolve(): void;
	reject(error: unknown): void;
	/** Whether it is several statements, which must then stand or fall together. */
	compound: boolean;
}

export interface WriterHooks {
	/** Inside the transaction, before any job: no other process can write from here on. */
	begun(): void;
	/** Inside the transaction, after all jobs. */
	committing(): void;
	rolledBack(): void;
}

export interface WriterOptions {
	hooks: WriterHooks;
	findings: Findings;
	/** Sees to it that the findings are not older than that. */
	glance(maxAgeMs: number): void;
}

export type Writer = ReturnType<typeof createWriter>;

export function createWriter(client: Database, { hooks, findings, glance }: WriterOptions) {
	// SQLite itself is not to wait for a lock: that would hold up the event loop.
	client.run('pragma busy_timeout = 0');
	const hindrance = createHindrance(client, findings);
	const begin = client.prepare('begin immediate');
	const commit = client.prepare('commit');
	const rollback = client.prepare('rollback');
	const savepoint = client.prepare('savepoint job');
	const release = client.prepare('release job');
	const undo = client.prepare('rollback to job');
	let queue: Job[] = [];
	let isScheduled = false;
	let turns = 0;
	let gathered = 0;
	let isCommitting = false;
	let isDrained = false;

	function runPlainly(job: Job): void {
		try {
			job.run();
		} catch (error) {
			throw job.compound && client.inTransaction ? HALF_DONE : error;
		}
	}

	function runWithSavepoint(job: Job): void {
		savepoint.run();
		try {
			job.run();
		} catch (error) {
			if (client.inTransaction) undo.run();
			throw error;
		} finally {
			if (client.inTransaction) release.run();
		}
	}

	/** Runs the jobs in the open transaction; returns the errors of those that failed. */
	function runAll(jobs: readonly Job[], run: (job: Job) => void): Map<Job, unknown> {
		const failures = new Map<Job, unknown>();
		for (const job of jobs) {
			try {
				run(job);
			} catch (error) {
				// A full disk or an I/O error makes SQLite end the whole transaction by itself.
				if (error === HALF_DONE || !client.inTransaction) throw error;
				failures.set(job, asStorageError(error));
			}
		}
		return failures;
	}

	function attempt(jobs: readonly Job[], run: (job: Job) => void): Map<Job, unknown> {
		isCommitting = false;
		try {
			begin.run();
			hooks.begun();
			const failures = runAll(jobs, run);
			hooks.committing();
			isCommitting = true;
			commit.run();
			return failures;
		} catch (error) {
			if (client.inTransaction) rollback.run();
			hooks.rolledBack();
			if (error === HALF_DONE) return attempt(jobs, runWithSavepoint);
			throw error;
		}
	}

	/**
	 * With a savepoint SQLite copies every page that a job changes. Jobs hardly ever fail, so they go without at first; once
	 * one of several statements does, all begin again, each with its own.
	 */
	function commitTogether(jobs: readonly Job[]): void {
		let failures: Map<Job, unknown>;
		try {
			failures = attempt(jobs, runPlainly);
		} catch (error) {
			notCommitted(jobs, error);
			return;
		}
		glance(FRESH_MS.after);
		const isLost = findings.has('file');
		for (const job of jobs) {
			if (failures.has(job)) job.reject(failures.get(job));
			else if (isLost) job.reject(fateUnknown());
			else job.resolve();
		}
	}

	function notCommitted(jobs: readonly Job[], error: unknown): void {
		if (isBusy(error)) {
			queue = [...jobs, ...queue];
			hindrance.begin('lock', []);
		} else if (isDiskFull(error)) {
			// No whole commit got into the log then.
			findings.set('disk', error);
			rejectAll(jobs, () => findings.reject('disk'));
		} else if (isStorageFailure(error)) {
			findings.set('write', error);
			hindrance.begin('write', isCommitting ? jobs : []);
			if (!isCommitting) rejectAll(jobs, () => findings.reject('write'));
		} else {
			rejectAll(jobs, () => error);
		}
	}

	function flush(): void {
		isScheduled = false;
		if (isDrained) return;
		if (hindrance.isOver()) commitNext();
		else if (hindrance.isLong()) hindrance.giveUp(takeAll());
		if (hindrance.isPresent()) scheduleRetry();
		else if (queue.length > 0) schedule();
	}

	function commitNext(): void {
		const jobs = takeAll();
		if (jobs.length > MAX_JOBS_PER_COMMIT) queue = jobs.splice(MAX_JOBS_PER_COMMIT);
		if (jobs.length === 0) return;
		glance(FRESH_MS.before);
		if (findings.rejectsWrites()) rejectAll(jobs, () => findings.rejection('write'));
		else commitTogether(jobs);
	}

	function takeAll(): Job[] {
		const jobs = queue;
		queue = [];
		return jobs;
	}

	function scheduleRetry(): void {
		if (isScheduled) return;
		isScheduled = true;
		setTimeout(flush, hindrance.isLong() ? RETRY_MS.later : RETRY_MS.first);
	}

	function schedule(): void {
		if (isScheduled) return;
		isScheduled = true;
		turns = 0;
		gathered = 0;
		setImmediate(gather);
	}

	/** Looks at the network again, without waiting for it, as long as that brings jobs: the more share a commit, the less each costs. */
	function gather(): void {
		const isWorthIt = queue.length > gathered && queue.length < MAX_JOBS_PER_COMMIT && turns < MAX_GATHERING_TURNS;
		if (!isWorthIt) {
			flush();
			return;
		}
		turns++;
		gathered = queue.length;
		setImmediate(gather);
	}

	return {
		enqueue(job: Job): void {
			const rejection = isDrained ? new Unavailable() : findings.rejection('write');
			if (rejection) {
				job.reject(rejection);
				return;
			}
			queue.push(job);
			schedule();
		},
		/** Commits what is still queued, or rejects it; nothing is taken afterwards. */
		drain(): void {
			client.run(`pragma busy_timeout = ${LAST_WAIT_MS}`);
			do flush();
			while (queue.length > 0 && !hindrance.isPresent());
			hindrance.giveUp(takeAll());
			isDrained = true;
		},
	};
}

function rejectAll(jobs: readonly Job[], reason: () => unknown): void {
	for (const job of jobs) job.reject(reason());
}
