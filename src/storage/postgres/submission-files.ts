/** Attached files as rows: which there are, the sums of the room that they take, and the lock that is held while files are copied. */

import type { NamedFile } from '../database.ts';
import { roomInSql } from '../file-room.ts';
import { connect, rowsOf, type Sql } from './connection.ts';
import { startProblem } from './start-problem.ts';

const ROOM = `${roomInSql('greatest')}::bigint`;

/** A lock that is held while files are copied; docs/postgresql.md names it to operators. */
const FILES_LOCK = "hashtext('formsrv files')";

/** Returns whether any session holds that lock. */
export async function areFilesHeld(sql: Sql): Promise<boolean> {
	const [row] = await rowsOf<[boolean]>(sql, `select pg_try_advisory_xact_lock(${FILES_LOCK})`);
	return row?.[0] !== true;
}

/** Takes that lock. Returns the release. @throws AppError */
export async function holdFiles(url: string): Promise<() => void> {
	const sql = connect(url, { name: 'formsrv', max: 1 });
	try {
		const held = await sql.hold();
		await held.unsafe(`select pg_advisory_lock_shared(${FILES_LOCK})`).values();
		return () => void sql.end(0);
	} catch (error) {
		await sql.end(0);
		throw startProblem(error, url);
	}
}

export async function readNamedFiles(sql: Sql): Promise<NamedFile[]> {
	const question = 'select key, bytes, sha256 from files where key is not null order by id';
	const found = await rowsOf<[string, number, string]>(sql, question);
	return found.map(([key, bytes, sha256]) => ({ key, bytes, sha256 }));
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
