/** The rows of files: removed in the transaction of their submission, and read for pages of submissions. */

import { roomInSql } from '../file-room.ts';
import type { StoredFile } from '../submission.ts';
import type { Scan } from '../tables.ts';
import { numbers, type Runner, rowsOf, type Sql } from './connection.ts';

type FileRow = [number, number, string, string, string, string, number, string, string | null, Scan | null];

const ROOM = `${roomInSql('greatest')}::bigint`;

/** A lock that is held while files are copied; docs/postgresql.md names it to operators. */
const FILES_LOCK = "hashtext('formsrv files')";

/** Returns whether any session holds that lock. */
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
		update forms set file_bytes = greatest(0, file_bytes - b.bytes)
			from (select form_id, ${ROOM} bytes from kept group by form_id) b where forms.id = b.form_id`,
		[ids],
	);
}

/**
 * Corrects the sums of forms that differ from their files, as where servers of an earlier version, which count otherwise, store and
 * remove files beside this one. Either locks the row of the form, so that nothing is missed by what is read once it is locked.
 */
export async function recountFiles(sql: Sql): Promise<void> {
	const wrong = await rowsOf<[number]>(
		sql,
		`select f.id from forms f left join (select form_id, ${ROOM} bytes from files where key is not null group by form_id) b
			on b.form_id = f.id where f.file_bytes <> coalesce(b.bytes, 0) order by f.id`,
	);
	for (const [id] of wrong) {
		await sql.begin(async (tx) => {
			await rowsOf(tx, 'select from forms where id = $1 for no key update', [id]);
			await rowsOf(
				tx,
				`update forms set file_bytes =
					coalesce((select ${ROOM} from files where form_id = $1 and key is not null), 0) where id = $1`,
				[id],
			);
		});
	}
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
