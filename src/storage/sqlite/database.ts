/** A database in a file; see `Database`. */

import type { Database } from '../database.ts';
import { behindLinks } from './connection.ts';
import { copyDatabase } from './copy.ts';
import { hasDatabase } from './database-place.ts';
import { measureDisk } from './disk-use.ts';
import { readFileRecords, readNamedFiles } from './file-records.ts';
import { inspectDatabase } from './inspect.ts';
import { holdFiles, takeServerLock } from './locks.ts';
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
		namedFiles: () => readNamedFiles(file),
		holdFiles: () => holdFiles(file),
		measure: () => measureDisk(file),
	};
}
