/** A database in a file; see `DatabaseFile`. */

import type { DatabaseFile } from '../database.ts';
import { compareRows, countOmitted } from './compare.ts';
import { behindLinks } from './connection.ts';
import { copyDatabase } from './copy.ts';
import { compareCounts } from './count-check.ts';
import { hasDatabase } from './database-place.ts';
import { measureDisk } from './disk-use.ts';
import { readFileRecords, readNamedFiles } from './file-records.ts';
import { holdDeliveries, readServerValue } from './hold.ts';
import { inspectDatabase, sqliteVersion } from './inspect.ts';
import { holdFiles, isServerRunning, takeServerLock } from './locks.ts';
import { readOutbox } from './outbox-report.ts';
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
		hold: (reason) => holdDeliveries(file, reason),
		serverValue: (name) => readServerValue(file, name),
		replace: (paths) => replaceDatabase(file, paths),
		removeLeftovers: () => removeLeftovers(file),
		inspect: (check) => inspectDatabase(file, check),
		compareRows: (other) => compareRows(file, other),
		countOmitted: (other) => countOmitted(file, other),
		compareCounts: () => compareCounts(file),
		fileRecords: () => readFileRecords(file),
		outbox: () => readOutbox(file),
		isServed: () => isServerRunning(file),
		namedFiles: () => readNamedFiles(file),
		holdFiles: () => holdFiles(file),
		measure: () => measureDisk(file),
	};
}
