/** Compares the stored counts with the submissions themselves, without a change; for `doctor`. To be run on one view of the database. */

import type { CountReport } from './database.ts';
import { COUNTED, COUNTERS } from './filters.ts';
import { type Operation, rows } from './submissions/operation.ts';

/** Enough for tens of millions of submissions. */
export const COMPARING_LASTS_MS = 10_000;
const LIST = COUNTERS.join(', ');
const COUNT_ROWS = `select ${COUNTED} from submissions where form_id = $1 and id >= $2 and id < $3`;

interface Form {
	id: number;
	/** The blocks hold what lies below it. */
	end: number;
	counts: number[];
	until: number;
}

/**
 * @param report Filled form by form, the newest first.
 * @param end Up to which id the submissions of a form are in blocks, in SQL.
 */
export function* compareCounts(
	report: CountReport,
	{ end, lastsMs }: { end: string | number; lastsMs: number },
): Operation<void> {
	const until = performance.now() + lastsMs;
	const forms = yield* rows<[number, string, number, ...number[]]>(
		`select id, slug, ${end}, ${LIST} from forms where deleted_at is null order by id desc`,
	);
	report.of = forms.length;
	for (const [id, slug, last, ...counts] of forms) {
		const isRight = yield* compareForm({ id, end: last, counts, until });
		if (isRight === undefined) return;
		report.compared++;
		if (!isRight) report.wrong.push(slug);
	}
}

/** `undefined` if there is no time left. */
function* compareForm({ id, end, counts, until }: Form): Operation<boolean | undefined> {
	const blocks = yield* rows<number[]>(
		`select first_id, ${LIST} from submission_blocks where form_id = $1 order by first_id`,
		[id],
	);
	const sums = COUNTERS.map(() => 0);
	for (let at = 0, from = 0; at < Math.max(1, blocks.length); at++) {
		if (performance.now() > until) return undefined;
		const [, ...stored] = blocks[at] ?? [0, ...sums];
		const next = blocks[at + 1]?.[0] ?? end;
		const [found = []] = yield* rows<number[]>(COUNT_ROWS, [id, from, next]);
		if (stored.join() !== found.join()) return false;
		for (const [i, count] of found.entries()) sums[i] = (sums[i] as number) + count;
		from = next;
	}
	return sums.join() === counts.join();
}
