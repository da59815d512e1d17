/** The place where a database is expected: whether one is there, what is left of one, and how a new one comes there whole. */

import { Database } from 'bun:sqlite';
import {
	closeSync,
	existsSync,
	linkSync,
	openSync,
	readdirSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AppError } from '../../errors.ts';
import { systemReason } from '../../text/system-reason.ts';
import { syncFolder, syncToDisk } from '../sync-to-disk.ts';
import { behindLinks, makeFolder } from './connection.ts';
import { journalOf, useWriteAhead } from './file-header.ts';
import { migrate } from './migrate.ts';

const OWNER_ONLY = 0o600;
/**
 * How names of what belongs to a database go on after its own, except where they tell nothing of its content: the server's
 * lock, and a new database that is not in place yet.
 */
const TRACE = /^(?!\.(lock|new-))[^a-z0-9]/i;
/** A whole database by itself: one that was replaced, or the copy that was to replace it. */
const WHOLE = /^\.(replaced|restoring)-[\dTZ-]+$/;

/**
 * Returns whether there is a database.
 * @throws AppError that says what to do if there is only what is left of one: a new one must not take its place
 */
export function hasDatabase(path: string): boolean {
	const file = behindLinks(path);
	const fault = faultAt(file);
	if (fault === undefined) {
		if (hasForeignLog(file)) throw new AppError('UNAVAILABLE', foreignLog(file));
		if (hasNameElsewhere(file)) throw new AppError('UNAVAILABLE', nameElsewhere(file));
		return true;
	}
	const traces = tracesOf(file);
	if (fault === 'is missing' && traces.length === 0) return false;
	// Made by another process meanwhile.
	if (fault === 'is missing' && existsSync(file)) return hasDatabase(file);
	const beside = traces.map((ending) => basename(file) + ending).join(', ');
	const copy = traces.findLast((ending) => WHOLE.test(ending));
	throw new AppError(
		'UNAVAILABLE',
		`${file} ${fault}${beside && `, and beside it is ${beside}`}: put the database back there, or run ` +
			`'formsrv restore ${copy ? file + copy : 'BACKUP'}'; for a new one, move what is left to another folder.`,
	);
}

/** Why there is no database at a path, if there is none. */
function faultAt(file: string): string | undefined {
	if (!existsSync(file)) return 'is missing';
	return statSync(file).size > 0 ? undefined : 'is empty';
}

/**
 * Returns whether a log lies there that belongs to another file. A backup is written without one, as is any file that is not a database; put beside the
 * log of another database it would be mixed with that. To be asked before this process opens the file with SQLite, whose
 * locks on it would go with the descriptor that is closed here.
 */
export function hasForeignLog(file: string): boolean {
	const log = statSync(`${file}-wal`, { throwIfNoEntry: false });
	return log !== undefined && log.size > 0 && journalAt(file) !== 'write-ahead';
}

function journalAt(file: string): ReturnType<typeof journalOf> {
	const handle = openSync(file, 'r');
	try {
		return journalOf(handle);
	} finally {
		closeSync(handle);
	}
}

function foreignLog(file: string): string {
	const log = `${file}-wal`;
	return (
		`${file} is a copy or no database, and ${log} the log of another database: put the right database back beside its log, or move the log ` +
		'to another folder and keep it; opened together they would be mixed.'
	);
}

/**
 * Returns whether a database has a second name (a hard link), under which SQLite would keep another log, and a server another lock: opened by both, it
 * is ruined. One that a restore or the making of it left beside it is used by none.
 */
function hasNameElsewhere(file: string): boolean {
	const found = statSync(file);
	if (!found.isFile() || found.nlink <= 1) return false;
	const folder = dirname(file);
	const beside = readdirSync(folder).filter((entry) => entry.startsWith(basename(file)));
	const names = beside.filter((entry) => statSync(join(folder, entry), { throwIfNoEntry: false })?.ino === found.ino);
	// Asked again, as a draft may have lost its name meanwhile.
	return statSync(file).nlink > names.length;
}

function nameElsewhere(file: string): string {
	return (
		`${file} has another name, a hard link, which 'find / -samefile ${file}' shows: opened by both it would be ruined, as each has a log of its ` +
		'own. Remove the other name, or put a real copy in its place.'
	);
}

/** The endings of the names of what lies beside a database and belongs to it; the copy to prefer is the last. */
function tracesOf(file: string): string[] {
	const folder = dirname(file);
	if (!existsSync(folder)) return [];
	const name = basename(file);
	return readdirSync(folder)
		.filter((entry) => entry.startsWith(name))
		.map((entry) => entry.slice(name.length))
		.filter((ending) => TRACE.test(ending))
		.sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

/** Ranks a leftover: the replaced file was acknowledged; the copy that was to replace it is only a copy. */
function rank(ending: string): number {
	return ending.startsWith('.replaced-') ? 1 : 0;
}

/**
 * Makes a new database. It appears under its name whole and on disk, so that an empty file is never one that was being
 * made. When several processes make it at once, one of theirs stays.
 */
export function createDatabase(file: string): void {
	makeFolder(file);
	const draft = `${file}.new-${crypto.randomUUID()}`;
	try {
		writeFileSync(draft, emptyDatabase(), { flag: 'wx', mode: OWNER_ONLY });
		syncToDisk(draft);
		putInPlace(draft, file);
		syncFolder(dirname(file));
	} catch (error) {
		// Made by another process meanwhile; a server then removes the drafts of all others.
		if (existsSync(file)) return;
		throw new AppError('UNAVAILABLE', `${file} cannot be made: ${systemReason(error as Error)}.`, { cause: error });
	} finally {
		rmSync(draft, { force: true });
	}
}

function emptyDatabase(): Uint8Array {
	using client = new Database(':memory:');
	migrate(client);
	const bytes = client.serialize();
	// From the first byte on: to change a file to it, no other process may have it open.
	useWriteAhead(bytes);
	return bytes;
}

/** Replaces nothing. Without a database at its end, the draft could not be used; some file systems have no links. */
function putInPlace(draft: string, file: string): void {
	try {
		linkSync(draft, file);
	} catch {
		if (!existsSync(file)) renameSync(draft, file);
	}
}
