/** Submissions read as the contract says: pages, counts, ids, and scans. */

import type { ListedReads } from '../contract.ts';
import { placeOfFilter } from '../filters.ts';
import type { ListQuery, Page } from '../submission.ts';
import { entriesOf } from '../submissions/read.ts';
import { numbers, rowsOf, type Sql } from './connection.ts';
import { countBelow, type FormCounts } from './counts.ts';
import type { LongReads } from './long-reads.ts';
import { DIALECT, runOn } from './operations.ts';
import { createSearchHits } from './search-hits.ts';
import { createSubmissionPages } from './submission-pages.ts';
import { conditionOf, inOrder } from './submission-reader.ts';

export interface ListSources extends Pick<ListedReads, 'names' | 'forgetNames'> {
	counts: Pick<FormCounts, 'of'>;
	longReads: Pick<LongReads, 'open' | 'scan'>;
}

export function createSubmissionLists(sql: Sql, { counts, names, forgetNames, longReads }: ListSources): ListedReads {
	const hits = createSearchHits(sql);
	const pages = createSubmissionPages(sql, counts);

	async function search(query: ListQuery): Promise<Page> {
		const { total, ids: found } = await hits.page(query);
		return { rows: await runOn(sql, entriesOf(DIALECT, query.formId, found)), total };
	}

	return {
		async list(query) {
			const [{ rows, total }, { names: listed }] = await Promise.all([
				query.words ? search(query) : pages.page(query),
				names(query.formId, placeOfFilter(query.filter)),
			]);
			return { rows, total, namesJson: JSON.stringify(listed) };
		},
		count: (selection) => (selection.words ? hits : pages).count(selection),
		async ids(selection, { order, limit }) {
			if (selection.words) return hits.ids(selection, { order, limit });
			const { condition, values } = conditionOf(selection);
			const text = `select id from submissions where ${condition} order by ${inOrder(order)} limit ${limit}`;
			return (await rowsOf<[number]>(sql, text, values)).map(([id]) => id);
		},
		counts: (formIds) => counts.of(formIds),
		async countsBetween(formIds, { filter, bounds }) {
			const rows = await rowsOf<[number, number, number]>(
				sql,
				`select form.id, b.place, ${countBelow({ filter }, { form: 'form.id', id: 'b.id' })}
					from unnest($1::bigint[]) form (id), unnest($2::bigint[]) with ordinality b (id, place)
					order by form.id, b.place`,
				[numbers(formIds), numbers(bounds)],
			);
			const below = Map.groupBy(rows, ([id]) => id);
			return new Map(
				formIds.map((id) => {
					const sums = (below.get(id) ?? []).map(([, , count]) => count ?? 0);
					return [id, sums.slice(1).map((count, i) => count - (sums[i] as number))];
				}),
			);
		},
		names,
		forgetNames,
		prepareScan: longReads.open,
		scan: async (name, request) => (await longReads.scan(name, request)) as never,
	};
}
