/**
 * Submissions that a search finds. If few have its words, the index finds them all. If many have, a page of fifty is found among the
 * first submissions that are looked at one by one, and the others are only counted.
 *
 * Flags and texts lie in two tables, and each statement says which of them is read first. Left to the database, which may not know
 * yet how large a form has become, all of one would be read for each row of the other.
 */

import { conditionOf } from '../filters.ts';
import { BEYOND_ALL_IDS } from '../rows.ts';
import { searchTerms, searchText } from '../search-text.ts';
import { type ListQuery, type Paging, rowCondition, type Scanned, type Selection } from '../submission.ts';
import type { Value } from '../submissions/operation.ts';
import { rowsOf, type Sql } from './connection.ts';

/** Around each short word, behind the text; no text holds it. */
const MARK = '\u0001';
const FEW = 5000;
/** The number of submissions checked one by one: some for each requested one, within bounds, and a few for each of very many. */
const LOOKS = { each: 50, least: 10_000, most: 50_000, eachOfMany: 4 };
const SYNTAX = /[\\%_]/g;
/** Makes the planner look up joined rows one by one. */
const ONE_BY_ONE = 'offset 0';
/** Condition on the form $1, from one id ($2) to below another ($3). */
const WITHIN = 'form_id = $1 and id >= $2 and id < $3';

interface Question {
	/** Condition for a text with the words. */
	matches: string;
	/** Condition for a submission with the flags. */
	condition: string;
	/** True if that is all but spam. */
	isAll: boolean;
	values: Value[];
}

/** Returns the part of a submission that is searched. @param data As `searchText` takes it */
export function storedText(data: string): string {
	const { text, shortWords } = searchText(data);
	return shortWords.length === 0 ? text : `${text}\n${MARK}${shortWords.join(MARK + MARK)}${MARK}`;
}

export function createSearchHits(sql: Sql) {
	/** With a plan of its own for these words. */
	const ask = <Row extends readonly unknown[]>(text: string, { values }: Question) =>
		rowsOf<Row>(sql, text, values, false);

	/** How many there are and a part of them, unless there are many. */
	async function few(query: ListQuery): Promise<{ total: number; ids: number[] } | undefined> {
		const question = questionOf(query);
		const [row] = await ask<[number, number, string | null]>(
			`with texts as materialized (${texts(question)} limit ${FEW + 1}), found as materialized (
					${withFlags(question)} where (select count(*) from texts) <= ${FEW})
				select (select count(*) from texts), (select count(*) from found),
					(select array_agg(id)::text from (select id from found ${part(query)}) page)`,
			question,
		);
		const [count = 0, total = 0, list] = row ?? [];
		if (count > FEW) return undefined;
		return { total, ids: (list ?? '{}').slice(1, -1).split(',').filter(Boolean).map(Number) };
	}

	async function countMany(selection: Selection): Promise<number> {
		const question = questionOf(selection);
		const countOf = (one: Question) => `(select count(*) from (${withText(one)}) found)`;
		const text = question.isAll
			? `select (select count(*) from (${texts(question)}) all_texts) - ${countOf({ ...question, condition: `not (${conditionOf({ filter: 'all' })})` })}`
			: `select ${countOf(question)}`;
		const [row] = await ask<[number]>(text, question);
		return row?.[0] ?? 0;
	}

	/** Some of many. */
	async function some(selection: Scanned, paging: Paging): Promise<number[]> {
		const question = questionOf(selection);
		const wanted = paging.limit + paging.offset;
		const looks = Math.max(LOOKS.least, Math.min(LOOKS.each * wanted, LOOKS.most), LOOKS.eachOfMany * wanted);
		const rows = await ask<[number]>(withText(question, { ...paging, looks }), question);
		if (rows.length === paging.limit) return rows.map(([id]) => id);
		const all = await ask<[number]>(
			`with texts as materialized (${texts(question)}) ${withFlags(question)} ${part(paging)}`,
			question,
		);
		return all.map(([id]) => id);
	}

	return {
		ids: (selection: Scanned, paging: Omit<Paging, 'offset'>) => some(selection, { ...paging, offset: 0 }),
		async count(selection: Selection): Promise<number> {
			const found = await few({ ...selection, order: 'asc', limit: 0, offset: 0 });
			return found?.total ?? countMany(selection);
		},
		async page(query: ListQuery): Promise<{ total: number; ids: number[] }> {
			const found = await few(query);
			if (found) return found;
			const [total, ids] = await Promise.all([countMany(query), some(query, query)]);
			return { total, ids };
		},
	};
}

function questionOf(selection: Scanned): Question {
	const { formId, fromId = 0, beforeId = BEYOND_ALL_IDS, words = [] } = selection;
	const { parts, shortWords } = searchTerms(words);
	const marked = shortWords.map((spellings) => spellings.map((word) => `${MARK}${word}${MARK}`));
	const patterns: string[] = [];
	// One by one, because the index does not know lists of patterns.
	const isLike = (part: string) => `text like $${patterns.push(`%${part.replace(SYNTAX, '\\$&')}%`) + 3}`;
	const matches = [...parts, ...marked].map((spellings) => `(${spellings.map(isLike).join(' or ')})`).join(' and ');
	const { condition, values } = rowCondition(selection, (at) => `$${4 + patterns.length + at}`);
	return {
		matches,
		condition,
		isAll: condition === conditionOf({ filter: 'all' }),
		values: [formId, fromId, beforeId, ...patterns, ...values],
	};
}

/** All whose text matches, from wherever the database finds them fastest. */
function texts({ matches }: Question): string {
	return `select id from search_texts where ${WITHIN} and ${matches}`;
}

/** Those of `texts` that have the flags. */
function withFlags({ condition }: Question): string {
	return `select id from texts cross join lateral (
		select from submissions where submissions.id = texts.id and ${condition} ${ONE_BY_ONE}) flags`;
}

/** Those that have the flags whose text matches: all, or a part of so many as are looked at. */
function withText({ condition, matches }: Question, paging?: Paging & { looks: number }): string {
	const looked = paging ? `order by id ${paging.order} limit ${paging.looks}` : '';
	return `select id from (select id from submissions where ${WITHIN} and ${condition} ${looked}) flagged
		cross join lateral (select from search_texts where search_texts.id = flagged.id and ${matches} ${ONE_BY_ONE}) texts
		${paging ? part(paging) : ''}`;
}

function part({ order, limit, offset }: Paging): string {
	return `order by id ${order} limit ${limit} offset ${offset}`;
}
