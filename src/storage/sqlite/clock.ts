/** The source of ids, made of the clock: they increase even if that is set back, and each time that it was set is kept as a step. */

import type { Database, Statement } from 'bun:sqlite';
import { ID_SOURCES, IDS_PER_MILLISECOND, millisecondStart } from '../../ids.ts';
import { MINUTE_MS } from '../../tasks/durations.ts';
import { lazy } from '../../tasks/lazy.ts';
import { type ClockReport, LARGE_STEP_MS, LONGEST_PAUSE_MS, reportClock, SETTLING_MS } from '../clock-report.ts';
import { readClockSteps } from '../closed-reads.ts';
import type { ClockStep, Stretch } from '../timeline.ts';
import { createGapFinder } from './clock-gaps.ts';
import { createClockSteps, SAVE_STEP, saveStep } from './clock-steps.ts';
import { LAST_COMMAND_ID, reserveIds } from './command-ids.ts';
import { programMadeAt } from './migrate.ts';
import { runOnce } from './operations.ts';

/** A clock that is off by no more than this was not set: ids run ahead until it has caught up. */
const TOLERANCE_MS = 1000;
/** How much faster or slower than the time that passes a clock may be that is being adjusted; at most half of it is usual. */
const SLEW = 1e-3;
/** A gap between two ids that is worth a look whether the clock was set. */
const FAR_MS = MINUTE_MS;
/** The last moment of which there are ids. */
const LATEST_MS = Math.floor(Number.MAX_SAFE_INTEGER / IDS_PER_MILLISECOND) - FAR_MS;

const TABLES_WITH_IDS = ['submissions', 'deliveries', 'forms', 'api_keys', 'webhooks', 'sessions'];
export const HIGHEST_ID = `select max(id) from (${[
	...TABLES_WITH_IDS.map((table) => `select max(id) as id from ${table}`),
	`select cast(value as integer) from server_values where name = '${LAST_COMMAND_ID}'`,
].join(' union all ')})`;

const TOLERANCE_IDS = TOLERANCE_MS * IDS_PER_MILLISECOND;
const FAR_IDS = FAR_MS * IDS_PER_MILLISECOND;

export interface ClockOptions {
	now: () => number;
	/** Milliseconds that pass, whatever the clock does. */
	elapsed?: () => number;
	commitSoon: () => void;
}

export type Clock = ReturnType<typeof createClock>;

export function createClock(client: Database, { now, elapsed = () => performance.now(), commitSoon }: ClockOptions) {
	const highest = lazy(() => client.prepare(HIGHEST_ID));
	const findGaps = createGapFinder(client);
	const steps = createClockSteps(client);
	/** The highest id that was made; of a server, a multiple of {@link ID_SOURCES}. */
	let last = 0;
	let isServer = false;
	let tell: (step: ClockStep) => void = () => {};
	let seen = { at: now(), elapsed: elapsed() };
	let settledAt = Number.NEGATIVE_INFINITY;
	const reserved = reserveIds(client, { now, lowest, flush, rolledBack });

	/** The id that stands for this moment. */
	const present = (): number => idAt(now());

	/** The id that stands for a moment of the clock as it goes now. */
	const idAt = (millis: number): number => (millis + steps.offset()) * IDS_PER_MILLISECOND;

	/** On the path of every submission. */
	function nextId(): number {
		if (!isServer) return reserved.next();
		const wanted = present();
		const ahead = wanted - last;
		if (ahead > 0 && ahead < FAR_IDS) last = wanted;
		else if (ahead <= 0 && ahead > -TOLERANCE_IDS) last += ID_SOURCES;
		else last = nextAfterLook();
		return last;
	}

	function nextAfterLook(): number {
		look();
		return Math.max(last + ID_SOURCES, present());
	}

	/** Notices that the clock was set, by the time that passed and by the ids there are. */
	function look(): void {
		const before = seen;
		seen = { at: now(), elapsed: elapsed() };
		const passed = seen.elapsed - before.elapsed;
		const expected = Math.round(before.at + passed);
		const wasSet = Math.abs(seen.at - expected) > TOLERANCE_MS + passed * SLEW;
		const isBeyond = seen.at + steps.offset() > LATEST_MS;
		if (wasSet) step(seen.at, expected, passed);
		else if (isBehind(seen.at) || isBeyond) step(seen.at, lastMoment());
		else if (hasCaughtUp(seen.at)) step(seen.at, seen.at);
	}

	/** Returns whether the clock says a moment long before that of the last id. */
	const isBehind = (at: number): boolean => last - idAt(at) >= TOLERANCE_IDS;

	/** Returns whether ids need not run ahead any more. */
	const hasCaughtUp = (at: number): boolean => steps.offset() > 0 && at * IDS_PER_MILLISECOND > last;

	/** Returns the time of the newest id since the clock was last set; earlier than all of them if there are none. */
	function lastMoment(): number {
		const { stretches, millisOf } = steps.timeline();
		const { fromId, startMs } = stretches.at(-1) as Stretch;
		return last < fromId ? startMs - 1 : millisOf(last);
	}

	/** From now on ids go on from the last one and stand for the clock's new time. */
	function step(at: number, expected: number, passed = 0): void {
		// Behind all ids, those of other processes too, and behind the last step if there is none since.
		last = Math.max(last, highestOfServer());
		const timeline = steps.timeline();
		const newest = Math.max(last, timeline.steps.at(-1)?.fromId ?? 0);
		const next = Math.floor(newest / IDS_PER_MILLISECOND) + 1;
		const offsetMs = at > LATEST_MS ? next - at : Math.max(0, next - at);
		const isOnlySkip = at > expected && offsetMs === steps.offset();
		const made = isOnlySkip
			? skipOf({ at, expected, passed, offsetMs })
			: stepOf({ at, expected, offsetMs, lastMs: lastMoment() });
		steps.add([...(at < expected ? findGaps(timeline, at) : []), made]);
		if (!isOnlySkip) last = Math.max(last, made.fromId - ID_SOURCES);
		const size = Math.abs(at - made.beforeMs);
		if (size > LARGE_STEP_MS) settledAt = elapsed() + SETTLING_MS;
		commitSoon();
		if (size > TOLERANCE_MS) tell(made);
	}

	/** For a process that is not the server: the lowest id that may be made now, whatever others have made. */
	function lowest(): number {
		steps.read();
		last = Math.max(last, highestId());
		const at = now();
		if (isBehind(at)) step(at, lastMoment());
		else if (hasCaughtUp(at)) step(at, at);
		return Math.max(last + 1, present());
	}

	/** Another process wrote: ids go on behind its. */
	function refresh(): void {
		steps.read();
		if (isServer) last = Math.max(last, highestOfServer());
		else reserved.forget();
	}

	/** At the end of each transaction. */
	function flush(): void {
		steps.flush();
		reserved.flush();
	}

	function rolledBack(): void {
		steps.rolledBack();
		reserved.forget();
	}

	const highestId = (): number => idIn(highest());

	const highestOfServer = (): number => Math.ceil(highestId() / ID_SOURCES) * ID_SOURCES;

	return {
		nextId,
		/** A moment later than that of every id that was made, as an id. */
		end: (): number => Math.max(last, isServer ? 0 : highestId()) + 1,
		/**
		 * Ids of submissions are made in the transaction that stores them, behind all that were stored before. A client that goes on from the
		 * newest time it saw would miss those of the same millisecond: the server makes no more of that one; to a command it is not over yet.
		 */
		async horizon(): Promise<number> {
			const newest = Math.max(last, highestId());
			const next = millisecondStart(newest) + IDS_PER_MILLISECOND;
			if (isServer) last = next - ID_SOURCES;
			return isServer || present() >= next ? next : millisecondStart(newest);
		},
		timeline: steps.timeline,
		look,
		/**
		 * The ids of a server come from memory. There must be one server at a time, which is what its lock is for.
		 * @param onStep Called each time that the clock was set, from now on.
		 * @returns How to be no server any more.
		 */
		serve(onStep: (step: ClockStep) => void): () => void {
			tell = onStep;
			last = highestOfServer();
			isServer = true;
			seen = { at: now(), elapsed: elapsed() };
			// A server may have been off for long; earlier than what it stored last it cannot be.
			const pausedMs = last === 0 ? 0 : seen.at - steps.timeline().millisOf(last);
			const isPlausible = pausedMs > -SETTLING_MS && pausedMs < LONGEST_PAUSE_MS;
			settledAt = isPlausible ? seen.elapsed : seen.elapsed + SETTLING_MS;
			look();
			return () => {
				isServer = false;
			};
		},
		now,
		report: (): ClockReport =>
			reportClock({ timeline: steps.timeline(), newestId: highestId(), programMs: programMadeAt(), now: now() }),
		/** Returns whether old times can be trusted: the clock has not been set for a while. */
		isSettled(): boolean {
			if (isServer) look();
			return elapsed() >= settledAt;
		},
		refresh,
		flush,
		rolledBack,
	};
}

interface ClockSetting {
	/** The time by the clock now, and by what passed since the last look. */
	at: number;
	expected: number;
	/** That of the ids from now on. */
	offsetMs: number;
}

/** A step of a clock that was set forward: ids skip what it skipped. Some may have been made since. */
function skipOf({ at, expected, passed, offsetMs }: ClockSetting & { passed: number }): ClockStep {
	const firstMs = Math.max(expected + 1, Math.floor(at - passed)) + offsetMs;
	return { fromId: firstMs * IDS_PER_MILLISECOND, offsetMs, beforeMs: expected, afterMs: at, endMs: expected };
}

/** @param lastMs The moment of the newest id. */
function stepOf({ at, expected, offsetMs, lastMs }: ClockSetting & { lastMs: number }): ClockStep {
	const fromId = (at + offsetMs) * IDS_PER_MILLISECOND;
	return { fromId, offsetMs, beforeMs: Math.max(expected, lastMs), afterMs: at, endMs: lastMs };
}

/**
 * A database that came to rest: from the next id on, ids stand for what the clock says. Called within a transaction.
 * @returns the moment from which that is possible, if it lies ahead: ids run ahead of the clock
 */
export function endOffset(client: Database, now: number): number | undefined {
	const { fromId = 0, offsetMs = 0 } = runOnce(client, readClockSteps()).at(-1) ?? {};
	if (offsetMs === 0) return undefined;
	const newestMs = Math.floor(Math.max(fromId, idIn(client.prepare(HIGHEST_ID))) / IDS_PER_MILLISECOND);
	const atMs = newestMs + 1;
	if (atMs > now) return atMs;
	const step = { fromId: atMs * IDS_PER_MILLISECOND, offsetMs: 0, beforeMs: atMs, afterMs: atMs };
	saveStep(client.prepare(SAVE_STEP), { ...step, endMs: newestMs - offsetMs });
	return undefined;
}

function idIn(statement: Statement): number {
	return Number(statement.values()[0]?.[0] ?? 0);
}
