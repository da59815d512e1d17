/** The rows of files: removed in the transaction of their submission, and read for pages of submissions. */

import type { StoredFile } from '../submission.ts';
import type { Scan } from '../tables.ts';
import { numbers, type Runner, rowsOf, type Sql } from './connection.ts';

type FileRow = [number, number, string, string, string, string, number, string, string | null, Scan | null];

/** A lock that is held while files are copied; docs/postgresql.md names it to operators. */
const FILES_LOCK = "hashtext('formsrv files')";

/** Whether anyone holds that lock. */
export async function areFilesHeld(sql: Sql): Promise<boolean> {
	const [row] = await rowsOf<[boolean]>(sql, `select pg_try_advisory_xact_lock(${FILES_LOCK})`);
	return row?.[0] !== true;
}

/** To be called before the submissions are removed, with which the rows go. @param ids As the text of an array. */
export async function removeFiles(tx: Runner, ids: string): Promise<void> {
	await rowsOf(
		tx,
		`with kept as (select form_id, key, bytes from files where submission_id = any($1::bigint[]) and key is not null),
			r as (insert into removed_files (key) select key from kept on conflict (key) do update set due_at = 0)
		update forms set file_bytes = file_bytes - b.bytes
			from (select form_id, sum(bytes)::bigint bytes from kept group by form_id) b where forms.id = b.form_id`,
		[ids],
	);
}

export function createFileLists(sql: Sql) {
	return {
		async files(ids: readonly number[]): Promise<Map<number, StoredFile[]>> {
			const found = new Map<number, StoredFile[]>();
			const rows = await rowsOf<FileRow>(
				sql,
				`select submission_id, id, field, name, type, claimed_type, bytes, sha256, key, scan from files
					where submission_id = any($1::bigint[]) order by submission_id, id`,
				[numbers(ids)],
			);
			for (const [submissionId, id, field, name, type, claimedType, bytes, sha256, key, scan] of rows) {
				const files = found.get(submissionId) ?? [];
				files.push({ id, field, name, type, claimedType, bytes, sha256, key, scan });
				found.set(submissionId, files);
			}
			return found;
		},
		async hasFiles(formId: number): Promise<boolean> {
			const [row] = await rowsOf<[boolean]>(sql, 'select exists (select 1 from files where form_id = $1)', [formId]);
			return row?.[0] === true;
		},
		async fileBytes(formId?: number): Promise<number> {
			const [row] = await rowsOf<[number]>(
				sql,
				'select coalesce(sum(file_bytes), 0)::bigint from forms where $1::text is null or id = $1::text::bigint',
				[formId === undefined ? null : `${formId}`],
			);
			return row?.[0] ?? 0;
		},
	};
}
