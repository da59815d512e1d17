/** The current problems of the database, disk and files: one list for the log, the probes, the status and doctor. */

import { AppError } from '../errors.ts';
import { encodeId } from '../ids.ts';
import type { Log } from '../log/log.ts';
import { Unavailable } from './errors.ts';

interface Kind {
	/** For the operator: what happened, what it means, what to do. No path and no number: the probes show it to any client. */
	problem: string;
	/** Requests that are rejected while it lasts; `files` are submissions with files. */
	stops: 'nothing' | 'files' | 'submissions' | 'writes';
	/** Only a restart, or an operator, can end it. */
	isFatal?: true;
}

/** A new finding is a row here; the code that notices it calls `set` and `clear`. */
export const KINDS = {
	file: {
		problem:
			'The database was removed, moved, replaced or overwritten while the server has it open: nothing is stored until the very ' +
			'same files are back. Otherwise stop the server, put the right database in place and start it again.',
		stops: 'writes',
		isFatal: true,
	},
	write: {
		problem: 'The disk fails when the database is written: nothing is stored until it works again. Check the disk.',
		stops: 'writes',
	},
	lock: {
		problem:
			'Another program has locked the database: nothing is stored until it releases the lock. End its transaction, or the program.',
		stops: 'writes',
	},
	database: {
		problem:
			'The database cannot be reached: nothing is stored until it is back, which the server notices by itself. Check the ' +
			'database server, and the network.',
		stops: 'writes',
	},
	readOnly: {
		problem:
			'The database can only be read: nothing is stored until it can be written to, which the server notices by itself. ' +
			'default_transaction_read_only is on, as managed databases set it when their disk is full, or the server was demoted.',
		stops: 'writes',
	},
	databaseDisk: {
		problem:
			'The disk of the database server is full: nothing is stored until there is room, which the server notices by itself.',
		stops: 'writes',
	},
	databaseRole: {
		problem:
			'The role of FORMSRV_DATABASE_URL lacks a permission in the database, so that some requests are rejected. Make it the owner ' +
			'of its tables.',
		stops: 'nothing',
	},
	databaseTables: {
		problem:
			'Tables are missing in the database, so that requests are rejected: a dump is being restored, or they were dropped, or search_path ' +
			'of the role leads elsewhere.',
		stops: 'nothing',
	},
	databaseConnections: {
		problem:
			'The database server has no connection left, so that some requests are rejected: raise max_connections there, or end others.',
		stops: 'nothing',
	},
	databaseTimeouts: {
		problem:
			'The database server ended statements by a timeout, so that some requests are rejected: end the program that holds a lock, such as ' +
			'VACUUM FULL, or for the role of FORMSRV_DATABASE_URL set statement_timeout, lock_timeout and transaction_timeout to 0.',
		stops: 'nothing',
	},
	disk: {
		problem:
			'The disk is almost full: submissions are rejected, owners can still sign in and delete. Make room on it, or delete ' +
			'submissions.',
		stops: 'submissions',
	},
	damage: {
		problem:
			'A part of the database is damaged: its content cannot be read. Make a copy of the folder, check the disk, and ' +
			'restore a backup; "formsrv doctor" says more.',
		stops: 'nothing',
	},
	files: {
		problem:
			'Attached files cannot be stored: submissions with files are rejected, all others are stored. Check the place that ' +
			'FORMSRV_FILES_URL names; "formsrv doctor" says more.',
		stops: 'files',
	},
	fileRoom: {
		problem:
			'The disk of attached files has almost no room, or almost no inodes, left: submissions with files are rejected. Make room on it.',
		stops: 'files',
	},
	fileQuota: {
		problem:
			'Attached files have almost used up FORMSRV_FILES_QUOTA, or one form its share of it: beyond it, submissions with files are ' +
			'rejected. Delete submissions with files, or raise it.',
		stops: 'nothing',
	},
	lostFile: {
		problem:
			'An attached file is missing from its place, so it cannot be downloaded. Check the place that FORMSRV_FILES_URL names, and ' +
			'restore a backup; "formsrv doctor" says more.',
		stops: 'nothing',
	},
	backup: {
		problem:
			'A backup is overdue, or could not be made as it should: what came since the last good one may be in none. Check the place that ' +
			'FORMSRV_BACKUP_TO names; "formsrv doctor" says more.',
		stops: 'nothing',
	},
	mail: {
		problem:
			'Mail has been paused for more than 15 minutes: the mail server accepts none. Waiting mails are retried. Check ' +
			'FORMSRV_SMTP_URL and the mail server; "formsrv doctor" says more.',
		stops: 'nothing',
	},
	webhooks: {
		problem:
			'Requests to a webhook have been paused for more than 15 minutes: it cannot be reached, or returns errors. Waiting requests are ' +
			'retried; "formsrv doctor" says more.',
		stops: 'nothing',
	},
	descriptors: {
		problem:
			'The server has almost no file descriptors left: new connections wait until others end. Raise its limit (LimitNOFILE in systemd, ' +
			'ulimit -n), and see who keeps so many connections open.',
		stops: 'nothing',
	},
	scanner: {
		problem:
			'The virus scanner of FORMSRV_SCAN cannot be used: attached files stay unchecked until it can. Check that it runs and ' +
			'that its address is right.',
		stops: 'nothing',
	},
} as const satisfies Record<string, Kind>;

export type FindingName = keyof typeof KINDS;

export const FINDING_NAMES = Object.keys(KINDS) as FindingName[];

export interface Finding extends Kind {
	name: FindingName;
	/** In milliseconds since 1970. */
	since: number;
	/** The exact observation; only a text is for people. */
	detail: unknown;
}

interface Entry extends Finding {
	isSet: boolean;
	clearedAt: number;
	loggedAt: number;
	/** The log said that it began, and not yet that it is over. */
	isOpenInLog: boolean;
	/** Since the log last said so. */
	refused: number;
}

const LOG_EVERY_MS = 60_000;
/** Log interval of findings that reject nothing. */
const LOG_MINOR_EVERY_MS = 60 * LOG_EVERY_MS;
/** Time without it before a finding counts as resolved. */
const OVER_AFTER_MS = 5000;

export type Findings = ReturnType<typeof createFindings>;

interface FindingsOptions {
	log?: Log;
	now?: () => number;
	/** Milliseconds that pass, whatever the clock does. */
	elapsed?: () => number;
}

/** Returns whether it is time to log a finding. */
function isDue({ stops, loggedAt }: Entry, at: number): boolean {
	return at - loggedAt >= (stops === 'nothing' ? LOG_MINOR_EVERY_MS : LOG_EVERY_MS);
}

export function createFindings({ log, now = Date.now, elapsed = () => performance.now() }: FindingsOptions) {
	const entries = new Map<FindingName, Entry>();
	let stopsWrites: Entry | undefined;
	let stopsSubmissions: Entry | undefined;

	function entryOf(name: FindingName): Entry {
		const known = entries.get(name);
		if (known) return known;
		const never = Number.NEGATIVE_INFINITY;
		const unset = { isSet: false, since: 0, clearedAt: never, loggedAt: never };
		const entry: Entry = { ...KINDS[name], ...unset, name, isOpenInLog: false, refused: 0, detail: undefined };
		entries.set(name, entry);
		return entry;
	}

	function present(): Entry[] {
		return [...entries.values()].filter(({ isSet }) => isSet);
	}

	function change(entry: Entry, isSet: boolean): void {
		entry.isSet = isSet;
		stopsWrites = present().find(({ stops }) => stops === 'writes');
		stopsSubmissions = stopsWrites ?? present().find(({ stops }) => stops === 'submissions');
	}

	function tell(entry: Entry, at: number): void {
		const { name, problem, detail, refused } = entry;
		log?.error(problem, { finding: name, detail, refused });
		entry.loggedAt = at;
		entry.refused = 0;
		entry.isOpenInLog = true;
	}

	function unavailable(name: FindingName): AppError {
		const entry = entryOf(name);
		entry.refused++;
		return new Unavailable(undefined, entry.stops === 'files' ? 'store files' : 'store anything');
	}

	return {
		/** @param detail What exactly was seen; for the log, and for owners if it is a text. */
		set(name: FindingName, detail?: unknown): void {
			const entry = entryOf(name);
			entry.detail = detail;
			if (entry.isSet) return;
			entry.since = now();
			change(entry, true);
			const at = elapsed();
			if (isDue(entry, at)) tell(entry, at);
		},
		clear(name: FindingName): void {
			const entry = entries.get(name);
			if (!entry?.isSet) return;
			change(entry, false);
			entry.clearedAt = elapsed();
		},
		has: (name: FindingName) => entries.get(name)?.isSet === true,
		rejectsWrites: () => stopsWrites !== undefined,
		list: (): readonly Finding[] => present(),
		/** The error of a rejection because of a finding, which is counted. */
		unavailable,
		/** The error if this cannot be stored now, which is counted; `undefined` if it can. */
		rejection(what: 'submission' | 'write'): AppError | undefined {
			const entry = what === 'write' ? stopsWrites : stopsSubmissions;
			return entry && unavailable(entry.name);
		},
		/** Logs ongoing findings, once a minute or an hour, and resolved ones. To be called repeatedly. */
		remind(): void {
			const at = elapsed();
			for (const entry of entries.values()) {
				if ((entry.isSet || entry.refused > 0) && isDue(entry, at)) tell(entry, at);
				if (entry.isSet || !entry.isOpenInLog || at - entry.clearedAt < OVER_AFTER_MS) continue;
				entry.isOpenInLog = false;
				log?.warn('This is over.', { finding: entry.name, problem: entry.problem, refused: entry.refused });
				entry.refused = 0;
			}
		},
	};
}

/** A submission was read, and is not what was stored any more. */
export function noteDamage(findings: Pick<Findings, 'set'>, id: number): void {
	findings.set('damage', `The submission ${encodeId(id)} cannot be read.`);
}

/**
 * The log for all others: without rejections because of a finding, which has a line of its own, once for all; and
 * an error of a damaged file becomes one.
 */
export function logBeside(findings: Findings, log: Log, isDamage: (cause: unknown) => boolean): Log {
	const isRefusal = (cause: unknown) =>
		cause instanceof AppError && cause.code === 'UNAVAILABLE' && cause.cause === undefined;
	return {
		...log,
		error: (message, fields = {}) => {
			if (isDamage(fields.cause)) findings.set('damage', fields.cause);
			if (!isRefusal(fields.cause)) log.error(message, fields);
		},
	};
}
