/** When a delivery that did not go through is tried again, and when it is given up. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const JITTER = 0.1;

/** Waits between attempts. The last one repeats until the waits add up to `untilMs`; then it is given up. */
export interface Schedule {
	readonly waitsMs: readonly number[];
	readonly untilMs: number;
}

/** RFC 5321 section 4.5.4.1 asks for half an hour at least between attempts in the long run, over 4 to 5 days. */
export const MAIL_SCHEDULE: Schedule = {
	waitsMs: [1 * MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, 60 * MINUTE, 63 * MINUTE],
	untilMs: 5 * 24 * HOUR,
};

/** A receiver that was redeployed gets it within seconds, one that was broken over night by the next day. */
export const WEBHOOK_SCHEDULE: Schedule = {
	waitsMs: [5_000, 1 * MINUTE, 5 * MINUTE, 30 * MINUTE, 1 * HOUR, 2 * HOUR, 4 * HOUR, 6 * HOUR],
	untilMs: 25 * HOUR,
};

/**
 * Milliseconds to wait after the given number of failed attempts, or `undefined` when it is time to give up.
 *
 * Giving up is decided by the attempts made, not by the clock: a clock that was set forward, or a server
 * that was switched off for a week, ends nothing early.
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

/** The longest wait that {@link waitAfter} may answer: a moment further ahead means the clock was set back. */
export function longestWait(schedule: Schedule): number {
	return Math.ceil(Math.max(...schedule.waitsMs) * (1 + JITTER));
}

/** What the waits before the latest of these attempts add up to, without jitter. */
function waitedBefore(schedule: Schedule, attempts: number): number {
	let total = 0;
	for (let made = 1; made < attempts; made++) total += waitAt(schedule, made - 1);
	return total;
}

function waitAt({ waitsMs }: Schedule, index: number): number {
	return waitsMs[Math.min(index, waitsMs.length - 1)] ?? 0;
}
