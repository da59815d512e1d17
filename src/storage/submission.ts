/** The nouns of the storage contract: submissions as they go in and come out, and which of them are meant. */

import type { FormEvent } from '../events.ts';
import { conditionOf, type Filter, type Flags, PLACE, type Place, type View } from './filters.ts';
import { columnOf, type OwnedName, WORD_CRITERIA, WORD_LISTS, type WordCriterion, type WordList } from './owned.ts';
import type { deliveries, files, idempotencyKeys, submissions } from './tables.ts';
import { hasWord, joinWords } from './word-lists.ts';

export type NewDelivery = typeof deliveries.$inferInsert;
export type NewIdempotencyKey = Omit<typeof idempotencyKeys.$inferInsert, 'submissionId'> & {
	/** The same key, if stored by this time, has expired and is replaced. */
	since: number;
};

export type StoredFile = Omit<typeof files.$inferSelect, 'formId' | 'submissionId'>;

/** Its columns, and what is written with them; `data` is stored and returned exactly so. */
export interface NewSubmission extends Omit<typeof submissions.$inferInsert, 'id' | keyof Flags> {
	/** The member names of `data`. */
	names: readonly string[];
	spamReason: string | null;
	/** Written in the same transaction. */
	deliveries?: readonly NewDelivery[];
	idempotencyKey?: NewIdempotencyKey;
	/** Written in the same transaction; their bytes are in the file store already. */
	files?: readonly StoredFile[];
	/** Hashes of values that no other submission of the form may have; written with it. Only one in the inbox holds them. */
	uniqueHashes?: readonly string[];
	/** True if its sender, a robot, gets a decoy id. */
	hasDecoy?: boolean;
}

/** A submission that was received elsewhere. */
export interface ImportedSubmission
	extends Flags,
		Omit<NewSubmission, 'formId' | 'deliveries' | 'idempotencyKey' | 'hasDecoy'> {
	/** When it was received, in milliseconds since 1970; one that the timeline has an id for. */
	at: number;
	/** Its id elsewhere, which it keeps if that is of the same moment and free. */
	formerId?: number | undefined;
}

/** Where a submission that was imported is. */
export interface ImportedPlace {
	id: number;
	/** False if it was there before. */
	isNew: boolean;
}

/** A submission that is being written. */
export interface Arrival {
	row: NewSubmission;
	id: number;
	/** The id that its sender is told. */
	toldId: number;
}

/**
 * Gives a submission its id, and with it its place in lists: to be called when it is written, so that nothing can come between.
 * A decoy is made first, because the first ids of a millisecond look alike.
 */
export function giveIds(arrival: Arrival, nextId: () => number): void {
	arrival.toldId = nextId();
	arrival.id = arrival.row.hasDecoy ? nextId() : arrival.toldId;
}

export interface StoredSubmission extends Omit<typeof submissions.$inferSelect, 'formId'>, Pick<Flags, 'isPending'> {
	/** It cannot be read any more, and nothing of its text is here; see `damage.ts`. */
	isDamaged?: true;
	/** Files of the submissions of a scan; elsewhere `submissions.files` has them. Absent: none. */
	files?: readonly StoredFile[] | undefined;
}

/** The values of a submission in fields with a rule that makes them unique. */
export interface UniqueHashes {
	id: number;
	hashes: readonly string[];
}

/** Where a submission lies that arrives: one with the key of an address waits until that is confirmed. */
export function placeOfNew({ spamReason, addressKey }: Pick<NewSubmission, 'spamReason' | 'addressKey'>): Place {
	if (spamReason !== null) return PLACE.spam;
	return addressKey ? PLACE.pending : PLACE.inbox;
}

/** The event of one that was stored: what is pending is news to no one yet. */
export function arrivalOf(row: NewSubmission, submissionId: number): FormEvent {
	const { formId } = row;
	return placeOfNew(row) === PLACE.pending ? { type: 'change', formId } : { type: 'submission', formId, submissionId };
}

/** Returns whether others may not have its values. */
export const holdsValues = (row: NewSubmission): boolean =>
	row.uniqueHashes !== undefined && row.uniqueHashes.length > 0 && placeOfNew(row) === PLACE.inbox;

/** The columns that owners set. */
export type Owned = Pick<StoredSubmission, OwnedName>;

/** The columns to set, and the words to add to the lists of each submission as it has them, and to remove. */
export type OwnedChange = Partial<Owned & Record<WordList['adding' | 'removing'], readonly string[]>>;

/** A pending submission that is to be confirmed, and the deliveries to be written with that. */
export interface Confirming {
	id: number;
	/** Those of its unique values by the rules of today. Others, of rules that are gone, do not keep it waiting. */
	uniqueHashes: readonly string[];
	deliveries: readonly NewDelivery[];
}

/**
 * The result of a confirmation. `full`: its form has no place left; `taken`: another submission has one of its unique values; in both cases it
 * stays pending. `gone`: it was not pending any more.
 */
export type Confirmation = 'confirmed' | 'full' | 'taken' | 'gone';

/** A submission without its text. */
export interface SubmissionHead extends Flags {
	id: number;
	formId: number;
	/** Bytes of the text. */
	bytes: number;
}

/** A condition on submissions; of a list of words, that it has this one. */
export interface Condition extends View, Partial<Record<WordCriterion, string>> {
	/** Only submissions with `fromId <= id < beforeId`. */
	fromId?: number | undefined;
	beforeId?: number | undefined;
	/** Only submissions in which the search finds all of these, at least one; see `search-words.ts` and `search-text.ts`. */
	words?: readonly string[] | undefined;
}

export interface Selection extends Condition {
	formId: number;
}

/** Those that a scan goes through. */
export type Scanned = Omit<Selection, 'filter'> & { filter: Filter | 'any' };

/** Returns whether no counts tell how many there are: they are looked for. */
export const isSought = (condition: Pick<Scanned, 'words' | WordCriterion>): boolean =>
	condition.words !== undefined || WORD_CRITERIA.some((one) => condition[one] !== undefined);

/** The condition on the rows of a selection, in words that both engines know, and the values of its parameters, which `parameter` names. */
export function rowCondition(
	selection: Scanned,
	parameter: (at: number) => string,
): { condition: string; values: string[] } {
	const lists = WORD_LISTS.filter(({ one }) => selection[one] !== undefined);
	const ofLists = lists.map(({ name }, at) => hasWord(columnOf(name), parameter(at)));
	return {
		condition: [conditionOf(selection), ...ofLists].join(' and '),
		values: lists.map(({ one }) => joinWords([selection[one] as string]) as string),
	};
}

export interface Paging {
	order: 'asc' | 'desc';
	limit: number;
	offset: number;
}

export interface ListQuery extends Selection, Paging {}

/** Columns for the work that an arrival causes. */
export const NOT_ON_PAGES = ['subject', 'replyTo', 'addressKey'] as const;

/** With the size in bytes in place of a large text, which is read by itself. */
export interface PageEntry extends Omit<StoredSubmission, 'data' | (typeof NOT_ON_PAGES)[number]> {
	data: string | number;
}

export interface Page {
	rows: PageEntry[];
	/** How many submissions match in all. */
	total: number;
}

/** A page, and with it the field names of the inbox, or of spam if that is listed, as a JSON array. */
export interface List extends Page {
	namesJson: string;
}

/** Field names in the order first seen. */
export interface FieldNames {
	names: string[];
	/** True if there may be submissions with unlisted names; which those are is the engine's choice. */
	isPartial: boolean;
}
