/** The audit log of a server: what is counted in it, and how it is read. */

import type { Log } from '../log/log.ts';
import type { Storage } from '../storage/contract.ts';
import { HOUR_MS, MINUTE_MS } from '../tasks/durations.ts';
import { createAuditEntries } from './entries.ts';
import { createTally } from './tally.ts';

/** A client that is not signed in adds no more entries in an hour than this, from however many networks. */
const FAILURES_MOST = 50;
const READS_MOST = 1000;

export type Audit = ReturnType<typeof createAudit>;

export function createAudit(storage: Storage, { log, now }: { log: Pick<Log, 'error'>; now: () => number }) {
	const reads = createTally(storage, { windowMs: MINUTE_MS, most: READS_MOST, log, now });
	const failures = createTally(storage, { windowMs: HOUR_MS, most: FAILURES_MOST, log, now });
	return {
		...createAuditEntries(storage),
		/** Counts a read that lets content out. */
		countRead: reads.add,
		/** Counts a wrong key, or a failed attempt to sign in. */
		countFailure(address: string, facts: Record<string, string> = {}): void {
			failures.add({ action: 'failedSignIn', actor: 'unknown', mode: 'live', address, facts });
		},
		async close(): Promise<void> {
			await reads.close();
			await failures.close();
		},
	};
}
