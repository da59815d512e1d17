/** Restores an archive into an empty folder, and compares all that came of it with the archive. Nothing is served or sent. */

import { join } from 'node:path';
import { openFolder } from '../files/folder.ts';
import type { TableComparison } from '../storage/database.ts';
import { databaseFileAt } from '../storage/open.ts';
import { plural } from '../text/plural.ts';
import type { Archive } from './read-archive.ts';
import { sha256Of } from './sha256.ts';
import { unpackDatabase, unpackFiles } from './unpack.ts';

interface Drilled {
	/** By table, as restored. */
	tables: TableComparison[];
	files: number;
	/** Sentences; none if all is as it was. */
	problems: string[];
	/** The restored database; `null` in one of PostgreSQL, which holds the attached files alone. */
	database: string | null;
}

/** @throws UnusableArchive, AppError or Error with a sentence if it cannot be restored at all */
export async function drill(archive: Archive, folder: string, report: (doneFiles: number) => void): Promise<Drilled> {
	const unpacked = join(folder, 'unpacked.db');
	const database = join(folder, 'formsrv.db');
	const store = openFolder(join(folder, 'files'));
	const hasDatabase = archive.hasDatabase();
	const problems: string[] = [];
	let tables: TableComparison[] = [];
	if (hasDatabase) unpackDatabase(archive, unpacked);
	await unpackFiles(archive, { store, report });
	const restored = databaseFileAt(database);
	if (hasDatabase) {
		databaseFileAt(unpacked).copyTo(database);
		tables = restored.compareRows(unpacked);
		problems.push(...restored.inspect('full').problems);
		for (const { table, rows, same, added } of tables) {
			if (same !== rows || added > 0) problems.push(`The rows of ${table} are not those of the backup.`);
		}
	}
	const wrong: string[] = [];
	let files = 0;
	for (const { key, bytes, sha256 } of hasDatabase ? restored.namedFiles() : archive.files()) {
		files++;
		const content = await store.read(key, { start: 0, end: bytes }).catch(() => undefined);
		const found = content && (await sha256Of(content).catch(() => undefined));
		if (found !== sha256) wrong.push(key);
	}
	if (wrong.length > 0) {
		problems.push(`Missing, or not as visitors sent them: ${plural(wrong.length, 'file')}, such as ${wrong[0]}.`);
	}
	return { tables, files, problems, database: hasDatabase ? database : null };
}
