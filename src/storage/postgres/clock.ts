/** Where ids come from: the clock of the database, read by this process, so that the ids of all servers are in one order. */

import { ID_SOURCES, IDS_PER_MILLISECOND, millisecondStart } from '../../ids.ts';
import { repeat } from '../../tasks/repeat.ts';
import { type ClockReport, LARGE_STEP_MS, reportApart, SETTLING_MS } from '../clock-report.ts';
import { readClockSteps } from '../closed-reads.ts';
import { createTimeline } from '../timeline.ts';
import { rowsOf, type Sql, WRITER_NAME } from './connection.ts';
import { runOn } from './operations.ts';
import { ALL_MADE, joinServers } from './servers.ts';

const MEASURE_EVERY_MS = 60_000;
/** A statement that stores submissions takes no ids that are older when it begins. */
export const OLDEST_ID_MS = 1000;
/** Distance of the horizon behind the oldest statement that is still writing; with room for clocks that differ. */
const HORIZON_MS = OLDEST_ID_MS + 500;
/** Ids that run further ahead of the clock: that was set back, and a server that comes does not make later ones by its clock. */
const AHEAD_IDS = 100 * IDS_PER_MILLISECOND;

export interface ClockOptions {
	now: () => number;
	/** The oldest id in a statement of this process that has not come back. */
	oldestWriting: () => number | undefined;
	onError(error: unknown): void;
}

export type Clock = Awaited<ReturnType<typeof createClock>>;

export async function createClock(sql: Sql, { now, oldestWriting, onError }: ClockOptions) {
	/** A clock of the caller's own is the one that counts. */
	const isOwnClock = now !== Date.now;
	/** The machine's clock may be set between two measurements. */
	const elapsed = isOwnClock ? now : () => performance.now();
	const timeline = createTimeline(await runOn(sql, readClockSteps()));
	let offset = now() - elapsed();
	/** How far the machine's clock was ahead of the database's at the last measurement. */
	let aheadMs = 0;
	let last = 0;
	let settledAt = Number.NEGATIVE_INFINITY;

	/** Notices that the machine's clock was set, or differs from the database's. */
	function look(): void {
		if (Math.abs(now() - elapsed() - offset) > LARGE_STEP_MS) settledAt = performance.now() + SETTLING_MS;
	}

	async function measure(): Promise<void> {
		const before = elapsed();
		const [row] = await rowsOf<[number]>(sql, 'select (extract(epoch from clock_timestamp()) * 1000)::float8');
		// Both may be that of one machine, and were set together.
		look();
		if (row) offset = row[0] - (before + elapsed()) / 2;
		aheadMs = now() - elapsed() - offset;
		look();
	}

	if (!isOwnClock) await measure();
	const measuring = repeat(async () => {
		if (!isOwnClock) await measure().catch(onError);
		return MEASURE_EVERY_MS;
	}, MEASURE_EVERY_MS);
	const servers = await joinServers(sql, {
		onLastId: (lastId) => {
			last = Math.max(last, lastId);
		},
		lastId: () => last,
		horizon: ownHorizon,
		onError,
	});

	function present(): number {
		return Math.floor(elapsed() + offset) * IDS_PER_MILLISECOND;
	}

	function end(): number {
		return Math.max(last + 1, present());
	}

	/** Submissions that this process has not stored yet get their ids behind it. */
	function ownHorizon(): number {
		last = Math.max(last, end());
		return oldestWriting() ?? last;
	}

	/** So too, and of a later millisecond: a client that goes on from the newest time it saw would miss those of the same one. */
	function ownMoment(): number {
		const next = millisecondStart(Math.max(last, present())) + IDS_PER_MILLISECOND;
		last = next - 1;
		const writing = oldestWriting();
		return writing === undefined ? next : millisecondStart(writing);
	}

	/** No submission below it will appear, whatever servers there are or come. */
	async function settled(own = ownHorizon()): Promise<number> {
		if (isOwnClock) return Math.min(own, present());
		const [[at = 0, allMade = null] = []] = await rowsOf<[number, number | null]>(
			sql,
			`select (extract(epoch from least(clock_timestamp(), (select min(xact_start) from pg_stat_activity
				where application_name like '${WRITER_NAME}%' and state <> 'idle'))) * 1000)::bigint, (${ALL_MADE})`,
		);
		// After the clock was set back ids run ahead of it.
		const isAhead = allMade !== null && allMade > at * IDS_PER_MILLISECOND;
		return Math.min(own, isAhead ? allMade : (at - HORIZON_MS) * IDS_PER_MILLISECOND);
	}

	return {
		/** True if ids are those of the caller's clock, which may be any: then none is too old. */
		isOwnClock,
		servers,
		now: isOwnClock ? now : () => Math.floor(elapsed() + offset),
		nextId(): number {
			const { number } = servers.own;
			const after = Math.floor(last / ID_SOURCES) * ID_SOURCES + ID_SOURCES;
			last = Math.max(after, present()) + number;
			return last;
		},
		/** To be called when a statement did not take its ids: after a fail-over another clock may count, or the number may be lost. */
		async refresh(): Promise<void> {
			if (!isOwnClock) await measure();
			await servers.renew();
		},
		end,
		/** Without delay where this process is the only one. */
		async horizon(): Promise<number> {
			// Before the question: another server that comes after it makes later ids.
			const own = ownMoment();
			const isAhead = !isOwnClock && own - present() > AHEAD_IDS;
			return isAhead || (await servers.areOthers()) ? settled(own) : own;
		},
		settled: () => settled(),
		timeline: () => timeline,
		look,
		report: (): ClockReport => reportApart(now(), aheadMs),
		isSettled(): boolean {
			look();
			return performance.now() >= settledAt;
		},
		async close(): Promise<void> {
			await measuring.stop();
			await servers.leave();
		},
	};
}
