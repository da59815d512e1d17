/** Reads and formats one chunk of an export; the next one starts after its last submission. */

import type { ScanRequest } from '../../storage/contract.ts';
import type { Selection, StoredSubmission } from '../../storage/submission.ts';
import { type ClockStep, createTimeline } from '../../storage/timeline.ts';
import { exportRow, type Layout } from './formats.ts';

/** Large enough for a message between threads, small in memory. */
const CHUNK_CHARACTERS = 256 * 1024;
export const CHUNK_SUBMISSIONS = 1000;

export interface ChunkRequest extends ScanRequest {
	selection: Selection;
	layout: Layout;
	/** Clock steps, to turn ids into times. */
	steps: readonly ClockStep[];
	isFirst: boolean;
}

export interface Chunk {
	bytes: Uint8Array<ArrayBuffer>;
	count: number;
	rest: Selection | undefined;
}

export function readChunk(
	submissions: Iterable<StoredSubmission>,
	{ selection, order, layout, steps, isFirst }: ChunkRequest,
): Chunk {
	const timeline = createTimeline(steps);
	let text = '';
	let count = 0;
	let rest: Selection | undefined;
	for (const row of submissions) {
		text += exportRow(row, { layout, timeline, isFirst: isFirst && count === 0 });
		count++;
		if (text.length < CHUNK_CHARACTERS && count < CHUNK_SUBMISSIONS) continue;
		rest = order === 'asc' ? { ...selection, fromId: row.id + 1 } : { ...selection, beforeId: row.id };
		break;
	}
	return { bytes: new TextEncoder().encode(text), count, rest };
}
