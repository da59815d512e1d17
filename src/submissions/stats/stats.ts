/** Submissions per day, computed from the counts of blocks. */

import type { Forms } from '../../forms/forms.ts';
import { decodeId, encodeId } from '../../ids.ts';
import type { Storage } from '../../storage/contract.ts';
import type { Mode } from '../../storage/tables.ts';
import { DAY_MS } from '../../tasks/durations.ts';
import type { DayCount } from './schema.ts';

export type Stats = ReturnType<typeof createStats>;

export function createStats(
	{ submissions, clock, findForm }: Pick<Storage, 'submissions' | 'clock' | 'findForm'>,
	{ forms, now = Date.now }: { forms: Forms; now?: () => number },
) {
	/** The starts of the last `days` days in UTC, today included, and of tomorrow. */
	function midnights(days: number): number[] {
		const tomorrow = (Math.floor(now() / DAY_MS) + 1) * DAY_MS;
		return Array.from({ length: days + 1 }, (_, i) => tomorrow - (days - i) * DAY_MS);
	}

	/** The first ids of the days. Never decreasing: after a clock step, a submission counts for the day in which it arrived. */
	function boundsOf(starts: readonly number[]): number[] {
		const timeline = clock.timeline();
		let highest = 0;
		return starts.map((start) => {
			highest = Math.max(highest, timeline.firstIdAfter(start - 1));
			return highest;
		});
	}

	return {
		/** @param readDays Called once the form is known to exist. @throws AppError FORM_NOT_FOUND, and errors of `readDays` */
		async ofForm(id: string, { mode, readDays }: { mode?: Mode; readDays: () => number }): Promise<DayCount[]> {
			const form = await findForm(id, mode);
			const starts = midnights(readDays());
			const bounds = boundsOf(starts);
			const counts = (await submissions.countsBetween([form.id], { filter: 'all', bounds })).get(form.id) ?? [];
			const spam = (await submissions.countsBetween([form.id], { filter: 'spam', bounds })).get(form.id) ?? [];
			return counts.map((count, i) => ({
				date: new Date(starts[i] as number).toISOString().slice(0, 10),
				count,
				spam: spam[i] as number,
			}));
		},
		/** Counts without spam of each form of a mode by its id, oldest day first. */
		async ofAll(mode: Mode | undefined, days: number): Promise<Record<string, number[]>> {
			const bounds = boundsOf(midnights(days));
			const ids = (await forms.list(mode)).map(({ id }) => decodeId(id) as number);
			const counts = await submissions.countsBetween(ids, { filter: 'all', bounds });
			return Object.fromEntries([...counts].map(([id, days]) => [encodeId(id), days]));
		},
	};
}
