/** Full-text search: the folded text of each submission, indexed by its trigrams, behind the commits and up to the horizon. */

import type { Log } from '../../log/log.ts';
import type { Findings } from '../findings.ts';
import { startIndexer } from '../indexer.ts';
import { BEYOND_ALL_IDS } from '../rows.ts';
import { SEARCHED_JSON_CHARACTERS } from '../search-text.ts';
import { numbers, rowsOf, type Sql, strings } from './connection.ts';
import { runOn } from './operations.ts';
import { storedText } from './search-hits.ts';

/** Folding the texts of a step holds up everything else for so long; the rest is the database's work. */
const STEP = { rows: 128, bytes: 128 * 1024 };
/** Where the index ends, among the server's values. */
export const INDEXED_TO = 'search_indexed_to';

interface SearchOptions {
	horizon(): Promise<number>;
	findings: Pick<Findings, 'has'>;
}

export function createSearch(sql: Sql, { horizon, findings }: SearchOptions) {
	/** Indexes what comes next below an id. Returns whether there may be more. */
	async function advance(below: number): Promise<boolean> {
		const [[from = '0'] = []] = await rowsOf<[string]>(sql, 'select value from server_values where name = $1', [
			INDEXED_TO,
		]);
		const rows = await rowsOf<[number, number, string]>(
			sql,
			`select id, form_id, data from (select id, form_id, left(data, ${SEARCHED_JSON_CHARACTERS}) data,
					sum(octet_length(data)) over (order by id) - octet_length(data) before from (
						select id, form_id, data from submissions where id > $1 and id < $2 order by id limit $3) next) sized
				where before < $4 order by id`,
			[Number(from), below, STEP.rows, STEP.bytes],
		);
		const last = rows.at(-1)?.[0];
		if (last === undefined) return false;
		const columns = [
			numbers(rows.map(([id]) => id)),
			numbers(rows.map(([, formId]) => formId)),
			strings(rows.map(([, , data]) => storedText(data))),
		];
		// Unless another leader did so meanwhile. A removal of one of them waits, and then removes its text too.
		await rowsOf(
			sql,
			`with mine as (insert into server_values (name, value) values ($4, $6)
					on conflict (name) do update set value = excluded.value where server_values.value = $5 returning 1),
				s as (select id from submissions where id = any($1::bigint[]) order by id for key share)
			insert into search_texts (id, form_id, text)
				select t.* from unnest($1::bigint[], $2::bigint[], $3::text[]) t (id, form_id, text)
				join s on s.id = t.id where exists (select from mine) on conflict (id) do nothing`,
			[...columns, INDEXED_TO, from, `${last}`],
		);
		return true;
	}

	const index = {
		// Never beyond the horizon, which is all that is settled among several servers.
		advance: async () => advance(await horizon()),
		// A text goes with its submission.
		clear: async () => false,
	};

	return {
		async catchUp(): Promise<void> {
			while (await advance(BEYOND_ALL_IDS));
		},
		follow: (log: Log) => startIndexer({ search: index, findings, read: (operation) => runOn(sql, operation) }, log),
	};
}
