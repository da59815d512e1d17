/** A database as it lies somewhere, beside opening it: found, locked, copied, replaced, inspected, measured. */

import type { ClockReport } from './clock-report.ts';
import type { DiskRoom } from './disk-room.ts';
import type { OutboxReport } from './pauses.ts';
import type { ServerValue } from './server-values.ts';

type Soon<T> = T | Promise<T>;

export interface Database {
	/** Where it lies, for people. */
	name: string;
	/** Its files on this machine, if it has any. */
	files: readonly string[];
	/** The program that stores it, with its version if known. */
	engine(): Soon<string>;
	/** @throws AppError that says what to do if there is only what is left of one: a new one must not take its place */
	exists(): Soon<boolean>;
	/** Changes when another one takes its place; `undefined` if that cannot be seen from this machine. */
	identity(): string | undefined;
	/**
	 * Takes the lock that says "a server runs on this database", which ends with the process, unless several may. Returns the
	 * release, or `undefined` if another process holds it.
	 * @throws AppError if it cannot be locked
	 */
	lock(): (() => void) | undefined;
	/** Removes what a restore left when it was cut off, but for the file `needed`; for the holder of the lock. */
	removeLeftovers(needed?: string): void;
	/** Looks at it without a change; `quick` leaves out what takes long. @throws AppError if it cannot be opened */
	inspect(check: 'quick' | 'full'): Soon<DatabaseReport>;
	/** Compares the counts that it keeps with the submissions, without a change; bounded in time. */
	compareCounts(): Soon<CountReport>;
	/** Returns its records of attached files, without a change. @throws AppError if this version cannot read it */
	fileRecords(): Soon<FileRecords>;
	/** The value that a server noted in it; `undefined` if it did not. */
	serverValue(name: string): Soon<string | undefined>;
	/** The files whose bytes belong to it, in the order of their ids. A file is read bit by bit, so only a copy. */
	namedFiles(): Soon<Iterable<NamedFile>>;
	/**
	 * Keeps servers from removing files, so that those of a copy that is made from now on stay. Returns the release; the
	 * end of the process is one too.
	 */
	holdFiles(): Soon<() => void>;
	/** Reads its waiting deliveries. @throws AppError if it cannot be read by this version */
	outbox(): Soon<OutboxReport>;
	/** Returns whether a server runs on it, here or elsewhere. */
	isServed(): Soon<boolean>;
	/** `undefined` if it is not on this machine. */
	measure(): DiskUse | undefined;
}

/** The same calls, which do not have to be waited for. */
type AtOnce<T> = { [K in keyof T]: T[K] extends (...args: infer A) => infer R ? (...args: A) => Awaited<R> : T[K] };

/** One that is a file: it can be copied, and replaced by a copy. */
export interface DatabaseFile extends AtOnce<Database> {
	/** Its path, links followed. @throws AppError if they lead nowhere */
	place(): string;
	/** Copies it, also while others use it, to a new file, checked and on disk. @throws AppError or Error with a sentence */
	copyTo(target: string): void;
	/** Holds what waits to be sent in a copy, and returns how much that is. */
	hold(reason: string): number;
	/** The records of erasures in it. @throws AppError or Error if it cannot be read */
	erasures(): ServerValue[];
	/** Takes those of another database that it does not have, to be done again; returns how many these are. */
	repeatErasures(others: readonly ServerValue[]): number;
	/**
	 * Takes over from another database, as far as that can be read, which alerts are open, so that their ends are told, which addresses
	 * get no more mails, and where its ids end: clients that go on from one of them miss none that is made here.
	 */
	takeOver(other: string): void;
	/** Puts a copy in its place and keeps what was there under another name; for the holder of the lock. */
	replace(paths: { replacement: string; aside: string }): void;
	/** Compares it with another one of its version, table by table; what is derived is left out. */
	compareRows(other: string): TableComparison[];
	/** How many submissions of another one are older than its newest, and not in it. */
	countOmitted(other: string): number;
}

export interface TableComparison {
	table: string;
	rows: number;
	/** In the other one as well, with the same values, and with others. */
	same: number;
	changed: number;
	/** Not in the other one. */
	missing: number;
	/** Only in the other one. */
	added: number;
}

export interface CountReport {
	/** How many forms were compared, the newest first, and how many there are. */
	compared: number;
	of: number;
	/** The slugs of those whose counts differ. */
	wrong: string[];
}

export interface FileRecords {
	/** The keys of stored files and their sizes in bytes. */
	stored: Map<string, number>;
	/** Keys whose objects may still be there: of removed files, and of new ones until their submission is stored. */
	passing: Set<string>;
	/** Those with files, the largest first. */
	forms: { slug: string; bytes: number }[];
}

/** A row of a file, and what its bytes are. */
export interface NamedFile {
	key: string;
	bytes: number;
	/** Hexadecimal. */
	sha256: string;
}

export interface DatabaseReport {
	schema: number;
	clock: ClockReport;
	/** True if it is of this version, so that it can be read as it is. */
	isCurrent: boolean;
	/** Sentences; none if all is well. */
	problems: string[];
}

export interface DiskUse {
	sizeBytes: number;
	/** Bytes that are committed and not yet moved into the database; 0 where that is the engine's own affair. */
	walBytes: number;
	/** The disk of the database; `null` where it is another machine's. */
	disk: {
		/** The folder that was measured: the database's, or the nearest there is. */
		folder: string;
		free: DiskRoom;
		/** Bytes that should be free; a backup needs as much as the database. */
		neededBytes: number;
	} | null;
}
