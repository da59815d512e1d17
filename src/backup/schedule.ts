/** The backups that a server makes by itself: when the next is due, and what is wrong with them. */

import { dirname } from 'node:path';
import type { Config } from '../config.ts';
import type { Log } from '../log/log.ts';
import type { StopWork, Storage } from '../storage/contract.ts';
import { isFile } from '../storage/open.ts';
import { createServerSecret } from '../storage/server-secret.ts';
import { HOUR_MS, MINUTE_MS } from '../tasks/durations.ts';
import { repeat } from '../tasks/repeat.ts';
import { capitalised } from '../text/capitalised.ts';
import { INSTALLATION, installationId, isDumpName, type KeptArchive, keptArchives } from './names.ts';
import { type BackupPlace, openPlace } from './place.ts';

/** How long a backup that is due may take, with all attempts, until it is overdue. */
export const OVERDUE_AFTER_MS = HOUR_MS;
/** Delayed, so that the first requests do not wait for it. */
const FIRST_AFTER_MS = 1000;
const LOOK_EVERY_MS = 10 * MINUTE_MS;
const RETRY_AFTER_MS = 10 * MINUTE_MS;
const JUDGE_EVERY_MS = MINUTE_MS;
/** The beginning of a dump by pg_dump, and how many files may have another one. */
const DUMP = 'PGDMP';
const LOOKED_INTO = 20;
/** The beginning of the remarks of an attempt that is kept, which may name many files. */
const MAX_REMARKS = 500;
/** A clock that was set back by less makes no second backup. */
const AHEAD_MS = MINUTE_MS;

export type Backups = ReturnType<typeof createBackups>;

interface Parts {
	config: Config;
	storage: Pick<Storage, 'batch' | 'findings' | 'lead'>;
	log: Log;
	/** Records a backup, which lets all content out, by its name. */
	record: (backup: string) => void;
	now: () => number;
	/** Time that passes, in milliseconds, whatever the clock is set to. */
	elapsed?: () => number;
}

/** The newest of them, by default of every installation; `undefined` if there is none. Those of a clock that was ahead do not count. */
export function lastBackup(
	files: Iterable<{ name: string }>,
	{ id, now }: { id?: string; now: number },
): KeptArchive | undefined {
	return keptArchives(files, id).find(({ madeAt }) => madeAt <= now + AHEAD_MS);
}

/** When the last dump of PostgreSQL there was written, which `pg_dump --format=custom` has begun as it does; that it is whole is not seen. */
export async function lastDump(place: Pick<BackupPlace, 'list' | 'read'>, now: number): Promise<number | undefined> {
	const dumps = (await place.list())
		.filter(({ name, changedAt }) => isDumpName(name) && changedAt <= now + AHEAD_MS)
		.sort((a, b) => b.changedAt - a.changedAt);
	for (const { name, changedAt } of dumps.slice(0, LOOKED_INTO)) {
		for await (const piece of await place.read(name)) {
			if (Buffer.from(piece.subarray(0, DUMP.length)).toString('latin1') === DUMP) return changedAt;
			break;
		}
	}
	return undefined;
}

/** The last in a place, in milliseconds since 1970; `undefined` for none. */
export interface Last {
	/** The archive of this installation. */
	archiveAt: number | undefined;
	/** The moment that all can be brought back to: with PostgreSQL by an archive of the files and a dump by its operator. */
	at: number | undefined;
	/** A part of a sentence that says what there is. */
	text: string;
}

export async function lastIn(
	place: BackupPlace,
	{ database, id, now }: { database: string; id?: string; now: number },
): Promise<Last> {
	const archiveAt = lastBackup(await place.list(), { id, now })?.madeAt;
	if (isFile(database)) return { archiveAt, at: archiveAt, text: textOf('backup', archiveAt) };
	const dumpAt = await lastDump(place, now);
	const at = archiveAt === undefined || dumpAt === undefined ? undefined : Math.min(archiveAt, dumpAt);
	return {
		archiveAt,
		at,
		text: `${textOf('dump of PostgreSQL', dumpAt)}, ${textOf('backup of attached files', archiveAt)}`,
	};
}

function textOf(kind: string, at: number | undefined): string {
	return at === undefined ? `no ${kind} yet` : `the last ${kind} is of ${new Date(at).toISOString()}`;
}

/** Where what goes to a bucket lies until it is whole. */
export function besideDatabase({ database, dataDir }: Pick<Config, 'database' | 'dataDir'>): string {
	return isFile(database) ? dirname(database) : dataDir;
}

export function createBackups({ config, storage, log, record, now, elapsed = () => performance.now() }: Parts) {
	const { everyMs, to } = config.backup;
	const secret = createServerSecret(storage, INSTALLATION);
	const startedAt = elapsed();
	let last: Last | undefined;
	/** Why the place could not be read, or the last attempt failed; sentences. */
	let unreadable: string | undefined;
	let failure: string | undefined;
	let failedAt = Number.NEGATIVE_INFINITY;
	/** While this server is the one that makes them. */
	let leading: AbortController | undefined;

	/** Those that are there say when the last was made: no restart, and no other program, makes this wrong. */
	async function look(): Promise<void> {
		if (!to) return;
		try {
			const place = await openPlace(to, besideDatabase(config));
			last = await lastIn(place, { ...config, id: installationId(await secret()), now: now() });
			unreadable = undefined;
		} catch (error) {
			unreadable = (error as Error).message;
		}
	}

	function judge(): void {
		if (everyMs === null) return;
		const lateMs = Math.min(now() - (last?.at ?? 0) - everyMs, elapsed() - startedAt);
		const isOverdue = lateMs > OVERDUE_AFTER_MS;
		if (isOverdue || failure !== undefined || unreadable !== undefined) {
			const found = last && `${capitalised(last.text)}.`;
			storage.findings.set('backup', [found, unreadable ?? failure].filter(Boolean).join(' '));
		} else storage.findings.clear('backup');
	}

	const isDue = (every: number) => now() - (last?.archiveAt ?? 0) >= every && elapsed() - failedAt >= RETRY_AFTER_MS;

	async function backUp(signal: AbortSignal): Promise<void> {
		const { runBackup } = await import('./run-command.ts');
		const { code, result, remarks } = await runBackup(config, signal);
		if (signal.aborted) return;
		if (result) {
			log.info('backed up', { file: result.file, bytes: result.size, files: result.files });
			record(`${result.file}`);
		}
		failure = remarks.slice(0, MAX_REMARKS) || (code === 0 ? undefined : `The attempt ended with ${code}.`);
		if (code !== 0) failedAt = elapsed();
	}

	async function step(): Promise<number> {
		try {
			const before = last?.archiveAt;
			await look();
			// Another process has made one since, such as that of a server which was killed.
			if (last?.archiveAt !== before) failure = undefined;
			if (leading && everyMs !== null && unreadable === undefined && isDue(everyMs)) {
				await backUp(leading.signal);
				await look();
			}
		} catch (error) {
			failedAt = elapsed();
			failure = `It could not be run: ${(error as Error).message}.`;
			log.error('A backup failed; it is tried again in ten minutes.', { cause: error });
		}
		judge();
		const isTrouble = failure !== undefined || unreadable !== undefined;
		const untilDue = everyMs === null ? LOOK_EVERY_MS : (last?.archiveAt ?? 0) + everyMs - now();
		return isTrouble || untilDue <= 0 ? MINUTE_MS : Math.min(LOOK_EVERY_MS, untilDue);
	}

	return {
		/** Notes the identity of the installation, by which backups of a command are told from those of others, too. */
		identify: secret,
		/** Each server looks at the place; one makes the backups. */
		start(): StopWork {
			const steps = repeat(step, FIRST_AFTER_MS);
			const judging = setInterval(judge, JUDGE_EVERY_MS);
			const stopLeading = storage.lead('backup', () => {
				leading = new AbortController();
				steps.wake();
				return async () => {
					leading?.abort();
					leading = undefined;
				};
			});
			return async (graceMs) => {
				clearInterval(judging);
				await stopLeading(graceMs);
				await steps.stop();
			};
		},
		/** As the place was when it was last looked at; `null` without one. */
		report: () =>
			to && {
				everySeconds: everyMs === null ? null : everyMs / 1000,
				lastAt: last?.at === undefined ? null : new Date(last.at).toISOString(),
				ageSeconds: last?.at === undefined ? null : Math.max(0, Math.floor((now() - last.at) / 1000)),
			},
	};
}
