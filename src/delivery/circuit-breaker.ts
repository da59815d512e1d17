/** Pure: when a destination may be tried, and with how much at once, judged by what became of the latest attempts. */

import type { Outcome } from './outcome.ts';

export interface Pace {
	/** Wait before the next single probe of a destination that is ill; it doubles up to `longestProbeMs`. */
	probeMs: number;
	longestProbeMs: number;
}

/** At most two probes a minute. */
export const PACE: Pace = { probeMs: 31_000, longestProbeMs: 120_000 };

/** After so many different messages in a row were put off, it is no longer about the messages. */
const PUT_OFF_IN_A_ROW = 3;

export type CircuitBreaker = ReturnType<typeof createCircuitBreaker>;

/** Begins with one at a time and doubles with each success: a server that comes back is not run over. */
export function createCircuitBreaker({ concurrency, pace = PACE }: { concurrency: number; pace?: Pace }) {
	let limit = 1;
	let putOff = 0;
	let probeMs = 0;
	let heldUntil = 0;
	let since: number | null = null;
	let reason: string | null = null;

	function hold(error: string, now: number): void {
		limit = 1;
		if (now < heldUntil) return;
		probeMs = Math.min(Math.max(pace.probeMs, 2 * probeMs), pace.longestProbeMs);
		heldUntil = now + probeMs;
		since ??= now;
		reason = error;
	}

	function recover(): void {
		limit = Math.min(concurrency, 2 * limit);
		putOff = 0;
		probeMs = 0;
		heldUntil = 0;
		since = null;
		reason = null;
	}

	return {
		/** How many may be under way now. A moment too far ahead is a clock that was set back. */
		limit: (now: number): number => (now >= heldUntil || heldUntil - now > pace.longestProbeMs ? limit : 0),
		/** When the next probe is due, in milliseconds since 1970; 0 if nothing is held. */
		heldUntil: (): number => heldUntil,
		/** Since when and why the destination is held, for people. */
		trouble: () => (since === null ? null : { since, reason: reason ?? '', nextProbeAt: heldUntil }),
		record(outcome: Outcome, now: number): void {
			if (outcome.kind === 'sent' || outcome.kind === 'refused') recover();
			if (outcome.kind === 'ill') hold(outcome.error, now);
			if (outcome.kind !== 'retry') return;
			putOff++;
			if (outcome.isDestinationSuspect || putOff >= PUT_OFF_IN_A_ROW) hold(outcome.error, now);
		},
		/** Somebody says that it is worth trying again now. */
		release(): void {
			heldUntil = 0;
		},
	};
}
