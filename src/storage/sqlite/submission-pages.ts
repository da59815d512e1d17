/** Pages and counts of submissions, found by the counts of blocks: no page reads what lies before it. */

import type { Database } from 'bun:sqlite';
import { remember } from '../../tasks/remember.ts';
import { conditionOf, countOf, FILTERS, type Filter, type View } from '../filters.ts';
import { BEYOND_ALL_IDS, PAGE_COLUMNS, type Row, toEntry } from '../rows.ts';
import type { ListQuery, Page, PageEntry } from '../submission.ts';
import { type Block, blockIndexOf, type FormIndex, startOf } from './form-index.ts';

/** A filter has three: with archived submissions, without, and those alone. */
const MAX_CONDITIONS = 3 * FILTERS.length;

type BlockQuery = Omit<ListQuery, 'words'>;

export type SubmissionPages = ReturnType<typeof createSubmissionPages>;

export function createSubmissionPages(client: Database, index: Pick<FormIndex, 'blocks' | 'totals'>) {
	const sql = prepareStatements(client);

	/** How many matching rows have an id below `id`: whole blocks are counted in memory, the last one by a query. */
	function countBelow(formId: number, view: View, id: number): number {
		if (id >= BEYOND_ALL_IDS) return countOf(view, index.totals(formId));
		const blocks = index.blocks(formId);
		const last = blockIndexOf(blocks, id);
		let below = 0;
		for (let i = 0; i < last; i++) below += countOf(view, blocks[i] as Block);
		return below + Number(sql.count(conditionOf(view)).values(formId, startOf(blocks, last), id)[0]?.[0] ?? 0);
	}

	/** Reads matching rows of a block in some order, from whichever end of it fewer are skipped. */
	function readBlock(query: BlockQuery, { at, skip, limit }: { at: number; skip: number; limit: number }): Row[] {
		const blocks = index.blocks(query.formId);
		const behind = countOf(query, blocks[at] as Block) - skip - limit;
		const isReversed = behind >= 0 && behind < skip;
		const isAscending = (query.order === 'asc') !== isReversed;
		const rows = (isAscending ? sql.ascending : sql.descending)(conditionOf(query)).values(
			query.formId,
			startOf(blocks, at),
			startOf(blocks, at + 1),
			limit,
			isReversed ? behind : skip,
		) as Row[];
		return isReversed ? rows.reverse() : rows;
	}

	/** Reads `limit` rows from the one of that rank (0 = oldest match) onwards, skipping by the blocks' counts. */
	function readFromRank(query: BlockQuery, rank: number, limit: number): PageEntry[] {
		const blocks = index.blocks(query.formId);
		const isAscending = query.order === 'asc';
		const { at, below } = locate(blocks, { view: query, rank, total: countOf(query, index.totals(query.formId)) });
		const rows: Row[] = [];
		let skip = isAscending ? rank - below : below + countOf(query, blocks[at] as Block) - 1 - rank;
		let i = at;
		for (; rows.length < limit && i >= 0 && i < blocks.length; i += isAscending ? 1 : -1) {
			if (countOf(query, blocks[i] as Block) === 0) continue;
			for (const row of readBlock(query, { at: i, skip, limit: limit - rows.length })) rows.push(row);
			skip = 0;
		}
		return rows.map(toEntry);
	}

	return {
		/** A page without a search. */
		page(query: Omit<ListQuery, 'words'>): Page {
			const { formId, order, limit, offset, fromId = 0, beforeId = BEYOND_ALL_IDS } = query;
			const low = fromId > 0 ? countBelow(formId, query, fromId) : 0;
			const high = countBelow(formId, query, beforeId);
			const total = Math.max(0, high - low);
			const wanted = Math.min(limit, total - offset);
			if (wanted <= 0) return { rows: [], total };
			const rank = order === 'asc' ? low + offset : high - 1 - offset;
			return { rows: readFromRank(query, rank, wanted), total };
		},
		/** How many matching submissions lie between each two neighbouring ids of `bounds`, which ascend. */
		countBetween(formId: number, { filter, bounds }: { filter: Filter; bounds: readonly number[] }): number[] {
			const end = countBelow(formId, { filter }, BEYOND_ALL_IDS);
			// Most of many forms are quiet: then nothing more has to be looked up.
			let isQuiet = false;
			const below = bounds.map((id) => {
				const count = isQuiet ? end : countBelow(formId, { filter }, id);
				isQuiet ||= count === end;
				return count;
			});
			return below.slice(1).map((count, i) => count - (below[i] as number));
		},
	};
}

/** The block that holds the match of that rank, and how many matches lie in the blocks before it; sought from the nearer end. */
function locate(blocks: readonly Block[], { view, rank, total }: { view: View; rank: number; total: number }) {
	if (rank < total / 2) {
		let below = 0;
		let at = 0;
		for (; rank >= below + countOf(view, blocks[at] as Block); at++) below += countOf(view, blocks[at] as Block);
		return { at, below };
	}
	let below = total;
	let at = blocks.length;
	while (below > rank) below -= countOf(view, blocks[--at] as Block);
	return { at, below };
}

function prepareStatements(client: Database) {
	const each = (text: (condition: string) => string) =>
		remember((condition) => client.prepare(text(condition)), MAX_CONDITIONS);
	const range = 'from submissions where form_id = +?1 and id >= ?2 and id < ?3';
	return {
		count: each((condition) => `select count(*) ${range} and ${condition}`),
		ascending: each(
			(condition) => `select ${PAGE_COLUMNS} ${range} and ${condition} order by id asc limit +?4 offset +?5`,
		),
		descending: each(
			(condition) => `select ${PAGE_COLUMNS} ${range} and ${condition} order by id desc limit +?4 offset +?5`,
		),
	};
}
