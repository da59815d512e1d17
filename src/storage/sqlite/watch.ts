/** Watches the database, its write-ahead log (here: the log) and the disk: are the files at the paths the open ones, is there room? */

import type { Database } from 'bun:sqlite';
import { copyFileSync, realpathSync, renameSync, rmSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import { roughSize } from '../../text/byte-sizes.ts';
import { LEAST_ROOM_BYTES, roomAt } from '../disk-room.ts';
import type { Findings } from '../findings.ts';
import { syncToDisk } from '../sync-to-disk.ts';
import { journalOf } from './file-header.ts';
import { contentMark, identityAt, openFiles } from './file-identity.ts';
import { readPragma } from './migrate.ts';

const LOOK_EVERY_MS = 250;
/** With this much free, for the log, pages of the file that deletions made free count as room, too. */
const LEAST_LOG_ROOM_BYTES = LEAST_ROOM_BYTES / 2;
/** With less free, every `glance` measures again: so much can be written between two looks. */
const SCARCE_BYTES = 16 * LEAST_ROOM_BYTES;

interface WatchedFile {
	path: string;
	/** Where it is kept while another database lies at the path. */
	aside: string;
	/** Identity of the open file; `undefined` if another one lay at the path from the beginning. */
	identity: string | undefined;
}

/** @param client The connection that writes; it has read already, so that the log is open. */
export function createWatch(client: Database, { file, findings }: { file: string; findings: Findings }) {
	const open = openFiles();
	// SQLite follows links when it opens, and not again.
	const home = realpathSync(file);
	const companions = [watched(`${home}-wal`), watched(`${home}-shm`)];
	const trio = [watched(home), ...companions];
	const all = file === home ? trio : [watched(file), ...trio];
	const descriptor = open?.get(String(trio[0]?.identity));
	let lookedAt = Number.NEGATIVE_INFINITY;
	let isDetached = false;
	let isScarce = false;
	let markWhenDetached: string | undefined;
	let wasOverwritten = false;

	/** The file may have been moved between its opening and now. */
	function watched(path: string): WatchedFile {
		const identity = identityAt(path);
		const isOpen = identity !== undefined && (open?.has(identity) ?? true);
		return { path, aside: `${path}.aside-${process.pid}`, identity: isOpen ? identity : undefined };
	}

	function look(): void {
		lookedAt = performance.now();
		if (companions.some(isAside) && trio.every(isWithinReach)) moveBack();
		const strange = all.find((one) => !isInPlace(one));
		if (isOverwritten()) {
			findings.set('file', `${file} has the content of another file, as after cp.`);
		} else if (strange) {
			findings.set('file', `${strange.path} is not the file that was opened.`);
			detach();
		} else if (wasChanged()) {
			findings.set('file', `${file} was written by another program while it was away: restart the server.`);
		} else {
			isDetached = false;
			findings.clear('file');
		}
		lookAtRoom();
		findings.remind();
	}

	/**
	 * Copies the log back into the open file, wherever that is by now, so that it holds everything by itself. Then takes what
	 * is left of ours away from beside another database, where it would be read as a log of that. Beside none it stays, as a
	 * trace: without one, the next start would make a new database.
	 */
	function detach(): void {
		isDetached ||= copyLogBack();
		if (!isDetached || trio.every(isInPlace) || isFree(home)) return;
		for (const one of companions) if (isInPlace(one)) tryMove(one.path, one.aside);
	}

	/** Returns whether all of it was copied: a long read may hold up the end of it. */
	function copyLogBack(): boolean {
		try {
			const [isBusy] = client.query('pragma wal_checkpoint(truncate)').values()[0] as [number];
			markWhenDetached = contentMark(descriptor);
			return isBusy === 0;
		} catch {
			return false;
		}
	}

	function moveBack(): void {
		for (const one of companions) {
			if (isAside(one) && isFree(one.path)) tryMove(one.aside, one.path);
		}
	}

	/** Returns whether the file changed behind us. The state in memory would be wrong even if the same file came back. */
	function wasChanged(): boolean {
		return findings.has('file') && markWhenDetached !== undefined && markWhenDetached !== contentMark(descriptor);
	}

	/**
	 * Returns whether the open file became a copy or no database at all, as by `cp`, under the same name and inode. The log would be
	 * mixed with that at the next checkpoint, which any commit may make, and then it could not be told any more.
	 */
	function isOverwritten(): boolean {
		wasOverwritten ||= descriptor !== undefined && journalOf(descriptor) !== 'write-ahead';
		return wasOverwritten;
	}

	/**
	 * At the end of the process the runtime copies the open log into the database, which has another one's content by now. So the
	 * open log is emptied, and a copy of it takes its place.
	 */
	function emptyOpenLog(): void {
		const [log] = companions;
		if (!log || !isInPlace(log)) return;
		try {
			copyFileSync(log.path, log.aside);
			syncToDisk(log.aside);
			truncateSync(log.path);
			renameSync(log.aside, log.path);
		} catch {
			// The part that was copied stays, so that the next start sees that there was a database.
		}
	}

	function lookAtRoom(): void {
		const folder = dirname(home);
		const freeBytes = freeBytesAt(folder);
		if (freeBytes === undefined) return;
		isScarce = freeBytes < SCARCE_BYTES;
		if (isEnough(freeBytes)) findings.clear('disk');
		else findings.set('disk', `${roughSize(freeBytes)} are free at ${folder}.`);
	}

	function isEnough(freeBytes: number): boolean {
		if (freeBytes >= LEAST_ROOM_BYTES) return true;
		return freeBytes >= LEAST_LOG_ROOM_BYTES && freeInFile(client) >= LEAST_ROOM_BYTES;
	}

	const timer = setInterval(look, LOOK_EVERY_MS).unref();

	return {
		look,
		/** Looks if the last time is so long ago: a busy loop holds up timers. */
		glance(maxAgeMs: number): void {
			if (performance.now() - lookedAt > maxAgeMs || isOverwritten()) look();
			else if (isScarce) lookAtRoom();
		},
		/**
		 * Looks a last time.
		 * @returns whether connections may be closed: the last to be closed removes the log at the path, even that of another database.
		 */
		stop(): boolean {
			clearInterval(timer);
			look();
			if (!findings.has('file')) return true;
			if (wasOverwritten) {
				emptyOpenLog();
				return false;
			}
			if (isFree(home)) moveBack();
			for (const one of companions) if (isAside(one)) rmSync(one.aside, { force: true });
			return false;
		},
	};
}

const isInPlace = ({ path, identity }: WatchedFile) => identity !== undefined && identityAt(path) === identity;
const isAside = ({ aside, identity }: WatchedFile) => identity !== undefined && identityAt(aside) === identity;
const isFree = (path: string) => identityAt(path) === undefined;
const isWithinReach = (one: WatchedFile) => isInPlace(one) || (isAside(one) && isFree(one.path));

function tryMove(from: string, to: string): void {
	try {
		renameSync(from, to);
	} catch {
		// It is tried again at the next look.
	}
}

function freeBytesAt(folder: string): number | undefined {
	try {
		return roomAt(folder).bytes;
	} catch {
		return undefined;
	}
}

/** Bytes of pages without content; none where the file cannot be read. */
function freeInFile(client: Database): number {
	try {
		return readPragma(client, 'freelist_count') * readPragma(client, 'page_size');
	} catch {
		return 0;
	}
}
