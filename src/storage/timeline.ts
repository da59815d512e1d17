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

	return {
		steps,
		stretches,
		millisOf,
		/** The same as ISO 8601 in UTC. */
		isoOf: (id: number): string => new Date(millisOf(id)).toISOString(),
		/**
		 * The lowest id later than a moment. If the clock said that moment more than once, it is the first time; if it
		 * skipped that moment, whatever came after. A client that asks for what is later than the newest moment it saw misses nothing.
		 */
		firstIdAfter(millis: number): number {
			const said = stretches.find(({ startMs, endMs }) => startMs <= millis && millis <= endMs);
			if (said) return Math.min(idAfter(said, millis), said.toId);
			const later = stretches.find(({ startMs }) => startMs > millis);
			return later?.fromId ?? Number.MAX_SAFE_INTEGER;
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
