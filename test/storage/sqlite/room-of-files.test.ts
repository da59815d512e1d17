/** A database of a version that counted the bytes of files alone, when a newer one opens it. */

import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { migrate } from '../../../src/storage/sqlite/migrate.ts';
import { openSqlite } from '../../../src/storage/sqlite/open.ts';
import { tempFolder } from '../../temp-folder.ts';
import { migrationsBefore } from './migrations-before.ts';

test('each kept file takes 4 KiB at least from then on', async () => {
	const file = join(tempFolder(), 'formsrv.db');
	const client = new Database(file, { create: true, strict: true });
	migrate(client, migrationsBefore(/room-of-files/));
	const sizes = { 1: [0, 1, 4095, 4096, 4097, null], 2: [], 3: [null], 4: [1_000_000, 7] };
	for (const [formId, files] of Object.entries(sizes)) {
		const kept = files.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0);
		client.run("insert into forms (id, mode, slug, name, file_bytes) values (?1, 'live', ?1, 'n', ?2)", [formId, kept]);
		client.run("insert into submissions (id, form_id, data) values (?1, ?1, '{}')", [formId]);
		for (const [i, bytes] of files.entries()) {
			client.run(
				`insert into files (id, form_id, submission_id, field, name, type, claimed_type, bytes, sha256, key)
					values (?, ?, ?, 'f', 'n', 't', '', ?, '', ?)`,
				[Number(formId) * 100 + i, formId, formId, bytes ?? 9, bytes === null ? null : `${formId}-${i}`],
			);
		}
	}
	client.close();
	const { submissions, close } = openSqlite(file);
	const room = await Promise.all([1, 2, 3, 4, undefined].map((formId) => submissions.fileBytes(formId)));
	expect(room).toEqual([4 * 4096 + 4097, 0, 0, 1_004_096, 4 * 4096 + 4097 + 1_004_096]);
	await close();
});
