/** Reads that may take their time, for a connection of their own: ranges of submissions, and the full-text search. */

import type { Database } from 'bun:sqlite';
import { type SearchTerms, wordToken } from './search-text.ts';
import {
	BEYOND_ALL_IDS,
	COLUMNS,
	CONDITION,
	type Filter,
	type Row,
	type StoredSubmission,
	toStored,
} from './submission-log.ts';

/** Which submissions of a form are meant. */
export interface Narrowing {
	filter: Filter;
	/** Only submissions with `fromId <= id < beforeId`. */
	fromId?: number;
	beforeId?: number;
	/** Only submissions that the search index finds for all of these; at least one. */
	terms?: SearchTerms;
}

export interface Selection extends Narrowing {
	formId: number;
}

export interface Slice {
	order: 'asc' | 'desc';
	limit: number;
	offset: number;
}

export type SubmissionReader = ReturnType<typeof createSubmissionReader>;

export function createSubmissionReader(client: Database) {
	return {
		/** The ids of a part of what is selected, and how many are selected in all. */
		count(selection: Selection, { order, limit, offset }: Slice): { ids: number[]; total: number } {
			const text = `with found as materialized (select s.id ${sourceOf(selection, 6)})
				select (select count(*) from found), id from (select 1) left join
				(select id from found order by id ${order} limit ?4 offset ?5) on true`;
			const rows = client.query(text).values(...valuesOf(selection, limit, offset));
			const ids = rows.flatMap(([, id]) => (id === null ? [] : [id as number]));
			return { ids, total: Number(rows[0]?.[0] ?? 0) };
		},
		/** The first ids of what is selected. */
		ids(selection: Selection, { order, limit }: Omit<Slice, 'offset'>): number[] {
			const text = `select s.id ${sourceOf(selection, 5)} order by ${idOf(selection)} ${order} limit ?4`;
			return client
				.query(text)
				.values(...valuesOf(selection, limit))
				.map(([id]) => id as number);
		},
		/** What is selected, one by one, to be broken off anywhere. */
		*rows(selection: Selection, order: Slice['order']): Generator<StoredSubmission> {
			const text = `select ${COLUMNS} ${sourceOf(selection, 4)} order by ${idOf(selection)} ${order}`;
			for (const row of client.query(text).iterate(...valuesOf(selection))) {
				yield toStored(Object.values(row as object) as Row);
			}
		},
	};
}

function valuesOf(selection: Selection, ...more: number[]): (number | string)[] {
	const { formId, fromId = 0, beforeId = BEYOND_ALL_IDS, terms } = selection;
	const matches = terms ? [matchAll(terms.parts), matchAll(terms.shortWords.map(wordToken))] : [];
	return [formId, fromId, beforeId, ...more, ...matches.filter((match) => match !== '')];
}

/** What to sort by: the index yields its finds in the order of their ids, if it is asked by its own name for them. */
function idOf({ terms }: Selection): string {
	return terms ? 'i.rowid' : 's.id';
}

/**
 * Where selected submissions come from: `?1` the form, `?2` and `?3` the bounds, then, from `firstMatch` on, what the
 * search index is asked. What it finds is looked up one by one; the other way round a rare word would cost a scan.
 */
function sourceOf({ filter, terms }: Selection, firstMatch: number): string {
	const wanted = `s.form_id = ?1 and ${CONDITION[filter]}`;
	if (!terms) return `from submissions s where ${wanted} and s.id >= ?2 and s.id < ?3`;
	const hasParts = terms.parts.length > 0;
	const hasWords = terms.shortWords.length > 0;
	const index = hasParts ? 'search_parts' : 'search_words';
	const both = ` and +i.rowid in (select rowid from search_words where search_words match ?${firstMatch + 1})`;
	return `from ${index} i cross join submissions s on s.id = i.rowid
		where i.${index} match ?${firstMatch} and i.rowid >= ?2 and i.rowid < ?3${hasParts && hasWords ? both : ''} and ${wanted}`;
}

/** An FTS5 query for all of these texts: each is quoted, so that nothing in it is taken for syntax. */
function matchAll(texts: readonly string[]): string {
	return texts.map((text) => `"${text.replaceAll('"', '""')}"`).join(' ');
}
