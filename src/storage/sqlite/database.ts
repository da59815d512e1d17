/** A database in a file; see `DatabaseFile`. */

import type { DatabaseFile } from '../database.ts';
import { behindLinks } from './connection.ts';
import { copyDatabase } from './copy.ts';
import { hasDatabase } from './database-place.ts';
import { measureDisk } from './disk-use.ts';
import { readFileRecords, readNamedFiles } from './file-records.ts';
import { inspectDatabase, sqliteVersion } from './inspect.ts';
import { holdFiles, takeServerLock } from './locks.ts';
import { removeLeftovers, replaceDatabase } from './replace.ts';

export function sqliteDatabaseAt(file: string): DatabaseFile {
	return {
		name: file,
		files: [file, `${file}-wal`, `${file}-shm`],
		engine: () => `SQLite ${sqliteVersion()}`,
		exists: () => hasDatabase(file),
		place: () => behindLinks(file),
		lock: () => takeServerLock(file),
		copyTo: (target) => copyDatabase(file, target),
		replace: (paths) => replaceDatabase(file, paths),
		removeLeftovers: () => removeLeftovers(file),
		inspect: (check) => inspectDatabase(file, check),
		fileRecords: () => readFileRecords(file),
		namedFiles: () => readNamedFiles(file),
		holdFiles: () => holdFiles(file),
		measure: () => measureDisk(file),
	};
}
