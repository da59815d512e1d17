/** The room that files take in PostgreSQL, where a server of a version that counts otherwise stores and removes beside this one. */

import { expect, test } from 'bun:test';
import type { Storage } from '../../../src/storage/contract.ts';
import { openStorage } from '../../../src/storage/open.ts';
import { connect, rowsOf } from '../../../src/storage/postgres/connection.ts';
import { recountFiles } from '../../../src/storage/postgres/submission-files.ts';
import type { StoredFile } from '../../../src/storage/submission.ts';
import { forms } from '../../../src/storage/tables.ts';
import { newPostgresDatabase } from '../../postgres.ts';
import { until } from '../../until.ts';

const FORMS = [7, 8, 9];
const [FORM = 0] = FORMS;

async function openWithForms() {
	const address = await newPostgresDatabase();
	const storage = await openStorage(address);
	const form = (id: number) => ({ id, mode: 'live' as const, slug: `s${id}`, name: 'n' });
	await storage.batch((tx) => [tx.insert(forms).values(FORMS.map(form))]);
	return { storage, sql: connect(address, { name: 'test', max: 2 }) };
}

function append(storage: Storage, formId: number, sizes: readonly number[]): Promise<number> {
	const rest = { field: 'cv', name: 'a', type: 'a/b', claimedType: '', sha256: '', scan: null };
	const files = sizes.map((bytes): StoredFile => ({ ...rest, id: storage.nextId(), key: crypto.randomUUID(), bytes }));
	return storage.submissions.append({
		formId,
		data: '{}',
		names: [],
		spamReason: null,
		subject: null,
		replyTo: null,
		files,
	});
}

test('is never less than none, and the leader counts it again', async () => {
	const { storage, sql } = await openWithForms();
	const { submissions } = storage;
	const ids = [await append(storage, FORM, [1, 5000]), await append(storage, FORM, [1])];
	await append(storage, FORM, [10]);
	// As the other server counted them.
	await rowsOf(sql, `update forms set file_bytes = 5012 where id = ${FORM}`);
	await submissions.remove(FORM, ids);
	expect(await submissions.fileBytes(FORM)).toBe(0);
	storage.maintain();
	await until(async () => (await submissions.fileBytes(FORM)) === 4096);
	await storage.close();
	await sql.end();
});

test('is counted again without an error of a byte while files are stored and removed', async () => {
	const { storage, sql } = await openWithForms();
	const { submissions } = storage;
	let isOver = false;
	const work = FORMS.map(async (formId) => {
		for (let i = 0; i < 40; i++) {
			const id = await append(storage, formId, [i, 4000 + 10 * i]);
			if (i % 3 === 0) await submissions.remove(formId, [id]);
		}
	});
	const counting = (async () => {
		while (!isOver) {
			for (const id of FORMS) await rowsOf(sql, `update forms set file_bytes = file_bytes + 1 where id = ${id}`);
			await recountFiles(sql);
		}
	})();
	await Promise.all(work);
	isOver = true;
	await counting;
	const scanned = 'select sum(greatest(bytes, 4096))::bigint from files group by form_id order by form_id';
	const expected = (await rowsOf<[number]>(sql, scanned)).map(([room]) => room);
	expect(await Promise.all(FORMS.map((formId) => submissions.fileBytes(formId)))).toEqual(expected);
	await storage.close();
	await sql.end();
}, 60_000);
