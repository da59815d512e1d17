/** A database of a version that counted submissions wrongly which had overtaken each other: it is counted again, and says so. */

import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { createLog } from '../../../src/log/log.ts';
import { PLACE, toCounts } from '../../../src/storage/filters.ts';
import { searchWords } from '../../../src/storage/search-words.ts';
import { compareBlocks as compareCounts } from '../../../src/storage/sqlite/database.ts';
import { migrate } from '../../../src/storage/sqlite/migrate.ts';
import { openSqlite } from '../../../src/storage/sqlite/open.ts';
import { forms } from '../../../src/storage/tables.ts';
import { SCANS } from '../../../src/submissions/scan-module.ts';
import { tempFolder } from '../../temp-folder.ts';
import { until } from '../../until.ts';
import { migrationsBefore } from './migrations-before.ts';

const FORM = 7;
const HEALTHY = 8;
const ROWS = 3500;
const BLOCK_SIZE = 1024;

/** Blocks as they were made of ids in the order of their commits, taken for ascending. */
function wrongBlocks(ids: readonly number[]): { firstId: number; total: number }[] {
	const blocks: { firstId: number; total: number }[] = [];
	for (const id of ids) {
		const newest = blocks.at(-1);
		let block = newest;
		if (newest && id < newest.firstId) block = blocks.findLast(({ firstId }) => firstId <= id) ?? newest;
		else if (!newest || newest.total === BLOCK_SIZE) {
			block = { firstId: id, total: 0 };
			blocks.push(block);
		}
		if (block) block.total++;
	}
	return blocks;
}

/** Every third came late: 30 others, which had been given later ids, were stored before. */
function writeAsBefore(file: string): number[] {
	const client = new Database(file, { create: true, strict: true });
	migrate(client, migrationsBefore(/recount-due/));
	const ids = Array.from({ length: ROWS }, (_, i) => (1_700_000_000_000 + i) * 2048);
	const moment = (_: number, i: number) => (i % 3 === 0 ? i + 30.5 : i);
	const stored = ids.map((id, i) => ({ id, at: moment(id, i) })).sort((a, b) => a.at - b.at);
	client.transaction(() => {
		for (const [form, arrived] of [
			[FORM, stored.map(({ id }) => id)],
			[HEALTHY, ids.map((id) => id + 16)],
		] as const) {
			client.run('insert into forms (id, mode, slug, name, total, unread) values (?, ?, ?, ?, ?, ?)', [
				form,
				'live',
				`form-${form}`,
				'n',
				ROWS,
				ROWS,
			]);
			const insert = client.query('insert into submissions (id, form_id, data) values (?, ?, ?)');
			for (const id of arrived) insert.run(id, form, '{"a":"word"}');
			for (const { firstId, total } of wrongBlocks(arrived)) {
				const block = 'insert into submission_blocks (form_id, first_id, total, unread) values (?, ?, ?, ?)';
				client.run(block, [form, firstId, total, total]);
			}
			client.run('insert into field_names (form_id, is_spam, name, count) values (?, 0, \'"a"\', ?)', [form, ROWS]);
		}
	})();
	migrate(client);
	client.close();
	return ids;
}

function open(file: string) {
	const lines: string[] = [];
	const write = (chunk: Uint8Array) => lines.push(...Buffer.from(chunk).toString().trimEnd().split('\n'));
	const log = createLog({ level: 'info', format: 'json', write: (chunk) => void write(chunk) });
	const storage = openSqlite(file, { log, scans: SCANS });
	storage.serve();
	const said = () => {
		log.flush();
		return lines.map((line) => JSON.parse(line).message as string);
	};
	return { storage, said };
}

const pageQuery = { formId: FORM, filter: 'all', order: 'asc' } as const;

function listed(storage: ReturnType<typeof openSqlite>, limit: number): number[] {
	const ids: number[] = [];
	for (let offset = 0; ; offset += limit) {
		const { rows, total } = storage.submissions.page({ ...pageQuery, limit, offset });
		ids.push(...rows.map(({ id }) => id));
		if (offset + limit >= total) return ids;
	}
}

test('what was counted wrongly is counted again at the next start, once, and the log names it', async () => {
	const file = join(tempFolder(), 'formsrv.db');
	const ids = writeAsBefore(file);
	const client = new Database(file, { strict: true });
	migrate(client);
	client.close();
	expect(compareCounts(file)).toEqual({ compared: 2, of: 2, wrong: ['form-7'] });
	expect(compareCounts(file, 0)).toMatchObject({ compared: 0, of: 2 });
	const second = open(file);
	expect(second.said()).toEqual(['All forms were counted again: an earlier version could count them wrongly.']);
	expect(compareCounts(file)).toEqual({ compared: 2, of: 2, wrong: [] });
	const reader = new Database(file, { readonly: true });
	const blocks = reader.query('select total from submission_blocks where form_id = ? order by first_id').values(FORM);
	expect(blocks.flat()).toEqual([BLOCK_SIZE, BLOCK_SIZE, BLOCK_SIZE, ROWS - 3 * BLOCK_SIZE]);
	reader.close();
	expect(await second.storage.submissions.counts([FORM, HEALTHY])).toEqual(
		new Map([FORM, HEALTHY].map((id) => [id, { ...toCounts(), total: ROWS, unread: ROWS }])),
	);
	for (const limit of [7, 50, 100]) expect(listed(second.storage, limit)).toEqual(ids);
	// Among them such as were hidden.
	const gone = ids.filter((_, i) => i % 3 === 0);
	await second.storage.submissions.remove(FORM, gone);
	expect(listed(second.storage, 100)).toEqual(ids.filter((_, i) => i % 3 !== 0));
	expect(compareCounts(file).wrong).toEqual([]);
	second.storage.maintain();
	await until(async () => !(await second.storage.submissions.names(FORM, PLACE.inbox)).isPartial);
	expect((await second.storage.submissions.names(FORM, PLACE.inbox)).names).toEqual(['a']);
	await second.storage.close();
	const third = open(file);
	expect(third.said()).toEqual([]);
	await third.storage.close();
}, 30_000);

test('submissions that the search passed over are found after it', async () => {
	const file = join(tempFolder(), 'formsrv.db');
	const { storage } = open(file);
	await storage.batch((tx) => [tx.insert(forms).values({ id: FORM, mode: 'live', slug: 'contact', name: 'n' })]);
	const row = { formId: FORM, names: ['a'], spamReason: null, subject: null, replyTo: null };
	const ids: number[] = [];
	for (const word of ['one', 'two', 'three']) {
		ids.push(await storage.submissions.append({ ...row, data: `{"a":"common ${word}"}` }));
	}
	await storage.search.catchUp();
	await storage.close();
	const client = new Database(file);
	client.run('delete from search_parts_1 where rowid in (?, ?)', ids.slice(0, 2) as [number, number]);
	// They were stored behind the one that the segment was begun with.
	client.run('update search_volumes set first_id = ?', [ids[2] as number]);
	client.run("insert into server_values values ('recount_due', '')");
	client.close();
	const again = open(file);
	await again.storage.search.catchUp();
	const words = searchWords('common');
	const { rows } = await again.storage.submissions.list({ ...pageQuery, words, limit: 9, offset: 0 });
	expect(rows.map(({ id }) => id)).toEqual(ids);
	const earlier = { ...pageQuery, words, beforeId: ids[2] as number, limit: 9, offset: 0 };
	const found = await again.storage.submissions.list(earlier);
	expect(found.rows.map(({ id }) => id)).toEqual(ids.slice(0, 2));
	await again.storage.close();
});
