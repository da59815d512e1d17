/** Pages of a form, however deep: the blocks' counts say where one begins, and what is near an end of the list is just read. */

import { conditionOf, countOf, countSql, toCounts, type View } from '../filters.ts';
import { BEYOND_ALL_IDS, FLAG_COLUMNS } from '../rows.ts';
import { isSought, type ListQuery, type Page, type Selection } from '../submission.ts';
import { entriesOf } from '../submissions/read.ts';
import { type Runner, rowsOf, type Sql } from './connection.ts';
import { countBelow, type FormCounts } from './counts.ts';
import { again, DIALECT, runOn } from './operations.ts';
import { conditionOf as foundBy, inOrder } from './submission-reader.ts';

/** Distance from the beginning of the list within which no block is read, unless too few of so many submissions match. */
const NEAR = 500;
const NEAR_LOOKS = 2000;

export function createSubmissionPages(sql: Sql, counts: Pick<FormCounts, 'of'>) {
	/** How many match, and below which of them the bounds lie. */
	async function ranks(tx: Runner, selection: Selection) {
		const { formId, fromId = 0, beforeId = BEYOND_ALL_IDS } = selection;
		const isWhole = fromId <= 0 && beforeId >= BEYOND_ALL_IDS;
		if (isWhole) return { low: 0, high: countOf(selection, (await counts.of([formId], tx)).get(formId) ?? toCounts()) };
		const below = (id: string) => countBelow(selection, { form: '$1::bigint', id });
		const [row] = await rowsOf<[number, number]>(tx, `select ${below('$2::bigint')}, ${below('$3::bigint')}`, [
			formId,
			fromId,
			beforeId,
		]);
		return { low: row?.[0] ?? 0, high: row?.[1] ?? 0 };
	}

	/** A page of those that no counts tell of. */
	async function foundPage(query: ListQuery): Promise<Page> {
		const { order, limit, offset } = query;
		const { condition, values } = foundBy(query);
		return oneView(async (tx) => {
			const total = await countFound(tx, query);
			const text = `select id from submissions where ${condition} order by ${inOrder(order)} limit ${limit} offset ${offset}`;
			const ids = await rowsOf<[number]>(tx, text, values);
			return { rows: await entriesAt(tx, query.formId, ids), total };
		});
	}

	async function countFound(tx: Runner, selection: Selection): Promise<number> {
		const { condition, values } = foundBy(selection);
		const [row] = await rowsOf<[number]>(tx, `select count(*) from submissions where ${condition}`, values);
		return row?.[0] ?? 0;
	}

	function entriesAt(tx: Runner, formId: number, ids: readonly [number][]): Promise<Page['rows']> {
		const found = ids.map(([id]) => id);
		return runOn(tx, entriesOf(DIALECT, formId, found));
	}

	async function page(query: ListQuery): Promise<Page> {
		return oneView(async (tx) => {
			const { low, high } = await ranks(tx, query);
			const { offset, limit, order, formId } = query;
			const total = Math.max(0, high - low);
			const wanted = Math.min(limit, total - offset);
			if (wanted <= 0) return { rows: [], total };
			const rank = order === 'asc' ? low + offset : high - 1 - offset;
			const isNear = offset + wanted <= NEAR;
			const { fromId = 0, beforeId = BEYOND_ALL_IDS } = query;
			let ids = isNear ? await rowsOf<[number]>(tx, idsNear(query), [formId, fromId, beforeId, wanted, offset]) : [];
			if (ids.length < wanted) ids = await rowsOf<[number]>(tx, idsFrom(query), [formId, rank, wanted]);
			return { rows: await entriesAt(tx, formId, ids), total };
		});
	}

	/** Several statements on one state of the database. */
	function oneView<T>(read: (tx: Runner) => Promise<T>): Promise<T> {
		return again(() => sql.begin(read, 'isolation level repeatable read read only'));
	}

	return {
		page: (query: ListQuery): Promise<Page> => (isSought(query) ? foundPage(query) : page(query)),
		async count(selection: Selection): Promise<number> {
			if (isSought(selection)) return oneView((tx) => countFound(tx, selection));
			const { low, high } = await oneView((tx) => ranks(tx, selection));
			return Math.max(0, high - low);
		},
	};
}

/** The ids of so many matches ($4) behind so many others ($5), if they are among the first submissions between two ids ($2, $3). */
function idsNear(query: Pick<ListQuery, keyof View | 'order'>): string {
	const { order } = query;
	return `select id from (select ${FLAG_COLUMNS} from submissions where form_id = $1 and id >= $2 and id < $3
			order by id ${order} limit ${NEAR_LOOKS}) near
		where ${conditionOf(query)} order by id ${order} limit $4 offset $5`;
}

/**
 * The ids of so many matches ($3) from the one of a rank ($2, 0 = oldest) onwards: of the blocks in which they are, by the
 * blocks' counts, and of the last part, which is not folded.
 */
function idsFrom(query: Pick<ListQuery, keyof View | 'order'>): string {
	const { order } = query;
	const condition = conditionOf(query);
	const matching = `from submissions where form_id = $1`;
	const isAscending = order === 'asc';
	const [first, last] = isAscending
		? ['$2::bigint', '$2::bigint + $3::bigint - 1']
		: ['$2::bigint - $3::bigint + 1', '$2::bigint'];
	const skip = isAscending ? '$2::bigint - min(below)' : 'max(below + n) - 1 - $2::bigint';
	return `with parts as (
			select b.first_id, ${countSql(query, 'b.')} n, lead(b.first_id, 1, f.folded_to) over (order by b.first_id) next_id
				from submission_blocks b join forms f on f.id = b.form_id where b.form_id = $1
			union all select f.folded_to, (select count(*) ${matching} and id >= f.folded_to and ${condition}), ${BEYOND_ALL_IDS}
				from forms f where f.id = $1),
		sums as (select first_id, next_id, n, sum(n) over (order by first_id)::bigint - n below from parts),
		here as (select * from sums where n > 0 and below <= ${last} and below + n > ${first})
		select s.id from here p cross join lateral (
			select id ${matching} and id >= p.first_id and id < p.next_id and ${condition}) s
		order by p.first_id ${order}, s.id ${order} limit $3::bigint offset (select ${skip} from here)`;
}
