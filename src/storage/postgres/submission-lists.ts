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
import { BEYOND_ALL_IDS, COLUMNS, CONDITION, type Row, toStored } from '../submission-rows.ts';
import { numbers, rowsOf, type Sql } from './connection.ts';
import { countBelow, type FormCounts } from './counts.ts';
import { createSearchHits } from './search-hits.ts';
import { readEntries } from './submission-log.ts';
import { createSubmissionPages } from './submission-pages.ts';

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
	const hits = createSearchHits(sql);
	const pages = createSubmissionPages(sql, counts);

	async function search(query: ListQuery): Promise<Page> {
		const { total, ids: found } = await hits.page(query);
		return { rows: await readEntries(sql, query.formId, found), total };
	}

	async function ids(selection: Selection, paging: Omit<Paging, 'offset'>): Promise<number[]> {
		if (selection.words) return hits.ids(selection, paging);
		const { condition, values } = conditionOf(selection);
		const rows = await rowsOf<[number]>(
			sql,
			`select id from submissions where ${condition} order by id ${paging.order} limit ${paging.limit}`,
			values,
		);
		return rows.map(([id]) => id);
	}

	/** The first submissions of a selection, up to so many and so much. */
	async function read(
		{ selection, order }: ScanRequest,
		share: number,
	): Promise<{ rows: StoredSubmission[]; isAll: boolean }> {
		const limit = SCAN_ROWS * share;
		const found = selection.words && (await hits.ids(selection, { order, limit }));
		const { condition, values } = found
			? { condition: 'id = any($1::bigint[])', values: [numbers(found)] }
			: conditionOf(selection);
		const rows = await rowsOf<[count: number, ...Row]>(
			sql,
			`select count, ${COLUMNS} from (
					select *, count(*) over (), sum(octet_length(data)) over (order by id ${order}) - octet_length(data) before
						from (select ${COLUMNS} from submissions where ${condition} order by id ${order} limit ${limit}) first) sized
				where before < ${SCAN_BYTES * share} order by id ${order}`,
			values,
		);
		const count = rows[0]?.[0] ?? 0;
		const filesOf = await files(rows.map(([, id]) => id));
		return {
			rows: rows.map(([, ...row]) => {
				const stored = toStored(row);
				return { ...stored, files: filesOf.get(stored.id) };
			}),
			isAll: (found?.length ?? count) < limit && rows.length === count,
		};
	}

	return {
		async list(query: ListQuery): Promise<List> {
			const [{ rows, total }, { names: listed }] = await Promise.all([
				query.words ? search(query) : pages.page(query),
				names(query.formId, query.filter === 'spam'),
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
				`select form.id, b.place, ${countBelow(filter, { form: 'form.id', id: 'b.id' })}
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

function conditionOf({ formId, filter, fromId = 0, beforeId = BEYOND_ALL_IDS }: Selection) {
	return {
		condition: `form_id = $1 and id >= $2 and id < $3 and ${CONDITION[filter]}`,
		values: [formId, fromId, beforeId],
	};
}
