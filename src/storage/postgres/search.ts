/** Full-text search: the folded text of each submission, indexed by its trigrams, behind the commits and up to the horizon. */

import type { Log } from '../../log.ts';
import { repeat } from '../../repeat.ts';
import { SEARCHED_JSON_CHARACTERS, searchTerms, searchText } from '../search-text.ts';
import type { Selection } from '../submission.ts';
import { BEYOND_ALL_IDS, CONDITION } from '../submission-rows.ts';
import { numbers, type Runner, rowsOf, type Sql, strings, type Value } from './connection.ts';

const STEP_ROWS = 500;
const STEP_BYTES = 4 * 1024 * 1024;
const IDLE_MS = 250;
const RETRY_AFTER_MS = 10_000;
const FIRST_AFTER_MS = 100;
/** Where the index ends, among the server's values. */
const INDEXED_TO = 'search_indexed_to';
/** Around each short word, behind the text; no text holds it. */
const MARK = '\u0001';
const SYNTAX = /[\\%_]/g;

/** What of a selection the search finds, as a statement. */
export function found({ formId, filter, fromId = 0, beforeId = BEYOND_ALL_IDS, words = [] }: Selection): {
	text: string;
	values: Value[];
} {
	const { parts, shortWords } = searchTerms(words);
	const patterns = [...parts, ...shortWords.map((word) => `${MARK}${word}${MARK}`)].map(
		(part) => `%${part.replace(SYNTAX, '\\$&')}%`,
	);
	return {
		text: `select s.id from search_texts t join submissions s on s.id = t.id
			where t.text like all($1::text::text[]) and t.form_id = $2 and s.form_id = $2 and s.id >= $3 and s.id < $4 and ${CONDITION[filter]}`,
		values: [strings(patterns), formId, fromId, beforeId],
	};
}

function storedText(data: string): string {
	const { text, shortWords } = searchText(data);
	return shortWords.length === 0 ? text : `${text}\n${MARK}${shortWords.join(MARK + MARK)}${MARK}`;
}

export function createSearch(sql: Sql, horizon: () => Promise<number>) {
	/** Indexes what comes next below an id. Returns whether there may be more. */
	async function advance(below: number): Promise<boolean> {
		return sql.begin(async (begun) => {
			const tx = begun as unknown as Runner;
			const [[from = '0'] = []] = await rowsOf<[string]>(
				tx,
				`insert into server_values (name, value) values ('${INDEXED_TO}', '0')
					on conflict (name) do update set value = server_values.value returning value`,
			);
			const rows = await rowsOf<[number, number, string]>(
				tx,
				`select id, form_id, data from (select id, form_id, left(data, ${SEARCHED_JSON_CHARACTERS}) data,
						sum(octet_length(data)) over (order by id) - octet_length(data) before from (
							select id, form_id, data from submissions where id > $1 and id < $2 order by id limit ${STEP_ROWS}) next) sized
					where before < ${STEP_BYTES} order by id`,
				[Number(from), below],
			);
			const last = rows.at(-1)?.[0];
			if (last === undefined) return false;
			// A removal of one of them waits meanwhile, and then removes its text too.
			await rowsOf(
				tx,
				`insert into search_texts (id, form_id, text)
					select t.* from unnest($1::text::bigint[], $2::text::bigint[], $3::text::text[]) t (id, form_id, text)
					join (select id from submissions where id = any($1::text::bigint[]) order by id for key share) s on s.id = t.id
					on conflict (id) do nothing`,
				[
					numbers(rows.map(([id]) => id)),
					numbers(rows.map(([, formId]) => formId)),
					strings(rows.map(([, , data]) => storedText(data))),
				],
			);
			await rowsOf(tx, `update server_values set value = $1 where name = '${INDEXED_TO}'`, [`${last}`]);
			return true;
		}) as Promise<boolean>;
	}

	return {
		async catchUp(): Promise<void> {
			while (await advance(BEYOND_ALL_IDS));
		},
		follow(log: Log): () => Promise<void> {
			const step = async () => {
				try {
					return (await advance(await horizon())) ? 0 : IDLE_MS;
				} catch (cause) {
					log.error('The search index could not be brought up to date; it is tried again.', { cause });
					return RETRY_AFTER_MS;
				}
			};
			return repeat(step, FIRST_AFTER_MS).stop;
		},
	};
}
