/** Pure: a circuit breaker with a concurrency limit, driven by the outcomes of the latest attempts at one destination. */

import type { Outcome } from './outcome.ts';

/** The wait before a probe of an unavailable destination; it doubles from `firstMs` to `longestMs`. */
export interface ProbeWait {
	firstMs: number;
	longestMs: number;
}

/** At most two probes a minute. */
export const PROBE_WAIT: ProbeWait = { firstMs: 31_000, longestMs: 120_000 };

/** After this many consecutive retries of different messages, the destination is the cause. */
const RETRIES_TO_OPEN = 3;

export interface CircuitBreakerOptions {
	concurrency: number;
	wait: ProbeWait;
	/** One that an earlier process met: it lasts until an attempt succeeds. */
	outage?: { since: number; reason: string } | null;
}

/** The limit starts at one and doubles with each success, so that a recovering server is not overrun. */
export function createCircuitBreaker({ concurrency, wait, outage = null }: CircuitBreakerOptions) {
	let limit = 1;
	let retries = 0;
	let waitMs = 0;
	let pausedUntil = 0;
	let since = outage?.since ?? null;
	let reason = outage?.reason ?? null;

	function open(error: string, now: number): void {
		limit = 1;
		if (now < pausedUntil) return;
		waitMs = Math.min(Math.max(wait.firstMs, 2 * waitMs), wait.longestMs);
		pausedUntil = now + waitMs;
		since ??= now;
		reason = error;
	}

	function forget(): void {
		retries = 0;
		waitMs = 0;
		pausedUntil = 0;
		since = null;
		reason = null;
	}

	return {
		/** How many attempts may be in flight. If the pause ends too far ahead, the clock was set back: it is ignored. */
		limit: (now: number): number => (now >= pausedUntil || pausedUntil - now > wait.longestMs ? limit : 0),
		/** When the next probe is due, in milliseconds since 1970; 0 while the breaker is closed. */
		pausedUntil: (): number => pausedUntil,
		/** Since when and why the breaker is open, readable; `null` while it is closed. */
		outage: () => (since === null ? null : { since, reason: reason ?? '', nextProbeAt: Math.max(pausedUntil, since) }),
		record(outcome: Outcome, now: number): void {
			if (outcome.kind === 'sent' || outcome.kind === 'rejected') {
				limit = Math.min(concurrency, 2 * limit);
				forget();
			}
			if (outcome.kind === 'unavailable') open(outcome.error, now);
			if (outcome.kind !== 'retry' || outcome.isRecipient) return;
			retries++;
			if (outcome.isDestinationSuspect || retries >= RETRIES_TO_OPEN) open(outcome.error, now);
		},
		/** The destination has become another one, of which nothing is known yet. */
		forget,
		/** Allows the next probe at once. */
		endPause(): void {
			pausedUntil = 0;
		},
	};
}
