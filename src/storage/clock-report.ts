/** Pure: the report on the clock: that it is wrong, or that it was. */

import { DAY_MS, HOUR_MS, MINUTE_MS } from '../tasks/durations.ts';
import type { ClockStep, Timeline } from './timeline.ts';

/** A smaller difference is no fault that anyone would notice. */
const TOLERANCE_MS = MINUTE_MS;
/** After a larger step than this … */
export const LARGE_STEP_MS = MINUTE_MS;
/** … nothing is forgotten by its age for so long: the clock may be set back soon. */
export const SETTLING_MS = HOUR_MS;
/** No machine sleeps, and no server is off, for so long. */
export const LONGEST_PAUSE_MS = 180 * DAY_MS;
const UNITS = [
	['year', 365.25 * DAY_MS],
	['day', DAY_MS],
	['hour', HOUR_MS],
	['minute', MINUTE_MS],
	['second', 1000],
] as const;

export interface ClockReport {
	/** A sentence if the clock seems to be wrong now. */
	problem: string | null;
	/** A sentence on the latest time it was set, if ever. */
	latest: string | null;
}

/** Where the clock cannot be read. */
export const NO_CLOCK: ClockReport = { problem: null, latest: null };

interface ClockFacts {
	timeline: Timeline;
	newestId: number;
	/** When this program was made, at the earliest. */
	programMs: number;
	now: number;
}

export function reportClock({ timeline, newestId, programMs, now }: ClockFacts): ClockReport {
	const { steps } = timeline;
	const last = steps.at(-1);
	// Submissions from before the clock was set are no evidence for the clock of today.
	const newest = last && newestId < last.fromId ? last.afterMs : timeline.millisOf(newestId);
	const latest = steps.findLast((step) => sizeOf(step) >= TOLERANCE_MS);
	const gap = latest && gapBefore(latest, steps);
	const wrong = problemOf({ now, newest, programMs });
	if (!latest) return { problem: wrong, latest: null };
	if (gap) return { problem: wrong, latest: describeWrongTime(gap, latest) };
	const doubt = mayBeWrongSince(latest, { programMs, now })
		? `${describeStep(latest)} If it is wrong now, set it.`
		: null;
	return { problem: wrong ?? doubt, latest: describeStep(latest) };
}

/** Where the database has a clock of its own. @param aheadMs By how much that of the machine is ahead. */
export function reportApart(now: number, aheadMs: number): ClockReport {
	if (Math.abs(aheadMs) <= TOLERANCE_MS) return NO_CLOCK;
	const problem = `The clock of this machine says ${iso(now)}, and that of the database ${iso(Math.round(now - aheadMs))}. Set the one that is wrong.`;
	return { problem, latest: null };
}

/** A sentence on a time that the clock was set. */
export function describeStep({ beforeMs, afterMs }: ClockStep): string {
	const by = inWords(Math.abs(afterMs - beforeMs));
	const moments = `from ${iso(beforeMs)} to ${iso(afterMs)}`;
	if (afterMs < beforeMs)
		return `The clock was set back by ${by}, ${moments}. Submissions stored before keep their time.`;
	return `The clock went forward by ${by}, ${moments}: it was set, or the machine slept.`;
}

function problemOf({ now, newest, programMs }: { now: number; newest: number; programMs: number }): string | null {
	if (now < programMs) return `The clock says ${iso(now)}, which is before this program was built: set it.`;
	if (newest <= now + TOLERANCE_MS) return null;
	return `The clock says ${iso(now)}, but what was stored last is from ${iso(newest)}. If the clock is wrong, set it; if it is right, it was wrong before, and the server takes note of that.`;
}

/**
 * If the clock was set back: where it had skipped most of the time by which it was. Then it was wrong before, not since.
 */
function gapBefore(step: ClockStep, steps: readonly ClockStep[]): ClockStep | undefined {
	return steps.findLast(
		(gap) =>
			gap.fromId < step.fromId &&
			gap.afterMs <= step.beforeMs &&
			gap.afterMs - gap.beforeMs > (step.beforeMs - step.afterMs) / 2,
	);
}

function mayBeWrongSince(step: ClockStep, { programMs, now }: { programMs: number; now: number }): boolean {
	const isForward = step.afterMs > step.beforeMs;
	if (isForward) return sizeOf(step) >= LONGEST_PAUSE_MS && step.beforeMs >= programMs;
	return now < step.beforeMs;
}

function describeWrongTime(gap: ClockStep, step: ClockStep): string {
	return `The clock was wrong between ${iso(gap.beforeMs)} and ${iso(step.afterMs)}: it said ${iso(gap.afterMs)} to ${iso(step.beforeMs)}. What was stored then keeps that time.`;
}

function sizeOf({ beforeMs, afterMs }: ClockStep): number {
	return Math.abs(afterMs - beforeMs);
}

function inWords(ms: number): string {
	const [name, unit] = UNITS.find(([, length]) => ms >= length) ?? ['second', 1000];
	const count = Math.round(ms / unit);
	return `${count} ${name}${count === 1 ? '' : 's'}`;
}

function iso(ms: number): string {
	const date = new Date(ms);
	return Number.isNaN(date.getTime()) ? `${ms} ms since 1970` : date.toISOString();
}
