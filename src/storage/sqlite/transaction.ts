/** Jobs of the writer in one transaction, which is committed without those that fail by themselves. */

import type { Database } from 'bun:sqlite';
import { asStorageError } from './failures.ts';

/** A compound job failed in the middle; its first statements still have to be undone. */
const HALF_DONE = Symbol('half done');

/**
 * One change. `run` is called inside the transaction, and again if the transaction starts over. Then one of the others is
 * called: `resolve` once the commit is on disk, or `reject`.
 */
export interface Job {
	run(): void;
	resolve(): void;
	reject(error: unknown): void;
	/** True if `run` has several statements, of which all or none must take effect. */
	compound: boolean;
}

export interface TransactionHooks {
	/** Inside the transaction, before any job: no other process can write from here on. */
	begun(): void;
	/** Inside the transaction, after all jobs. */
	committing(): void;
	rolledBack(): void;
}

export interface FailedCommit {
	error: unknown;
	/** True if COMMIT itself failed: it may be in the log. */
	hasReachedCommit: boolean;
}

/** `failures` has the errors of the jobs that are not in the commit. */
type CommitResult = { failures: ReadonlyMap<Job, unknown> } | FailedCommit;

/**
 * Makes the function that commits jobs. It does without savepoints at first, because with one SQLite copies every page that a job
 * changes, and jobs hardly ever fail. If a compound one does, all start over, each with its own.
 */
export function createTransaction(client: Database, hooks: TransactionHooks): (jobs: readonly Job[]) => CommitResult {
	const begin = client.prepare('begin immediate');
	const commit = client.prepare('commit');
	let hasReachedCommit = false;

	function runPlainly(job: Job): void {
		try {
			job.run();
		} catch (error) {
			throw job.compound && client.inTransaction ? HALF_DONE : error;
		}
	}

	function runWithSavepoint(job: Job): void {
		client.query('savepoint job').run();
		try {
			job.run();
		} catch (error) {
			if (client.inTransaction) client.query('rollback to job').run();
			throw error;
		} finally {
			if (client.inTransaction) client.query('release job').run();
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
		hasReachedCommit = false;
		try {
			begin.run();
			hooks.begun();
			const failures = runAll(jobs, run);
			hooks.committing();
			hasReachedCommit = true;
			commit.run();
			return failures;
		} catch (error) {
			if (client.inTransaction) client.run('rollback');
			hooks.rolledBack();
			if (error === HALF_DONE) return attempt(jobs, runWithSavepoint);
			throw error;
		}
	}

	return (jobs) => {
		try {
			return { failures: attempt(jobs, runPlainly) };
		} catch (error) {
			return { error, hasReachedCommit };
		}
	};
}
