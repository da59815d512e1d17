/**
 * Opens the SQLite file the way the product promises: write-ahead log, synced on every commit, private to its owner.
 *
 * Statements that run often have a plus before parameters behind `=` and `limit`. It changes no value, but hides it from the planner,
 * which otherwise compares it with partial indexes and sort orders, and so prepares the statement again whenever a value is bound.
 */

import { constants, Database } from 'bun:sqlite';
import { existsSync, constants as fsConstants, mkdirSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '../../errors.ts';
import { systemReason } from '../../text/system-reason.ts';
import { denialOf, isBusy } from './failures.ts';

const OWNER_ONLY_FOLDER = 0o700;
const BUSY_TIMEOUT_MS = 5000;

const BUSY_RETRY_MS = 5;
/** Several times the size of the log without long reads; a larger one shrinks to this when it starts over. */
export const LOG_KEEPS_BYTES = 16 * 1024 * 1024;

/** The one connection that writes. */
export function openWriteConnection(file: string): Database {
	const client = open(file, false);
	// Two that open a new file at once are in each other's way here, where SQLite does not wait by itself.
	waitWhileBusy(() => client.run('pragma journal_mode = wal'));
	// FULL, not the usual NORMAL: with NORMAL a power cut takes back commits that were already acknowledged.
	client.run('pragma synchronous = full');
	client.run('pragma foreign_keys = on');
	client.run(`pragma journal_size_limit = ${LOG_KEEPS_BYTES}`);
	return client;
}

/** A connection that only reads. */
export function openReadConnection(file: string): Database {
	const client = open(file, true);
	client.run('pragma query_only = on');
	return client;
}

/** Tries again for as long as another process has the file for itself. */
export function waitWhileBusy<T>(use: () => T): T {
	const giveUpAt = performance.now() + BUSY_TIMEOUT_MS;
	for (;;) {
		try {
			return use();
		} catch (error) {
			if (!isBusy(error) || performance.now() > giveUpAt) throw error;
			Bun.sleepSync(BUSY_RETRY_MS);
		}
	}
}

/**
 * Where the path of a database leads: SQLite has its log there, and whatever path is used, it is one place.
 * @throws AppError if that is nowhere, most often on a disk that is not mounted
 */
export function behindLinks(file: string): string {
	if (existsSync(file)) return realpathSync(file);
	let target: string;
	try {
		target = readlinkSync(file);
	} catch {
		return file;
	}
	throw new AppError('UNAVAILABLE', `${file} is a link to ${target}, which is missing: is its disk mounted?`);
}

/** Makes the folder of a database, which only its owner can look into. */
export function makeFolder(file: string): void {
	try {
		mkdirSync(dirname(file), { recursive: true, mode: OWNER_ONLY_FOLDER });
	} catch (cause) {
		const isOther = (cause as { code?: unknown }).code === 'EEXIST';
		const why = isOther ? `${dirname(file)} is no folder` : systemReason(cause as Error);
		throw new AppError('UNAVAILABLE', `${file} cannot be made: ${why}.`, { cause });
	}
}

function open(file: string, readonly: boolean): Database {
	try {
		const client = new Database(file, readonly ? { readonly: true, strict: true } : { readwrite: true, strict: true });
		client.run(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
		client.run('pragma temp_store = memory');
		client.run('pragma trusted_schema = off');
		client.run('pragma cell_size_check = on');
		// The first look into the file, which shows whether it is a database.
		client.run('pragma schema_version');
		return client;
	} catch (error) {
		const denial = denialOf(file, fsConstants.R_OK | fsConstants.W_OK);
		if (denial?.code === 'EACCES')
			throw new AppError('UNAVAILABLE', `Cannot open ${file}: ${DENIED}`, { cause: error });
		const why = [`${(error as Error).message}.`, ...logProblems(file, error)].join(' ');
		throw new AppError('UNAVAILABLE', `${file} cannot be opened as an SQLite database: ${why}`, { cause: error });
	}
}

const DENIED = 'permission denied. Run this as the user who may, such as that of the server.';
const LOG_NEEDED =
	'SQLite needs a log beside it even to read it, and cannot make one in a folder that cannot be written to. Read a copy of it, or begin while a server runs on it.';
const LOG_BEGUN =
	'The log beside it was begun by a server that ended then, which SQLite cannot put right in a folder that cannot be written to. Read a copy of both, or begin while a server runs on it.';

/** A server that ends properly takes its log away; one that is killed may leave the head of one, at which SQLite tries in vain for ten seconds. */
function logProblems(file: string, error: unknown): string[] {
	const { code } = error as { code?: unknown };
	if (!denialOf(dirname(file), fsConstants.W_OK)) return [];
	if (code === 'SQLITE_CANTOPEN' && existsSync(file) && !existsSync(`${file}-wal`)) return [LOG_NEEDED];
	return code === 'SQLITE_PROTOCOL' ? [LOG_BEGUN] : [];
}

/** Empties the log and gives its room back to the disk, unless a process reads from it. */
export function truncateLog(client: Database): void {
	const timeout = client.query('pragma busy_timeout').values()[0]?.[0];
	client.run('pragma busy_timeout = 0');
	try {
		client.run('pragma wal_checkpoint(truncate)');
	} finally {
		client.run(`pragma busy_timeout = ${timeout}`);
	}
}

/** Out of reach of the garbage collector, which would close them. */
const abandoned: Database[] = [];

/**
 * Leaves a connection open whose file is not at its path any more. When it is closed nevertheless, at the end of the process,
 * it must leave the log at the path alone, which may be that of another database.
 */
export function abandonConnection(client: Database): void {
	client.fileControl(constants.SQLITE_FCNTL_PERSIST_WAL, 1);
	abandoned.push(client);
}

/** Closes a writing connection after copying the log back, so that the file stands alone. */
export function closeWriteConnection(client: Database): void {
	client.fileControl(constants.SQLITE_FCNTL_PERSIST_WAL, 0);
	try {
		client.run('pragma wal_checkpoint(truncate)');
	} catch {
		// On a disk that is full or read-only nothing is lost: the log stays, and the next process that opens the file reads it.
	}
	client.close();
}
