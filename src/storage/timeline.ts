/** Pure: the moments that ids stand for. Ids only go up; where the clock was set, they go on and stand for other moments. */

import { IDS_PER_MILLISECOND } from '../ids.ts';
import type { clockSteps } from './tables.ts';

/** The clock was set. */
export type ClockStep = typeof clockSteps.$inferSelect;

/** A stretch of ids in which the clock was not set. */
export interface Stretch {
	fromId: number;
	/** The first id behind it. */
	toId: number;
	offsetMs: number;
	/** No id of it stands for an earlier or later moment than these. */
	startMs: number;
	endMs: number;
}

export type Timeline = ReturnType<typeof createTimeline>;

/** @param steps Ascending. */
export function createTimeline(steps: readonly ClockStep[]) {
	const stretches = stretchesBetween(steps);

	function stretchOf(id: number): Stretch {
		let at = stretches.length - 1;
		while (at > 0 && id < (stretches[at] as Stretch).fromId) at--;
		return stretches[at] as Stretch;
	}

	/** The moment an id was made, in milliseconds since 1970. */
	function millisOf(id: number): number {
		return Math.floor(id / IDS_PER_MILLISECOND) - stretchOf(id).offsetMs;
	}

	/** The stretch in which the clock said a moment, the first one; if it skipped that one, the stretch before the gap. */
	function stretchAt(millis: number): Stretch {
		const said = stretches.find(({ startMs, endMs }) => startMs <= millis && millis <= endMs);
		const behind = said ? 0 : stretches.findIndex(({ startMs }) => startMs > millis);
		return said ?? (stretches.at(behind - 1) as Stretch);
	}

	return {
		steps,
		stretches,
		millisOf,
		/** The lowest id that stands for a moment; `undefined` if none does, because the clock was set. */
		idAt(millis: number): number | undefined {
			const id = idAfter(stretchAt(millis), millis - 1);
			return millisOf(id) === millis ? id : undefined;
		},
		/** The same as ISO 8601 in UTC. */
		isoOf: (id: number): string => new Date(millisOf(id)).toISOString(),
		/**
		 * The lowest id later than a moment. If the clock said that moment more than once, it is the first time; if it
		 * skipped that moment, whatever came after, and what was imported of later moments that it skipped. A client that asks for what is
		 * later than the newest moment it saw misses nothing.
		 */
		firstIdAfter(millis: number): number {
			const stretch = stretchAt(millis);
			return Math.min(idAfter(stretch, millis), stretch.toId);
		},
	};
}

/** The lowest id of a stretch, were it without end, that stands for a later moment. */
export function idAfter({ fromId, offsetMs }: Stretch, millis: number): number {
	return Math.max(fromId, (Math.floor(millis) + 1 + offsetMs) * IDS_PER_MILLISECOND);
}

function stretchesBetween(steps: readonly ClockStep[]): Stretch[] {
	const starts = [{ fromId: 0, offsetMs: 0 }, ...steps];
	return starts.map(({ fromId, offsetMs }, i) => ({
		fromId,
		toId: steps[i]?.fromId ?? Number.MAX_SAFE_INTEGER,
		offsetMs,
		startMs: i === 0 ? Number.NEGATIVE_INFINITY : Math.floor(fromId / IDS_PER_MILLISECOND) - offsetMs,
		endMs: steps[i]?.endMs ?? Number.POSITIVE_INFINITY,
	}));
}
