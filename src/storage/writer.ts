/** The one writer: what arrives in the same turn of the event loop shares one commit, and is answered after it is on disk. */

import type { Database } from 'bun:sqlite';
import { asStorageError } from './constraints.ts';

/** Bounds how long one commit can hold up the event loop. */
const MAX_JOBS_PER_COMMIT = 2000;

/** One change. `run` is called inside the transaction; `resolve` after the commit is on disk, or `reject`. */
export interface Job {
	run(): void;
	resolve(): void;
	reject(error: unknown): void;
	/** Whether it is several statements, which must then stand or fall together. */
	compound: boolean;
}

export interface WriterHooks {
	/** Inside the transaction, before any job: nobody else can write from here on. */
	begun(): void;
	/** Inside the transaction, after all jobs. */
	committing(): void;
	rolledBack(): void;
}

export type Writer = ReturnType<typeof createWriter>;

export function createWriter(client: Database, hooks: WriterHooks) {
	const begin = client.prepare('begin immediate');
	const commit = client.prepare('commit');
	const rollback = client.prepare('rollback');
	const savepoint = client.prepare('savepoint job');
	const release = client.prepare('release job');
	const undo = client.prepare('rollback to job');
	let queue: Job[] = [];
	let isScheduled = false;

	function runJob(job: Job): boolean {
		if (job.compound) savepoint.run();
		try {
			job.run();
			if (job.compound) release.run();
			return true;
		} catch (error) {
			// A full disk or an I/O error makes SQLite end the whole transaction by itself.
			if (!client.inTransaction) throw error;
			if (job.compound) {
				undo.run();
				release.run();
			}
			job.reject(asStorageError(error));
			return false;
		}
	}

	function commitTogether(jobs: Job[]): void {
		const done: Job[] = [];
		let current = 0;
		try {
			begin.run();
			hooks.begun();
			for (; current < jobs.length; current++) {
				const job = jobs[current] as Job;
				if (runJob(job)) done.push(job);
			}
			hooks.committing();
			commit.run();
		} catch (error) {
			if (client.inTransaction) rollback.run();
			hooks.rolledBack();
			const reason = asStorageError(error);
			for (const job of [...done, ...jobs.slice(current)]) job.reject(reason);
			return;
		}
		for (const job of done) job.resolve();
	}

	function flush(): void {
		isScheduled = false;
		const jobs = queue;
		queue = [];
		if (jobs.length > MAX_JOBS_PER_COMMIT) {
			queue = jobs.splice(MAX_JOBS_PER_COMMIT);
			schedule();
		}
		if (jobs.length > 0) commitTogether(jobs);
	}

	function schedule(): void {
		if (isScheduled) return;
		isScheduled = true;
		setImmediate(flush);
	}

	return {
		enqueue(job: Job): void {
			queue.push(job);
			schedule();
		},
		/** Commits what is still queued. */
		drain(): void {
			while (queue.length > 0) flush();
		},
	};
}
