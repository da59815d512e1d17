/** Compares the stored counts with the submissions themselves, without a change; for `doctor`. */

import type { Database } from 'bun:sqlite';
import type { CountReport } from '../database.ts';
import { COUNTED, COUNTERS } from '../filters.ts';
import { openReadConnection } from './connection.ts';
import { READ_BLOCKS, readBlocks, startOf } from './form-index.ts';

/** Enough for tens of millions of submissions. */
const LASTS_MS = 10_000;
const COUNT_ROWS = `select ${COUNTED} from submissions where form_id = ? and id >= ? and id < ?`;

export function compareCounts(file: string, lastsMs = LASTS_MS): CountReport {
	using client = openReadConnection(file);
	// One view: what is stored meanwhile is not seen.
	client.run('begin');
	const forms = client
		.query(`select id, slug, ${COUNTERS.join(', ')} from forms where deleted_at is null order by id desc`)
		.values() as [number, string, ...number[]][];
	const until = performance.now() + lastsMs;
	const report = { compared: 0, of: forms.length, wrong: [] as string[] };
	for (const [id, slug, ...counts] of forms) {
		const isRight = compareForm(client, id, { counts, until });
		if (isRight === undefined) break;
		report.compared++;
		if (!isRight) report.wrong.push(slug);
	}
	return report;
}

/** `undefined` if there is no time left. */
function compareForm(client: Database, formId: number, { counts, until }: { counts: number[]; until: number }) {
	const blocks = readBlocks(client.query(READ_BLOCKS), formId);
	const sums = COUNTERS.map(() => 0);
	for (let at = 0; at < Math.max(1, blocks.length); at++) {
		if (performance.now() > until) return undefined;
		const rows = client.query(COUNT_ROWS).values(formId, startOf(blocks, at), startOf(blocks, at + 1))[0] as number[];
		if (COUNTERS.map((counter) => blocks[at]?.[counter] ?? 0).join() !== rows.join()) return false;
		for (const [i, count] of rows.entries()) sums[i] = (sums[i] as number) + count;
	}
	return sums.join() === counts.join();
}
