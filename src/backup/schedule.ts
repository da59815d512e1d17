/** The backups that a server makes by itself: when the next is due, and what is wrong with them. */

import { dirname } from 'node:path';
import type { Config } from '../config.ts';
import type { Log } from '../log/log.ts';
import type { StopWork, Storage } from '../storage/contract.ts';
import { isFile } from '../storage/open.ts';
import { createServerSecret } from '../storage/server-secret.ts';
import { HOUR_MS, MINUTE_MS } from '../tasks/durations.ts';
import { repeat } from '../tasks/repeat.ts';
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

/** The moment of the last backup in the place: of SQLite an archive of that installation, of PostgreSQL a dump by its operator. */
export async function lastIn(
	place: BackupPlace,
	{ database, id, now }: { database: string; id?: string; now: number },
): Promise<number | undefined> {
	return isFile(database) ? lastBackup(await place.list(), { id, now })?.madeAt : lastDump(place, now);
}

/** Where what goes to a bucket lies until it is whole. */
export function besideDatabase({ database, dataDir }: Pick<Config, 'database' | 'dataDir'>): string {
	return isFile(database) ? dirname(database) : dataDir;
}

export function createBackups({ config, storage, log, record, now, elapsed = () => performance.now() }: Parts) {
	const { everyMs, to } = config.backup;
	const secret = createServerSecret(storage, INSTALLATION);
	/** PostgreSQL is backed up by its own tools. */
	const isOwn = isFile(config.database);
	const startedAt = elapsed();
	let lastAt: number | undefined;
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
			lastAt = await lastIn(place, { ...config, id: installationId(await secret()), now: now() });
			unreadable = undefined;
		} catch (error) {
			unreadable = (error as Error).message;
		}
	}

	function judge(): void {
		if (everyMs === null) return;
		const lateMs = Math.min(now() - (lastAt ?? 0) - everyMs, elapsed() - startedAt);
		const isOverdue = lateMs > OVERDUE_AFTER_MS;
		if (isOverdue || failure !== undefined || unreadable !== undefined) {
			const last = lastAt === undefined ? 'There is none yet.' : `The last is of ${new Date(lastAt).toISOString()}.`;
			storage.findings.set('backup', [last, unreadable ?? failure ?? ''].join(' ').trim());
		} else storage.findings.clear('backup');
	}

	const isDue = (every: number) => now() - (lastAt ?? 0) >= every && elapsed() - failedAt >= RETRY_AFTER_MS;

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
			const before = lastAt;
			await look();
			// Another process has made one since, such as that of a server which was killed.
			if (lastAt !== before) failure = undefined;
			if (isOwn && leading && everyMs !== null && unreadable === undefined && isDue(everyMs)) {
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
		const untilDue = everyMs === null ? LOOK_EVERY_MS : (lastAt ?? 0) + everyMs - now();
		return isTrouble || untilDue <= 0 ? MINUTE_MS : Math.min(LOOK_EVERY_MS, untilDue);
	}

	return {
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
				lastAt: lastAt === undefined ? null : new Date(lastAt).toISOString(),
				ageSeconds: lastAt === undefined ? null : Math.max(0, Math.floor((now() - lastAt) / 1000)),
			},
	};
}
