/** The steps of the clock, each a time that it was set: those that are on disk, and those that the next commit writes. */

import type { Database, Statement } from 'bun:sqlite';
import { lazy } from '../../tasks/lazy.ts';
import { readClockSteps } from '../closed-reads.ts';
import { type ClockStep, createTimeline } from '../timeline.ts';
import { runOnce } from './operations.ts';

export const SAVE_STEP = 'insert or replace into clock_steps values (?, ?, ?, ?, ?)';

export function createClockSteps(client: Database) {
	const save = lazy(() => client.prepare(SAVE_STEP));
	let timeline = createTimeline(runOnce(client, readClockSteps()));
	let offset = latestOffset();
	/** Steps that are not on disk yet, and those in the transaction that is open. */
	let unsaved: ClockStep[] = [];
	let saving: ClockStep[] = [];

	function latestOffset(): number {
		return timeline.steps.at(-1)?.offsetMs ?? 0;
	}

	function set(steps: readonly ClockStep[]): void {
		timeline = createTimeline([...steps].sort((a, b) => a.fromId - b.fromId));
		offset = latestOffset();
	}

	return {
		/** The mapping of ids to times. */
		timeline: () => timeline,
		/** How far ids run ahead of the clock. */
		offset: () => offset,
		add(steps: readonly ClockStep[]): void {
			set([...timeline.steps, ...steps]);
			unsaved.push(...steps);
		},
		/** Takes up those that another process wrote. */
		read(): void {
			set([...runOnce(client, readClockSteps()), ...saving, ...unsaved]);
		},
		/** At the end of each transaction: no id is on disk without the steps before it. */
		flush(): void {
			for (const step of unsaved) saveStep(save(), step);
			saving = unsaved;
			unsaved = [];
		},
		rolledBack(): void {
			unsaved = [...saving, ...unsaved];
			saving = [];
		},
	};
}

/** @param save One of {@link SAVE_STEP}. */
export function saveStep(save: Statement, { fromId, offsetMs, beforeMs, afterMs, endMs }: ClockStep): void {
	save.run(fromId, offsetMs, beforeMs, afterMs, endMs);
}
