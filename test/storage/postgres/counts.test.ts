/** Counts of many submissions in PostgreSQL: folded into blocks, changed and removed, they agree with a scan. */

import { expect, test } from 'bun:test';
import postgres from 'postgres';
import type { Storage } from '../../../src/storage/contract.ts';
import { FILTERS, type Filter } from '../../../src/storage/filters.ts';
import { openStorage } from '../../../src/storage/open.ts';
import { connect } from '../../../src/storage/postgres/connection.ts';
import { compareFolded as compareCounts } from '../../../src/storage/postgres/database.ts';
import { forms } from '../../../src/storage/tables.ts';
import { newPostgresDatabase } from '../../postgres.ts';
import { until } from '../../until.ts';

const FORM = 7;
const ROWS = 3000;
const CONDITIONS: Record<Filter, string> = {
	all: 'is_spam = 0',
	unread: 'is_spam = 0 and is_read = 0',
	starred: 'is_spam = 0 and is_starred = 1',
	spam: 'is_spam = 1',
	pending: 'is_spam = 2',
};

async function fill(storage: Storage, rows: number): Promise<void> {
	const rest = { formId: FORM, data: '{"a":1}', names: ['a'], subject: null, replyTo: null };
	const appended = Array.from({ length: rows }, (_, i) =>
		storage.submissions.append({
			...rest,
			spamReason: i % 7 === 0 ? 'honeypot' : null,
			addressKey: i % 11 === 0 ? 'address' : null,
		}),
	);
	await Promise.all(appended);
}

test('pages, counts and blocks of a large form agree with a scan, whatever was changed before and after a fold', async () => {
	const address = await newPostgresDatabase();
	const sql = postgres(address, { max: 1, fetch_types: false });
	const plain = connect(address, { name: 'test', max: 1 });
	// With a clock of its own everything is settled at once that is not of this millisecond.
	const storage = await openStorage(address, { now: () => Date.now() });
	const { submissions } = storage;
	await storage.batch((tx) => [tx.insert(forms).values({ id: FORM, mode: 'live', slug: 's', name: 'n' })]);
	const idsOf = async (filter: Filter) =>
		(await sql.unsafe(`select id from submissions where form_id = ${FORM} and ${CONDITIONS[filter]} order by id`)).map(
			({ id }) => Number(id),
		);
	const foldedTo = async () => Number((await sql`select folded_to from forms`)[0]?.folded_to);

	async function expectPages(filter: Filter, ids: readonly number[]): Promise<void> {
		for (const offset of [0, 3, ids.length >> 1, Math.max(0, ids.length - 5)]) {
			for (const order of ['asc', 'desc'] as const) {
				const { rows, total } = await submissions.list({ formId: FORM, filter, order, limit: 20, offset });
				const all = order === 'asc' ? ids : ids.toReversed();
				expect([total, rows.map(({ id }) => id)]).toEqual([ids.length, all.slice(offset, offset + 20)]);
			}
		}
	}

	async function expectAgreement(): Promise<void> {
		const counts = (await submissions.counts([FORM])).get(FORM);
		for (const filter of FILTERS) {
			const ids = await idsOf(filter);
			expect(counts?.[filter === 'all' ? 'total' : filter]).toBe(ids.length);
			await expectPages(filter, ids);
			const [low = 0, high = 0] = [ids[100], ids.at(-100)];
			const between = ids.filter((id) => id >= low && id < high).length;
			expect(await submissions.count({ formId: FORM, filter, fromId: low, beforeId: high })).toBe(between);
			const range = { filter, bounds: [0, low, high] };
			expect((await submissions.countsBetween([FORM], range)).get(FORM)?.[1]).toBe(between);
		}
		expect(await compareCounts(plain)).toEqual({ compared: 1, of: 1, wrong: [] });
	}

	async function changeSome(): Promise<void> {
		const [inbox, spam] = [await idsOf('all'), await idsOf('spam')];
		await Promise.all([
			submissions.change(
				FORM,
				inbox.filter((_, i) => i % 3 === 0),
				{ isRead: true },
			),
			submissions.change(
				FORM,
				inbox.filter((_, i) => i % 500 === 1),
				{ isStarred: true },
			),
			submissions.change(
				FORM,
				spam.filter((_, i) => i % 50 === 0),
				{ isSpam: false },
			),
			submissions.remove(
				FORM,
				inbox.filter((_, i) => i % 11 === 5),
			),
		]);
	}

	await fill(storage, ROWS);
	await expectAgreement();
	await changeSome();
	await fill(storage, ROWS);
	await until(async () => {
		await submissions.counts([FORM]);
		return (await foldedTo()) > 0;
	});
	await expectAgreement();
	await changeSome();
	await expectAgreement();
	for (const table of ['submission_blocks', 'forms']) {
		await sql.unsafe(`update ${table} set unread = unread + 1`);
		expect((await compareCounts(plain)).wrong).toEqual(['s']);
		await sql.unsafe(`update ${table} set unread = unread - 1`);
	}
	// Held up by a lock, as by many rows.
	const holder = await plain.hold();
	await holder.unsafe('begin');
	await holder.unsafe('lock table submission_blocks in access exclusive mode');
	const hasty = connect(address, { name: 'test', max: 1 });
	expect(await compareCounts(hasty, 100)).toEqual({ compared: 0, of: 1, wrong: [] });
	await hasty.end();
	await plain.end();
	await sql.end();
	await storage.close();
}, 60_000);
