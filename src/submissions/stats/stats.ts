/** Submissions per day, computed from the counts of blocks. */

import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Forms } from '../../forms/forms.ts';
import { decodeId, encodeId } from '../../ids.ts';
import { hasPermission, type Principal } from '../../keys/permissions.ts';
import type { Storage } from '../../storage/contract.ts';
import { forms as formTable, type Mode } from '../../storage/tables.ts';
import { DAY_MS } from '../../tasks/durations.ts';
import { FAILED_MAX } from './bounds.ts';
import type { AllStats, DayCount } from './schema.ts';

/** Not counted to the end: a webhook may have failed for weeks. */
const FAILED = sql<number>`(select count(*) from (select 1 from deliveries
	where deliveries.form_id = forms.id and deliveries.state = 'failed' limit ${FAILED_MAX}) as failed)`.mapWith(Number);

export type Stats = ReturnType<typeof createStats>;

export function createStats(
	{ db, submissions, clock, findForm }: Pick<Storage, 'db' | 'submissions' | 'clock' | 'findForm'>,
	{ forms, now }: { forms: Forms; now: () => number },
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

	async function failedDeliveries(mode: Mode | undefined): Promise<Record<string, number>> {
		const found = await db
			.select({ id: formTable.id, failed: FAILED })
			.from(formTable)
			.where(and(isNull(formTable.deletedAt), mode && eq(formTable.mode, mode)));
		const failing = found.filter(({ failed }) => failed > 0);
		return Object.fromEntries(failing.map(({ id, failed }) => [encodeId(id), failed]));
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
		/** Returns the counts without spam of each form of a mode, oldest day first, and of its deliveries that failed for who may see these. */
		async ofAll({ mode, permissions }: Pick<Principal, 'mode' | 'permissions'>, days: number): Promise<AllStats> {
			const bounds = boundsOf(midnights(days));
			const ids = (await forms.list(mode)).map(({ id }) => decodeId(id) as number);
			const counts = await submissions.countsBetween(ids, { filter: 'all', bounds });
			return {
				forms: Object.fromEntries([...counts].map(([id, days]) => [encodeId(id), days])),
				failedDeliveries: hasPermission(permissions, 'admin') ? await failedDeliveries(mode) : {},
			};
		},
	};
}
