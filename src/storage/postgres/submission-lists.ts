/** Submissions read as the contract says: pages, counts, ids, and scans. */

import type { ScanRequest } from '../contract.ts';
import { type Counts, type Filter, type Place, placeOfFilter } from '../filters.ts';
import type { FieldNames, List, ListQuery, Page, Paging, Selection } from '../submission.ts';
import { entriesOf } from '../submissions/read.ts';
import { numbers, rowsOf, type Sql } from './connection.ts';
import { countBelow, type FormCounts } from './counts.ts';
import type { LongReads } from './long-reads.ts';
import { DIALECT, runOn } from './operations.ts';
import { createSearchHits } from './search-hits.ts';
import { createSubmissionPages } from './submission-pages.ts';
import { conditionOf, inOrder } from './submission-reader.ts';

export interface ListSources {
	counts: Pick<FormCounts, 'of'>;
	names(formId: number, place: Place): Promise<FieldNames>;
	forgetNames(formId: number): Promise<void>;
	longReads: Pick<LongReads, 'open' | 'scan'>;
}

export function createSubmissionLists(sql: Sql, { counts, names, forgetNames, longReads }: ListSources) {
	const hits = createSearchHits(sql);
	const pages = createSubmissionPages(sql, counts);

	async function search(query: ListQuery): Promise<Page> {
		const { total, ids: found } = await hits.page(query);
		return { rows: await runOn(sql, entriesOf(DIALECT, query.formId, found)), total };
	}

	async function ids(selection: Selection, paging: Omit<Paging, 'offset'>): Promise<number[]> {
		if (selection.words) return hits.ids(selection, paging);
		const { condition, values } = conditionOf(selection);
		const rows = await rowsOf<[number]>(
			sql,
			`select id from submissions where ${condition} order by ${inOrder(paging.order)} limit ${paging.limit}`,
			values,
		);
		return rows.map(([id]) => id);
	}

	return {
		async list(query: ListQuery): Promise<List> {
			const [{ rows, total }, { names: listed }] = await Promise.all([
				query.words ? search(query) : pages.page(query),
				names(query.formId, placeOfFilter(query.filter)),
			]);
			return { rows, total, namesJson: JSON.stringify(listed) };
		},
		async count(selection: Selection): Promise<number> {
			return selection.words ? hits.count(selection) : pages.count(selection);
		},
		ids,
		counts: (formIds: readonly number[]): Promise<Map<number, Counts>> => counts.of(formIds),
		async countsBetween(
			formIds: readonly number[],
			{ filter, bounds }: { filter: Filter; bounds: readonly number[] },
		): Promise<Map<number, number[]>> {
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
		scan: async <Request extends ScanRequest, Result>(name: string, request: Request): Promise<Result> =>
			(await longReads.scan(name, request)) as Result,
	};
}
