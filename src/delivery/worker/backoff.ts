/** Pure: the retry schedules of deliveries. */

import { VISITOR_MAIL_MAX } from '../../form-values/visitor-mails.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../tasks/durations.ts';

const JITTER = 0.1;

/** Waits between attempts. The last one repeats until their sum reaches `untilMs`; then the delivery fails. */
export interface Schedule {
	readonly waitsMs: readonly number[];
	readonly untilMs: number;
	/** How long a delivery may wait for its first attempt. */
	readonly delayMs?: number;
}

/** RFC 5321 section 4.5.4.1: in the long run at least half an hour between attempts, for 4 to 5 days. */
export const MAIL_SCHEDULE: Schedule = {
	waitsMs: [1, 5, 15, 30, 60, 63].map((minutes) => minutes * MINUTE_MS),
	untilMs: 5 * DAY_MS,
};

/** The owner may have them wait. */
export const VISITOR_SCHEDULE: Schedule = { ...MAIL_SCHEDULE, delayMs: VISITOR_MAIL_MAX.delayMinutes * MINUTE_MS };

/** Covers a redeployment within seconds, and an outage overnight by the next day. */
export const WEBHOOK_SCHEDULE: Schedule = {
	waitsMs: [5_000, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, HOUR_MS, 2 * HOUR_MS, 4 * HOUR_MS, 6 * HOUR_MS],
	untilMs: 25 * HOUR_MS,
};

/**
 * Milliseconds to wait after this many failed attempts; `undefined` to give up.
 *
 * The number of attempts decides, not the clock: a clock step, or a server that was off for a week, ends nothing
 * early.
 */
export function waitAfter(
	schedule: Schedule,
	attempts: number,
	random: () => number = Math.random,
): number | undefined {
	if (waitedBefore(schedule, attempts) >= schedule.untilMs) return undefined;
	const jitter = 1 - JITTER + 2 * JITTER * random();
	return Math.round(waitAt(schedule, attempts - 1) * jitter);
}

/** The longest wait that {@link waitAfter} returns: a time further ahead means that the clock was set back. */
export function longestWait(schedule: Schedule): number {
	return Math.max(schedule.delayMs ?? 0, Math.ceil(Math.max(...schedule.waitsMs) * (1 + JITTER)));
}

/** The sum of the waits before the latest of these attempts, without jitter. */
function waitedBefore(schedule: Schedule, attempts: number): number {
	let total = 0;
	for (let made = 1; made < attempts; made++) total += waitAt(schedule, made - 1);
	return total;
}

function waitAt({ waitsMs }: Schedule, index: number): number {
	return waitsMs[Math.min(index, waitsMs.length - 1)] ?? 0;
}
