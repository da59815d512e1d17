/** Submissions read as the contract says: pages, counts, ids, and scans. */

import type { Scan, ScanRequest } from '../scan.ts';
import type {
	Counts,
	FieldNames,
	Filter,
	List,
	ListQuery,
	Page,
	Paging,
	Selection,
	StoredFile,
	StoredSubmission,
} from '../submission.ts';
import { BEYOND_ALL_IDS, COLUMNS, CONDITION, COUNT_OF, type Row, toStored } from '../submission-rows.ts';
import { numbers, type Runner, rowsOf, type Sql } from './connection.ts';
import { countBelow, type FormCounts } from './counts.ts';
import { found } from './search.ts';
import { again, readEntries } from './submission-log.ts';

/** What a scan is given at first, and how much text that may be; more if it asks for more. */
const SCAN_ROWS = 1001;
const SCAN_BYTES = 1024 * 1024;

/** A scan wants more submissions than were read for it: it is run again with twice as many. */
class MoreRows extends Error {}

export interface ListSources {
	counts: Pick<FormCounts, 'of'>;
	files(ids: readonly number[]): Promise<Map<number, StoredFile[]>>;
	names(formId: number, isSpam: boolean): Promise<FieldNames>;
	scans(): Promise<Readonly<Record<string, Scan<ScanRequest, unknown>>>>;
}

export function createSubmissionLists(sql: Sql, { counts, files, names, scans }: ListSources) {
	/** How many match, and below which of them the bounds lie. */
	async function ranks(tx: Runner, { formId, filter, fromId = 0, beforeId = BEYOND_ALL_IDS }: Selection) {
		const isWhole = fromId <= 0 && beforeId >= BEYOND_ALL_IDS;
		if (isWhole) return { low: 0, high: (await counts.of([formId], tx)).get(formId)?.[COUNT_OF[filter]] ?? 0 };
		const below = (id: string) => countBelow(filter, { form: '$1::bigint', id });
		const [row] = await rowsOf<[number, number]>(tx, `select ${below('$2::bigint')}, ${below('$3::bigint')}`, [
			formId,
			fromId,
			beforeId,
		]);
		return { low: row?.[0] ?? 0, high: row?.[1] ?? 0 };
	}

	async function page(query: ListQuery): Promise<Page> {
		return oneView(async (tx) => {
			const { low, high } = await ranks(tx, query);
			const { offset, limit, order, formId } = query;
			const total = Math.max(0, high - low);
			const wanted = Math.min(limit, total - offset);
			if (wanted <= 0) return { rows: [], total };
			const rank = order === 'asc' ? low + offset : high - 1 - offset;
			const ids = await rowsOf<[number]>(tx, idsFrom(query), [formId, rank, wanted]);
			return {
				rows: await readEntries(
					tx,
					formId,
					ids.map(([id]) => id),
				),
				total,
			};
		});
	}

	/** Several statements on one state of the database. */
	function oneView<T>(read: (tx: Runner) => Promise<T>): Promise<T> {
		return again(
			() => sql.begin('isolation level repeatable read read only', (tx) => read(tx as unknown as Runner)) as Promise<T>,
		);
	}

	async function search(query: ListQuery): Promise<Page> {
		const { text, values } = found(query);
		const { order, limit, offset, formId } = query;
		const [row] = await rowsOf<[number, string | null]>(
			sql,
			`with found as materialized (${text}) select (select count(*) from found),
				(select array_agg(id)::text from (select id from found order by id ${order} limit ${limit} offset ${offset}) page)`,
			values,
			// With a plan of its own for these words.
			false,
		);
		const ids = (row?.[1] ?? '{}').slice(1, -1).split(',').filter(Boolean).map(Number);
		return { rows: await readEntries(sql, formId, ids), total: row?.[0] ?? 0 };
	}

	async function ids(selection: Selection, { order, limit }: Omit<Paging, 'offset'>): Promise<number[]> {
		const { text, values } = selection.words ? found(selection) : plain(selection);
		const rows = await rowsOf<[number]>(sql, `${text} order by id ${order} limit ${limit}`, values, !selection.words);
		return rows.map(([id]) => id);
	}

	/** The first submissions of a selection, up to so many and so much. */
	async function read(
		{ selection, order }: ScanRequest,
		share: number,
	): Promise<{ rows: StoredSubmission[]; isAll: boolean }> {
		const first = await ids(selection, { order, limit: SCAN_ROWS * share });
		const sizes = new Map(
			await rowsOf<[number, number]>(
				sql,
				'select id, octet_length(data) from submissions where id = any($1::text::bigint[])',
				[numbers(first)],
			),
		);
		let bytes = 0;
		const small = first.filter((id) => {
			const isRead = bytes < SCAN_BYTES * share;
			bytes += sizes.get(id) ?? 0;
			return isRead;
		});
		const rows = await rowsOf<Row>(
			sql,
			`select ${COLUMNS} from submissions where id = any($1::text::bigint[]) order by id ${order}`,
			[numbers(small)],
		);
		const filesOf = await files(small);
		return {
			rows: rows.map((row) => {
				const stored = toStored(row);
				return { ...stored, files: filesOf.get(stored.id) };
			}),
			isAll: first.length < SCAN_ROWS * share && small.length === first.length,
		};
	}

	return {
		async list(query: ListQuery): Promise<List> {
			const [{ rows, total }, { names: listed }] = await Promise.all([
				query.words ? search(query) : page(query),
				names(query.formId, query.filter === 'spam'),
			]);
			return { rows, total, namesJson: JSON.stringify(listed) };
		},
		async count(selection: Selection): Promise<number> {
			if (selection.words) return (await search({ ...selection, order: 'asc', limit: 0, offset: 0 })).total;
			const { low, high } = await oneView((tx) => ranks(tx, selection));
			return Math.max(0, high - low);
		},
		ids,
		counts: (formIds: readonly number[]): Promise<Map<number, Counts>> => counts.of(formIds),
		async countsBetween(
			formIds: readonly number[],
			{ filter, bounds }: { filter: Filter; bounds: readonly number[] },
		): Promise<Map<number, number[]>> {
			const rows = await rowsOf<[number, number, number]>(
				sql,
				`select form.id, b.place, ${countBelow(filter, { form: 'form.id', id: 'b.id' })}
					from unnest($1::text::bigint[]) form (id), unnest($2::text::bigint[]) with ordinality b (id, place)
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
		/** Each scan asks the database anew. */
		prepareScan(): void {},
		async scan<Request extends ScanRequest, Result>(name: string, request: Request): Promise<Result> {
			const run = (await scans())[name];
			for (let share = 1; ; share *= 2) {
				const { rows, isAll } = await read(request, share);
				try {
					return run?.(upTo(rows, isAll), request) as Result;
				} catch (error) {
					if (!(error instanceof MoreRows)) throw error;
				}
			}
		},
	};
}

function* upTo(rows: readonly StoredSubmission[], isAll: boolean): Generator<StoredSubmission> {
	yield* rows;
	if (!isAll) throw new MoreRows();
}

function plain({ formId, filter, fromId = 0, beforeId = BEYOND_ALL_IDS }: Selection) {
	return {
		text: `select id from submissions where form_id = $1 and id >= $2 and id < $3 and ${CONDITION[filter]}`,
		values: [formId, fromId, beforeId],
	};
}

/**
 * The ids of so many matches ($3) from the one of a rank ($2, 0 = oldest) onwards: of the blocks in which they are, by the
 * blocks' counts, and of the last part, which is not folded.
 */
function idsFrom({ filter, order }: Pick<ListQuery, 'filter' | 'order'>): string {
	const matching = `from submissions where form_id = $1`;
	const isAscending = order === 'asc';
	const [first, last] = isAscending
		? ['$2::bigint', '$2::bigint + $3::bigint - 1']
		: ['$2::bigint - $3::bigint + 1', '$2::bigint'];
	const skip = isAscending ? '$2::bigint - min(below)' : 'max(below + n) - 1 - $2::bigint';
	return `with parts as (
			select b.first_id, b.${COUNT_OF[filter]} n, lead(b.first_id, 1, f.folded_to) over (order by b.first_id) next_id
				from submission_blocks b join forms f on f.id = b.form_id where b.form_id = $1
			union all select f.folded_to, (select count(*) ${matching} and id >= f.folded_to and ${CONDITION[filter]}), ${BEYOND_ALL_IDS}
				from forms f where f.id = $1),
		sums as (select first_id, next_id, n, sum(n) over (order by first_id)::bigint - n below from parts),
		here as (select * from sums where n > 0 and below <= ${last} and below + n > ${first})
		select s.id from here p cross join lateral (
			select id ${matching} and id >= p.first_id and id < p.next_id and ${CONDITION[filter]}) s
		order by p.first_id ${order}, s.id ${order} limit $3::bigint offset (select ${skip} from here)`;
}
