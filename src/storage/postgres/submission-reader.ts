/** Reads that may take their time, for a connection of their own: ranges of submissions for a scan. */

import type { Scan, ScanRequest } from '../contract.ts';
import { type DamagedRows, readableRows } from '../damaged-bytes.ts';
import { CONDITION } from '../filters.ts';
import { BEYOND_ALL_IDS, COLUMNS, toStored } from '../rows.ts';
import type { Selection, StoredSubmission } from '../submission.ts';
import { filesOf } from '../submissions/read.ts';
import { numbers, rowsOf, type Sql } from './connection.ts';
import { DIALECT, runOn } from './operations.ts';
import { createSearchHits } from './search-hits.ts';
import { inOrder, OF_FORM_BETWEEN } from './submission-order.ts';

/** Rows of a scan's first piece; the limit of their text follows; both grow on request. */
const SCAN_ROWS = 1001;
const SCAN_BYTES = 1024 * 1024;

/** A scan wants more submissions than were read for it: it is run again with twice as many. */
class MoreRows extends Error {}

export function createSubmissionReader(sql: Sql, report: DamagedRows['report']) {
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
		const files = await runOn(
			sql,
			filesOf(
				DIALECT,
				rows.map(([, id]) => id as number),
			),
		);
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

export function conditionOf({ formId, filter, fromId = 0, beforeId = BEYOND_ALL_IDS }: Selection) {
	return {
		condition: `${OF_FORM_BETWEEN} and ${CONDITION[filter]}`,
		values: [formId, fromId, beforeId],
	};
}
