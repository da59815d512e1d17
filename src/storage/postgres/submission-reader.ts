/** Reads that may take their time, for a connection of their own: ranges of submissions for a scan. */

import type { Scan, ScanRequest, Scans } from '../contract.ts';
import { type DamagedRows, readableRows } from '../damaged-bytes.ts';
import { BEYOND_ALL_IDS, COLUMNS, toStored } from '../rows.ts';
import { type Paging, rowCondition, type Scanned, type StoredSubmission } from '../submission.ts';
import type { Value } from '../submissions/operation.ts';
import { filesOf } from '../submissions/read.ts';
import { routeOf } from './connection/route.ts';
import { connect, numbers, rowsOf, SILENT_MS, type Sql } from './connection.ts';
import { DIALECT, runOn } from './operations.ts';
import { createSearchHits } from './search-hits.ts';

/** Rows of a scan's first piece; the limit of their text follows; both grow on request. */
const SCAN_ROWS = 1001;
const SCAN_BYTES = 1024 * 1024;

/** A scan wants more submissions than were read for it: it is run again with twice as many. */
class MoreRows extends Error {}

/** Operations of the reader thread. */
export type PostgresReads = ReturnType<typeof createCalls>;

export function createCalls(url: string, scans: Scans, report: DamagedRows['report']) {
	const sql = connect(url, { name: 'formsrv reader', max: 1, silentMs: SILENT_MS });
	const reader = createSubmissionReader(sql, report);
	let primary: number | undefined;

	/** There is no watch in this thread: the other one tells which server its connections lead to. */
	function follow(index: number | undefined): void {
		if (index === undefined || index === primary) return;
		routeOf(url).leadTo(index, primary === undefined ? Number.NEGATIVE_INFINITY : performance.now());
		primary = index;
	}

	return {
		async scan(name: string, request: ScanRequest, index: number | undefined): Promise<unknown> {
			follow(index);
			const run = scans[name];
			return run && reader.scan(run, request);
		},
		close: () => sql.end(),
	};
}

function createSubmissionReader(sql: Sql, report: DamagedRows['report']) {
	const hits = createSearchHits(sql);

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
		const rows = await rowsOf<[count: number, ...row: unknown[]]>(
			sql,
			`select count, ${COLUMNS} from (
					select *, count(*) over (), sum(octet_length(data)) over (order by id ${order}) - octet_length(data) before
						from (select ${COLUMNS} from submissions where ${condition} order by ${inOrder(order)} limit ${limit}) first) sized
				where before < ${SCAN_BYTES * share} order by id ${order}`,
			values,
		);
		const count = rows[0]?.[0] ?? 0;
		const ids = rows.map(([, id]) => id as number);
		const files = await runOn(sql, filesOf(DIALECT, ids));
		return {
			rows: rows.map(([, ...row]) => {
				const stored = toStored(row);
				return { ...stored, files: files.get(stored.id) };
			}),
			isAll: (found?.length ?? count) < limit && rows.length === count,
		};
	}

	return {
		async scan<Request extends ScanRequest>(run: Scan<Request, unknown>, request: Request): Promise<unknown> {
			for (let share = 1; ; share *= 2) {
				const { rows, isAll } = await read(request, share);
				try {
					return run(upTo(readableRows(rows, { report }), isAll), request);
				} catch (error) {
					if (!(error instanceof MoreRows)) throw error;
				}
			}
		},
	};
}

function* upTo(rows: Iterable<StoredSubmission>, isAll: boolean): Generator<StoredSubmission> {
	yield* rows;
	if (!isAll) throw new MoreRows();
}

/**
 * The submissions of a form in the order of their ids, here and in {@link inOrder}. Said so that PostgreSQL takes an index that begins with the
 * form: with `form_id = $1 … order by id limit` it takes the one of all ids, and passes over whatever older submissions other forms have.
 */
export function conditionOf(selection: Scanned): { condition: string; values: Value[] } {
	const { formId, fromId = 0, beforeId = BEYOND_ALL_IDS } = selection;
	const { condition, values } = rowCondition(selection, (at) => `$${4 + at}`);
	return {
		condition: `(form_id, id) >= ($1, $2) and (form_id, id) < ($1, $3) and ${condition}`,
		values: [formId, fromId, beforeId, ...values],
	};
}

export function inOrder(order: Paging['order']): string {
	return `form_id ${order}, id ${order}`;
}
