/** One piece of a count of field names, at a stretch; the next one begins behind its last submission. */

import { namesOf } from '../rows.ts';
import type { Selection } from '../submission.ts';
import { createNameCounter } from './name-count.ts';
import type { SubmissionReader } from './submission-reader.ts';

/** Small enough for other calls of the thread to wait for, and to be added up without holding up the server. */
const PIECE = { submissions: 20_000, names: 3000, characters: 8 * 1024 * 1024 };

export interface NamePiece {
	counts: (readonly [name: string, count: number])[];
	/** The uncounted rest; `undefined` if there is none. */
	rest: Selection | undefined;
}

export function countNames(reader: SubmissionReader, selection: Selection): NamePiece {
	const counter = createNameCounter();
	let submissions = 0;
	let characters = 0;
	let rest: Selection | undefined;
	for (const { id, data } of reader.rows(selection, 'asc')) {
		counter.add(namesOf(data).map((name) => [name, 1] as const));
		submissions++;
		characters += data.length;
		const isFull =
			submissions >= PIECE.submissions || counter.counts.size >= PIECE.names || characters >= PIECE.characters;
		if (!isFull) continue;
		rest = { ...selection, fromId: id + 1 };
		break;
	}
	return { counts: [...counter.counts], rest };
}
