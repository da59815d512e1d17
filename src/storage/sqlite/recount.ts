/**
 * Counts all submissions again where that is due: versions before could count wrongly what was stored behind others that came later, and
 * docs/operating.md tells operators how to ask for it. A server does so before it accepts anything, in some seconds for each million.
 */

import type { Database } from 'bun:sqlite';
import type { Log } from '../../log/log.ts';
import { COUNTERS } from '../filters.ts';
import { BEYOND_ALL_IDS } from '../rows.ts';
import { waitWhileBusy } from './connection.ts';
import { COUNT_BLOCK, countAnew, WRITE_BLOCK, writeBlock } from './form-index.ts';
import { DOUBT_LISTS } from './name-list.ts';
import { segmentTable, segmentTables } from './search-segments.ts';

const SUM_UP = `
	update forms set ${COUNTERS.map((name) => `${name} = (select coalesce(sum(${name}), 0) from submission_blocks where form_id = forms.id)`).join(', ')};
	${DOUBT_LISTS};
	delete from server_values where name = 'recount_due'`;

/** Returns whether it was due. */
export function recountIfDue(client: Database, log?: Log): boolean {
	if (client.query("select 1 from server_values where name = 'recount_due'").values().length === 0) return false;
	waitWhileBusy(() => client.run('begin immediate'));
	try {
		countBlocks(client);
		client.run(SUM_UP);
		dropFromFirstMissing(client);
		client.run('commit');
	} finally {
		if (client.inTransaction) client.run('rollback');
	}
	log?.info('All forms were counted again: an earlier version could count them wrongly.');
	return true;
}

/** Goes block by block through an index: a statement for all of them would sort every submission in memory. */
function countBlocks(client: Database): void {
	client.run('delete from submission_blocks');
	const [count, write] = [client.query(COUNT_BLOCK), client.query(WRITE_BLOCK)];
	for (const [formId] of client.query('select id from forms').values() as [number][])
		for (const block of countAnew(count, formId, { from: 0, to: BEYOND_ALL_IDS })) writeBlock(write, formId, block);
}

/** The search follows again from the first segment that lacks a submission. */
function dropFromFirstMissing(client: Database): void {
	const segments = client.query('select number, first_id, last_id from search_volumes order by first_id').values();
	const first = segments.findIndex(([number, firstId, lastId], i) => {
		const range = [i === 0 ? 0 : firstId, segments[i + 1]?.[1] ?? Number(lastId) + 1] as number[];
		const indexed = `select id from ${segmentTable('parts', number as number)}_docsize`;
		const missing = `select 1 from submissions where id >= ? and id < ? and id not in (${indexed}) limit 1`;
		return client.query(missing).values(...range).length > 0;
	});
	if (first < 0) return;
	for (const [number] of segments.slice(first))
		for (const table of segmentTables(number as number)) client.run(`drop table ${table}`);
	client.query('delete from search_volumes where first_id >= ?').run(segments[first]?.[1] ?? BEYOND_ALL_IDS);
}
