/** The header of a database file: https://sqlite.org/fileformat2.html#the_database_header */

import { readSync } from 'node:fs';

const MAGIC = 'SQLite format 3\0';
/** Where it is said how the file is written and read, and "by a write-ahead log" there. */
const JOURNAL_AT = [18, 19];
const WRITE_AHEAD = 2;
/** Read once for every commit, into the same bytes. */
const header = Buffer.alloc(20);

/** The journal mode of a database; `undefined` if the file is not one. */
export function journalOf(descriptor: number): 'write-ahead' | 'rollback' | undefined {
	const isWhole = readSync(descriptor, header, 0, header.length, 0) === header.length;
	if (!isWhole || header.toString('latin1', 0, MAGIC.length) !== MAGIC) return undefined;
	return JOURNAL_AT.some((at) => header[at] === WRITE_AHEAD) ? 'write-ahead' : 'rollback';
}

/** Marks a database in its header as one with a write-ahead log. */
export function useWriteAhead(database: Uint8Array): void {
	for (const at of JOURNAL_AT) database[at] = WRITE_AHEAD;
}
