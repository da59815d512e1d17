/** Conditions under which nothing can be committed, another program's lock or a failing disk, and how they end. */

import type { Database } from 'bun:sqlite';
import { OutcomeUnknown } from '../errors.ts';
import type { Findings } from '../findings.ts';
import { readPragma } from './migrate.ts';
import type { Job } from './transaction.ts';

/** Jobs wait for so long for it to end. */
const PATIENCE_MS = 5000;

interface Present {
	name: 'lock' | 'write';
	since: number;
	/** Jobs whose commit failed when it may have been in the log already: a crash could bring it back to life. */
	uncertain: readonly Job[];
}

export function createCommitBlocker(client: Database, findings: Findings) {
	let present: Present | undefined;

	function tryCommit({ name }: Present): boolean {
		try {
			client.run('begin immediate');
			if (name === 'write') touch(client);
			client.run('commit');
			return true;
		} catch {
			if (client.inTransaction) client.run('rollback');
			return false;
		}
	}

	return {
		isPresent: () => present !== undefined,
		/** @param uncertain Jobs that are rejected when it is known whether their commit is undone. */
		begin(name: Present['name'], uncertain: readonly Job[]): void {
			present ??= { name, since: performance.now(), uncertain };
		},
		/**
		 * Tries to commit, if something kept it from that; returns whether commits are possible. After a failure of the disk it
		 * commits one page, over the commit that failed: only then is it true that nothing of that was stored.
		 */
		tryToEnd(): boolean {
			if (!present) return true;
			if (!tryCommit(present)) return false;
			const { name, uncertain } = present;
			present = undefined;
			findings.clear(name);
			for (const job of uncertain) job.reject(findings.unavailable(name));
			return true;
		},
		/** Returns whether it has lasted longer than any request should wait. */
		isLong: () => present !== undefined && performance.now() - present.since >= PATIENCE_MS,
		/** Rejects the jobs that wait; later ones are rejected at once. */
		giveUp(waiting: readonly Job[]): void {
			if (!present) return;
			const { name, uncertain } = present;
			present.uncertain = [];
			findings.set(name);
			for (const job of uncertain) job.reject(outcomeUnknown());
			for (const job of waiting) job.reject(findings.unavailable(name));
		},
	};
}

/** Writes the first page as it is. */
function touch(client: Database): void {
	client.run(`pragma user_version = ${readPragma(client, 'user_version')}`);
}

const HALFWAY = 'Storing this failed halfway, so it is unknown whether it was kept: check before you send it again.';
export const outcomeUnknown = () => new OutcomeUnknown(undefined, HALFWAY);
