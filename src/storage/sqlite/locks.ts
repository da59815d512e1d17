/** Locks between processes, by files beside the database: the operating system releases one when the process exits, even by a crash. */

import { Database } from 'bun:sqlite';
import { chmodSync, chownSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '../../errors.ts';
import { systemReason } from '../../text/system-reason.ts';
import { behindLinks, makeFolder } from './connection.ts';
import { denialOf, isBusy } from './failures.ts';

const OWNER_ONLY = 0o600;
/** Held by others for no longer than it takes to look. */
const LOOK_MS = 5000;
const RETRY_MS = 5;

/** For one process alone, or for all that want it so. */
type Kind = 'exclusive' | 'shared';

/** Out of reach of the garbage collector, which would give them back. */
const held = new Set<Database>();

const SERVER = '.lock';
const FILES = '.lock-files';

/**
 * Takes the lock that says "a server runs on this database". Returns the release, or `undefined` if another process holds it.
 * @throws AppError if there can be no lock file
 */
export function takeServerLock(databaseFile: string): (() => void) | undefined {
	makeFolder(databaseFile);
	for (const giveUpAt = performance.now() + LOOK_MS; ; Bun.sleepSync(RETRY_MS)) {
		const release = take(databaseFile, SERVER, 'exclusive');
		// Several that start at once may keep each other from it, so that none has it; then one that is about to have it lets no other look.
		if (release || isServerRunning(databaseFile) || performance.now() > giveUpAt) return release;
	}
}

export function isServerRunning(databaseFile: string): boolean {
	if (!existsSync(behindLinks(databaseFile) + SERVER)) return false;
	const release = take(databaseFile, SERVER, 'shared');
	release?.();
	return release === undefined;
}

/** Tells if a process other than this one is the server. */
export function isServedElsewhere(databaseFile: string): boolean {
	const file = behindLinks(databaseFile) + SERVER;
	return ![...held].some(({ filename }) => filename === file) && isServerRunning(databaseFile);
}

/** Takes the lock that says "files are being copied", which many may hold. @throws AppError if there can be no lock file */
export function holdFiles(databaseFile: string): () => void {
	const release = take(databaseFile, FILES, 'shared', LOOK_MS);
	if (!release) throw new AppError('UNAVAILABLE', `${databaseFile}${FILES} is locked by another program.`);
	return release;
}

/** @throws AppError if it cannot be told */
export function areFilesHeld(databaseFile: string): boolean {
	if (!existsSync(behindLinks(databaseFile) + FILES)) return false;
	const release = take(databaseFile, FILES, 'exclusive');
	release?.();
	return release === undefined;
}

function take(databaseFile: string, ending: string, kind: Kind, waitMs = 0): (() => void) | undefined {
	const place = behindLinks(databaseFile);
	const file = place + ending;
	let lock: Database | undefined;
	try {
		lock = new Database(file, { create: true });
		// SQLite opens for reading what it may not write to: such a lock can be shared, and no more.
		const denial = denialAt(file);
		if (!denial) shareWithOwnerOf(place, file);
		else if (kind === 'exclusive') throw denial;
		lock.run(`pragma busy_timeout = ${waitMs}`);
		lock.run(kind === 'exclusive' ? 'begin exclusive' : 'begin');
		if (kind === 'shared') lock.query('select count(*) from sqlite_schema').get();
	} catch (error) {
		lock?.close();
		if (isBusy(error)) return undefined;
		const reason = systemReason(denialAt(file) ?? (error as Error));
		throw new AppError('UNAVAILABLE', `${file} cannot be used: ${reason}.`, { cause: error });
	}
	const taken = lock;
	held.add(taken);
	return () => {
		held.delete(taken);
		taken.run('rollback');
		taken.close();
	};
}

/** A backup may be made by root, and the server, another user, has to look at its lock. */
function shareWithOwnerOf(databaseFile: string, file: string): void {
	const { uid, mode } = statSync(file);
	if ((mode & 0o777) !== OWNER_ONLY) chmodSync(file, OWNER_ONLY);
	const owner = statSync(databaseFile, { throwIfNoEntry: false });
	if (owner && owner.uid !== uid && process.getuid?.() === 0) chownSync(file, owner.uid, owner.gid);
}

/** Why the file cannot be written. Not by opening it: closing it again would give back the locks that this process has on it. */
function denialAt(file: string): NodeJS.ErrnoException | undefined {
	// SQLite needs a journal beside it.
	return (existsSync(file) ? denialOf(file, constants.W_OK) : undefined) ?? denialOf(dirname(file), constants.W_OK);
}
