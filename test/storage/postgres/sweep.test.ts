/** The sweep of a deleted form, which passes over what it removed before. */

import { afterEach, expect, test } from 'bun:test';
import postgres from 'postgres';
import type { Storage } from '../../../src/storage/contract.ts';
import { openStorage } from '../../../src/storage/open.ts';
import { forms } from '../../../src/storage/tables.ts';
import { newPostgresDatabase } from '../../postgres.ts';

const FORM = 7;
const OTHER = 8;

let storage: Storage;

afterEach(() => storage.close());

const append = (formId: number) =>
	storage.submissions.append({
		...{ formId, data: '{"n":"1"}', names: ['n'], spamReason: null, subject: null, replyTo: null },
	});

test('a sweep leaves nothing, also of what lies before where it has come, and nothing of other forms is gone', async () => {
	const address = await newPostgresDatabase();
	let now = 1_700_000_000_000;
	storage = await openStorage(address, { now: () => now++ });
	for (const id of [FORM, OTHER])
		await storage.batch((tx) => [tx.insert(forms).values({ id, mode: 'live', slug: `s${id}`, name: 'n' })]);
	const late = storage.nextId();
	for (let i = 0; i < 10; i++) {
		await append(FORM);
		await append(OTHER);
	}
	expect(await storage.submissions.sweep(FORM, 4)).toBe(true);
	const sql = postgres(address, { max: 1 });
	await sql`insert into submissions (id, form_id, data) values (${late}, ${FORM}, '{"n":"1"}')`;
	while (await storage.submissions.sweep(FORM, 4));
	const left = await sql`select form_id, count(*)::int as n from submissions group by form_id`;
	await sql.end();
	expect([...left]).toEqual([{ form_id: `${OTHER}`, n: 10 }]);
});
