/** A database in a file; see `Database`. */

import type { Database } from '../database.ts';
import { behindLinks, takeServerLock } from './connection.ts';
import { copyDatabase } from './copy.ts';
import { hasDatabase } from './database-place.ts';
import { measureDisk } from './disk-use.ts';
import { readFileRecords } from './file-records.ts';
import { inspectDatabase } from './inspect.ts';
import { removeLeftovers, replaceDatabase } from './replace.ts';

export function sqliteDatabaseAt(file: string): Database {
	return {
		exists: () => hasDatabase(file),
		place: () => behindLinks(file),
		lock: () => takeServerLock(file),
		copyTo: (target) => copyDatabase(file, target),
		replace: (paths) => replaceDatabase(file, paths),
		removeLeftovers: () => removeLeftovers(file),
		inspect: (check) => inspectDatabase(file, check),
		files: () => readFileRecords(file),
		measure: () => measureDisk(file),
	};
}
