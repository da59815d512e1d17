/** The one writer: a queue of jobs, of which those that arrive together share one commit, and resolve after it is on disk. */

import type { Database } from 'bun:sqlite';
import { Unavailable } from '../errors.ts';
import type { Findings } from '../findings.ts';
import { createCommitBlocker, outcomeUnknown } from './commit-blocker.ts';
import { isBusy, isDiskFull, isStorageFailure } from './failures.ts';
import { createTransaction, type FailedCommit, type Job, type TransactionHooks } from './transaction.ts';

/** Bounds how long one commit can hold up the event loop. */
const MAX_JOBS_PER_COMMIT = 2000;
/** The most turns of the event loop that a commit waits for; each has to bring jobs to share it. */
const MAX_GATHERING_TURNS = 4;

/** How often a commit is retried while none succeeds; less often later, because a failing disk may be slow. */
const RETRY_MS = { first: 20, later: 250 };
/** How old the last look at the files may be before a commit, and after it. */
const FRESH_MS = { before: 250, after: 500 };
/** How long the last commit, before the file is closed, waits for a lock. */
const LAST_WAIT_MS = 1000;

export interface WriterOptions {
	hooks: TransactionHooks;
	findings: Findings;
	/** Looks at the files again, which may set findings, if the last look is older. */
	glance(maxAgeMs: number): void;
}

export type Writer = ReturnType<typeof createWriter>;

export function createWriter(client: Database, { hooks, findings, glance }: WriterOptions) {
	// SQLite itself is not to wait for a lock: that would hold up the event loop.
	client.run('pragma busy_timeout = 0');
	const blocker = createCommitBlocker(client, findings);
	const commit = createTransaction(client, hooks);
	let queue: Job[] = [];
	let isScheduled = false;
	let turns = 0;
	let jobsSeen = 0;
	/** True if the last commit was of one job. */
	let wasAlone = false;
	let isDrained = false;

	function commitTogether(jobs: readonly Job[]): void {
		const result = commit(jobs);
		if ('error' in result) {
			handleFailure(jobs, result);
			return;
		}
		const { failures } = result;
		glance(FRESH_MS.after);
		// The commit may be in a file that is no longer the database.
		const mayBeLost = findings.has('file');
		for (const job of jobs) {
			if (failures.has(job)) job.reject(failures.get(job));
			else if (mayBeLost) job.reject(outcomeUnknown());
			else job.resolve();
		}
	}

	function handleFailure(jobs: readonly Job[], { error, hasReachedCommit }: FailedCommit): void {
		if (isBusy(error)) {
			queue = [...jobs, ...queue];
			blocker.begin('lock', []);
		} else if (isDiskFull(error)) {
			// A commit that found no room is not in the log as a whole, so nothing of it is stored.
			findings.set('disk', error);
			rejectAll(jobs, () => findings.unavailable('disk'));
		} else if (isStorageFailure(error)) {
			findings.set('write', error);
			blocker.begin('write', hasReachedCommit ? jobs : []);
			if (!hasReachedCommit) rejectAll(jobs, () => findings.unavailable('write'));
		} else if (jobs.length === 1) rejectAll(jobs, () => error);
		else commitEach(jobs);
	}

	/** A fault that one job met, such as a damaged page, shows at the commit of all; the others are not to fail with it. */
	function commitEach(jobs: readonly Job[]): void {
		for (const job of jobs)
			if (blocker.isPresent()) queue.push(job);
			else commitTogether([job]);
	}

	function flush(): void {
		isScheduled = false;
		if (isDrained) return;
		if (blocker.tryToEnd()) commitNext();
		else if (blocker.isLong()) blocker.giveUp(takeAll());
		if (blocker.isPresent()) scheduleRetry();
		else if (queue.length > 0) schedule();
	}

	function commitNext(): void {
		const jobs = takeAll();
		if (jobs.length > MAX_JOBS_PER_COMMIT) queue = jobs.splice(MAX_JOBS_PER_COMMIT);
		if (jobs.length === 0) return;
		wasAlone = jobs.length === 1;
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
		setTimeout(flush, blocker.isLong() ? RETRY_MS.later : RETRY_MS.first);
	}

	function schedule(): void {
		if (isScheduled) return;
		isScheduled = true;
		turns = 0;
		jobsSeen = 0;
		setImmediate(gather);
	}

	/** Lets the event loop read more requests for as long as that brings jobs: the more share a commit, the less each costs. */
	function gather(): void {
		const isAlone = queue.length === 1 && wasAlone;
		const isWorthIt = queue.length > jobsSeen && queue.length < MAX_JOBS_PER_COMMIT && turns < MAX_GATHERING_TURNS;
		if (isWorthIt && !isAlone) {
			turns++;
			jobsSeen = queue.length;
			setImmediate(gather);
		} else flush();
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
		/** Commits the queued jobs, or rejects them; no job is accepted afterwards. */
		drain(): void {
			client.run(`pragma busy_timeout = ${LAST_WAIT_MS}`);
			do flush();
			while (queue.length > 0 && !blocker.isPresent());
			blocker.giveUp(takeAll());
			isDrained = true;
		},
	};
}

function rejectAll(jobs: readonly Job[], reason: () => unknown): void {
	for (const job of jobs) job.reject(reason());
}

/** Enqueues a job of several statements; resolves with what `run` returned the last time, once that is on disk. */
export function inTransaction<T>(writer: Writer, run: () => T): Promise<T> {
	return new Promise<T>((resolve, reject) => {
		let result: T;
		writer.enqueue({
			compound: true,
			run: () => {
				result = run();
			},
			resolve: () => resolve(result),
			reject,
		});
	});
}
