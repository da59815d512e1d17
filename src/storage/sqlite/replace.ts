/** Puts a copy in the place of a database: at whatever point it is cut off, either the old or the new file is intact. */

import { Database } from 'bun:sqlite';
import { copyFileSync, existsSync, linkSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { syncFolder, syncToDisk } from '../sync-to-disk.ts';
import { behindLinks, closeWriteConnection, openReadConnection, openWriteConnection } from './connection.ts';
import { hasForeignLog } from './database-place.ts';
import { sizeOf } from './disk-use.ts';

/** SQLite's logs, which hold what is not in the file yet. Beside another file they would be taken for its own. */
const LOGS = ['-wal', '-journal'];
/** Files of no use once there is a database: the copy that was to replace it, a new one, and one that a move was filling. */
const OF_NO_USE = /^\.((restoring|new)-|moving([-.]|$))/;

/**
 * Puts the database `replacement`, which is on disk, in the place of `file`. No process may have either open, or open it meanwhile.
 * @param aside Where the content of `file` is kept; its logs get the same endings.
 */
export function replaceDatabase(file: string, { replacement, aside }: { replacement: string; aside: string }): void {
	foldLog(file);
	if (sizeOf(file) > 0) spareFiles(file, replacement);
	const keepAll = (suffixes: string[]) => {
		for (const suffix of suffixes)
			if (sizeOf(file + suffix) > 0 && !isSame(file + suffix, aside + suffix)) keep(file + suffix, aside + suffix);
		syncFolder(dirname(file));
	};
	// All that was acknowledged has its second name before anything loses its first.
	keepAll(['', ...LOGS]);
	// Not asked before: a command may have opened the file meanwhile.
	if (LOGS.some((suffix) => existsSync(file + suffix))) {
		// First the file: without it a log is noticed, and no server starts. The other way round it would be missed.
		rmSync(file, { force: true });
		keepAll(LOGS);
		for (const suffix of LOGS) rmSync(file + suffix, { force: true });
	}
	rmSync(`${file}-shm`, { force: true });
	renameSync(replacement, file);
	syncFolder(dirname(file));
}

/**
 * Removes what a `restore`, a move, or the making of a new database, left beside `file` when it was cut off, but for the file
 * `needed`; nothing if `file` is not there. The caller holds the server's lock.
 */
export function removeLeftovers(path: string, needed = ''): void {
	const file = behindLinks(path);
	if (sizeOf(file) === 0) return;
	const folder = dirname(file);
	const start = basename(file);
	for (const entry of readdirSync(folder)) {
		const ending = entry.startsWith(start) ? entry.slice(start.length) : '';
		const suffix = LOGS.find((log) => ending.endsWith(log)) ?? '';
		const isSecondName = ending.startsWith('.replaced-') && isSame(join(folder, entry), file + suffix);
		if (!isSecondName && !OF_NO_USE.test(ending)) continue;
		if (!isSame(join(folder, entry), needed)) rmSync(join(folder, entry), { force: true });
	}
}

/** Brings what the log holds into the file, so that it is whole by itself. One that is empty or damaged stays as it is. */
function foldLog(file: string): void {
	// SQLite takes the log of an empty file for worthless and removes it.
	if (sizeOf(file) === 0 || hasForeignLog(file)) return;
	try {
		const client = openWriteConnection(file);
		// A program that reads is not waited for: then the log stays, and is kept beside the file.
		client.run('pragma busy_timeout = 0');
		closeWriteConnection(client);
	} catch {}
}

/**
 * The former database keeps its files: the new one forgets that some of them were to be removed. If it cannot be told which,
 * it forgets them all; what is of no database any more, `doctor` finds.
 */
function spareFiles(former: string, replacement: string): void {
	const client = new Database(replacement, { readwrite: true });
	try {
		if (client.query("select 1 from sqlite_schema where name = 'removed_files'").values().length === 0) return;
		const removed = client.query('select key from removed_files').values().flat() as string[];
		if (removed.length === 0) return;
		const spared = JSON.stringify(keysOf(former, removed) ?? removed);
		client.query('delete from removed_files where key in (select value from json_each(?))').run(spared);
	} finally {
		client.close();
	}
	syncToDisk(replacement);
}

/** Returns those of the keys that have a row; `undefined` if that is unknown. */
function keysOf(file: string, keys: string[]): string[] | undefined {
	try {
		using client = openReadConnection(file);
		const found = client.query('select key from files where key in (select value from json_each(?))');
		return found.values(JSON.stringify(keys)).flat() as string[];
	} catch {
		return undefined;
	}
}

/** Gives a file a second name; where the file system has no such names, it is copied. */
function keep(from: string, to: string): void {
	try {
		linkSync(from, to);
	} catch {
		copyFileSync(from, `${to}.partial`);
		syncToDisk(`${to}.partial`);
		renameSync(`${to}.partial`, to);
	}
}

function isSame(path: string, other: string): boolean {
	const [one, two] = [path, other].map((name) => statSync(name, { throwIfNoEntry: false }));
	return one !== undefined && two !== undefined && one.ino === two.ino && one.dev === two.dev;
}
