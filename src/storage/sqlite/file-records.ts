/** The records of attached files in a database, read without opening it for a server. */

import type { FileRecords, NamedFile } from '../database.ts';
import { openReadConnection } from './connection.ts';

/** The database is of this version. */
export function readFileRecords(file: string): FileRecords {
	const client = openReadConnection(file);
	try {
		const read = (sql: string) => client.query(sql).values();
		return {
			stored: new Map(read('select key, bytes from files where key is not null') as [string, number][]),
			passing: new Set(read('select key from removed_files').map(([key]) => key as string)),
			forms: (
				read('select slug, file_bytes from forms where file_bytes > 0 order by file_bytes desc') as [string, number][]
			).map(([slug, bytes]) => ({ slug, bytes })),
		};
	} finally {
		client.close();
	}
}

/** The database may be of a version that knew no files. */
export function* readNamedFiles(file: string): Generator<NamedFile> {
	const client = openReadConnection(file);
	try {
		if (client.query("select 1 from sqlite_schema where name = 'files'").values().length === 0) return;
		yield* client
			.query<NamedFile, []>('select key, bytes, sha256 from files where key is not null order by id')
			.iterate();
	} finally {
		client.close();
	}
}
