/** The migrations of an earlier version, for databases as it left them. */

import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '../../temp-folder.ts';

/** A folder with those before the one of a name. */
export function migrationsBefore(tag: RegExp): string {
	const folder = join(tempFolder(), 'drizzle');
	cpSync(join(import.meta.dir, '../../../drizzle'), folder, { recursive: true });
	const path = join(folder, 'meta/_journal.json');
	const journal = JSON.parse(readFileSync(path, 'utf8')) as { entries: { tag: string }[] };
	const at = journal.entries.findIndex((entry) => tag.test(entry.tag));
	writeFileSync(path, JSON.stringify({ ...journal, entries: journal.entries.slice(0, at) }));
	return folder;
}
