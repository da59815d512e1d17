/** Finds where a clock that was set back had jumped forward before: nothing was stored for most of that time. */

import type { Database } from 'bun:sqlite';
import { lazy } from '../../tasks/lazy.ts';
import { type ClockStep, idAfter, type Stretch, type Timeline } from '../timeline.ts';

/**
 * @returns What finds, for a clock that is set back to a moment, the ids behind which it had skipped that moment, or most of what
 * came after. They are a stretch of their own: they stand for moments that may never come, and what comes now for moments
 * within the gap.
 */
export function createGapFinder(client: Database): (timeline: Timeline, millis: number) => ClockStep[] {
	const stored = (edge: 'min' | 'max') => {
		const of = (table: string) => `select ${edge}(id) as id from ${table} where id >= ?1 and id < ?2`;
		return client.prepare(`select ${edge}(id) from (${of('submissions')} union all ${of('deliveries')})`);
	};
	const first = lazy(() => stored('min'));
	const last = lazy(() => stored('max'));

	/** The gap between the last submission before a moment and the first one after it. */
	function gapAt(timeline: Timeline, { stretch, millis }: { stretch: Stretch; millis: number }): ClockStep | undefined {
		const middle = Math.min(idAfter(stretch, millis - 1), stretch.toId);
		const [above] = first().values(middle, stretch.toId)[0] as [number | null];
		if (above === null || above === stretch.fromId) return undefined;
		const [below] = last().values(0, middle)[0] as [number | null];
		const afterMs = timeline.millisOf(above);
		const isBelowWithin = below !== null && below >= stretch.fromId;
		const emptyMs = Number.isFinite(stretch.startMs) ? stretch.startMs - 1 : millis - 1;
		return {
			fromId: above,
			offsetMs: stretch.offsetMs,
			// Where nothing was stored before, it tells nothing of the clock.
			beforeMs: below === null ? afterMs : millis - 1,
			afterMs,
			endMs: isBelowWithin ? timeline.millisOf(below) : emptyMs,
		};
	}

	return (timeline, millis) =>
		timeline.stretches.flatMap((stretch) => {
			if (stretch.endMs < millis) return [];
			const gap = stretch.startMs < millis ? gapAt(timeline, { stretch, millis }) : undefined;
			const startMs = gap ? gap.afterMs : Math.max(stretch.startMs, millis);
			const middle = Math.round((startMs + stretch.endMs) / 2);
			const second = gapAt(timeline, { stretch, millis: middle });
			const isLarge = second && second.afterMs - second.endMs > (stretch.endMs - startMs) / 2;
			return [...(gap ? [gap] : []), ...(isLarge && second.fromId !== gap?.fromId ? [second] : [])];
		});
}
