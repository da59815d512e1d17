/** Finds the submissions of people, a piece of a form at a time, in the thread beside the server. */

import type { ScanRequest } from '../../storage/contract.ts';
import { TEXT_NAMES, WORD_LISTS } from '../../storage/owned.ts';
import type { StoredSubmission } from '../../storage/submission.ts';
import { splitWords } from '../../storage/word-lists.ts';
import { createMatcher, type Matcher, type Person } from './matcher.ts';

const PIECE_CHARACTERS = 256 * 1024;
const PIECE_SUBMISSIONS = 1000;
/** At the end of the name of a file, where it would be taken for the end of an address. */
const EXTENSION = /(?:\.tar)?\.(?:[a-z0-9]{3,4}|gz|7z)$/i;

export interface FindRequest extends ScanRequest {
	people: readonly Person[];
}

interface FoundSubmission {
	id: number;
	/** The places in the list of those whom it names. */
	people: number[];
	/** How many files it has. */
	files: number;
}

export interface FoundPiece {
	found: FoundSubmission[];
	scanned: number;
	/** How many could not be read. */
	damaged: number;
	/** Where the next piece begins, if there may be one. */
	nextId: number | undefined;
}

export function findPeople(submissions: Iterable<StoredSubmission>, { people }: FindRequest): FoundPiece {
	const matcher = createMatcher(people);
	const piece: FoundPiece = { found: [], scanned: 0, damaged: 0, nextId: undefined };
	let characters = 0;
	for (const row of submissions) {
		piece.scanned++;
		if (row.isDamaged) piece.damaged++;
		characters += row.isDamaged ? 0 : row.data.length;
		const named = peopleIn(matcher, row);
		if (named.size > 0) piece.found.push({ id: row.id, people: [...named], files: row.files?.length ?? 0 });
		if (characters < PIECE_CHARACTERS && piece.scanned < PIECE_SUBMISSIONS) continue;
		piece.nextId = row.id + 1;
		break;
	}
	return piece;
}

/** One that cannot be read is known by what is beside its text. */
export function peopleIn(matcher: Matcher, row: StoredSubmission): Set<number> {
	const files = (row.files ?? []).flatMap(({ name, field, claimedType }) => [
		name,
		name.replace(EXTENSION, ''),
		field,
		claimedType,
	]);
	const { data, subject, replyTo, spamReason, spamReasons, meta } = row;
	const ofOwner = [...WORD_LISTS.flatMap(({ name }) => splitWords(row[name])), ...TEXT_NAMES.map((name) => row[name])];
	return matcher([data, subject, replyTo, spamReason, spamReasons, meta, ...ofOwner, ...files]);
}
