/** The number under which a process makes ids: leased in the database, so that no two processes make the same id. */

import { ID_SOURCES } from '../../ids.ts';
import { repeat } from '../../tasks/repeat.ts';
import { Unavailable } from '../errors.ts';
import { rowsOf, type Sql, WRITER_NAME } from './connection.ts';

/** Time for which the number of a killed process stays taken. */
const LEASE_SECONDS = 10;
const RENEW_MS = 2000;
/** Longer than a lease, so that a start finds the number of a process that was killed before. */
const TAKE_WITHIN_MS = 12_000;
const BETWEEN_TRIES_MS = 100;

/** A statement that stored under a number that was taken just then has ended so long after, or is seen as one that goes on. */
const LAST_STATEMENT_SECONDS = 10;

/** Also one that is of a later time, of before the clock was set back: who lives renews it. */
const isOlder = (seconds: number) =>
	`seen_at not between now() - interval '${seconds} s' and now() + interval '${LEASE_SECONDS} s'`;
/** A statement that stores, and runs for so long already, or since before the clock was set back. */
const isRunning = (seconds: number) => `application_name like '${WRITER_NAME}%' and state <> 'idle'
		and xact_start not between now() - interval '${seconds} s' and now() + interval '1 s'`;
const FREE = isOlder(LEASE_SECONDS);
/** Selects the number ($1) of a process that may store: its lease holds, so that all others know that they are not alone. */
export const holder = (number: string, token: string): string =>
	`select from servers where number = ${number} and token = ${token} and not ${FREE}`;
/** Selects whether a process other than number $1 may store submissions, or still does. */
const OTHERS = `
	select 1 from servers where number <> $1 and not ${isOlder(LEASE_SECONDS + LAST_STATEMENT_SECONDS)}
	union all select 1 from pg_stat_activity where ${isRunning(LAST_STATEMENT_SECONDS)} limit 1`;
/** The lowest free number; nothing if another process takes it at the same time. */
const TAKE = `
	insert into servers (number, token, seen_at)
	select n, $1, now() from generate_series(0, ${ID_SOURCES - 1}) n
		where not exists (select from servers where number = n and not ${FREE}) order by n limit 1
	on conflict (number) do update set token = excluded.token, seen_at = excluded.seen_at where servers.${FREE}
	returning number`;
/** Selects an id so that new ones behind it are behind all that there were: the clock may have been set back. */
const LAST_ID = 'select greatest((select max(last_id) from servers), (select max(id) from submissions))';
const RENEW = `
	update servers set seen_at = now(), last_id = greatest(last_id, $3) where number = $1 and token = $2
	returning (select max(last_id) from servers)`;
/**
 * Selects an id below which no process makes another, nor stores one that it made: each notes its own, and begins behind those of
 * the others. `null` while a statement goes on that may be of a process that was killed.
 */
export const ALL_MADE = `
	select min(last_id) from servers where not ${isOlder(LEASE_SECONDS + LAST_STATEMENT_SECONDS)}
		and not exists (select from pg_stat_activity where ${isRunning(LEASE_SECONDS / 2)})`;

/** Returns whether any process has a number: a server, or a command while it runs. */
export async function isServed(sql: Sql): Promise<boolean> {
	return (await rowsOf(sql, `select 1 from servers where not ${FREE} limit 1`)).length > 0;
}

export interface ServerNumber {
	number: number;
	/** Named by each statement that stores submissions: without the number nothing is stored. */
	token: string;
}

export type Servers = Awaited<ReturnType<typeof joinServers>>;

export interface ServersOptions {
	/** Called with an id that this process has to go on behind. */
	onLastId(lastId: number): void;
	lastId(): number;
	/** Returns an id below which this process stores no more. */
	horizon(): number;
	onError(error: unknown): void;
}

export async function joinServers(sql: Sql, { onLastId, lastId, horizon, onError }: ServersOptions) {
	const own: ServerNumber = { number: 0, token: crypto.randomUUID() };

	async function take(): Promise<void> {
		for (const since = performance.now(); performance.now() - since < TAKE_WITHIN_MS; ) {
			const [taken] = await rowsOf<[number]>(sql, TAKE, [own.token]);
			if (taken) {
				own.number = taken[0];
				const [[newest = 0] = []] = await rowsOf<[number]>(sql, LAST_ID);
				onLastId(newest);
				return;
			}
			await Bun.sleep(BETWEEN_TRIES_MS);
		}
		throw new Unavailable(
			new Error(`${ID_SOURCES} processes already use the database, which is the maximum: end one of them.`),
		);
	}

	/** Keeps the number, or takes another if it was lost, as after a long sleep. */
	async function renew(): Promise<void> {
		const [kept] = await rowsOf<[number]>(sql, RENEW, [own.number, own.token, horizon()]);
		if (kept) onLastId(kept[0]);
		else await take();
	}

	await take();
	const renewal = repeat(async () => {
		await renew().catch(onError);
		return RENEW_MS;
	}, RENEW_MS);

	return {
		own,
		renew,
		/** Returns whether another process may store submissions. */
		async areOthers(): Promise<boolean> {
			return (await rowsOf(sql, OTHERS, [own.number])).length > 0;
		},
		async leave(): Promise<void> {
			await renewal.stop();
			const values = [own.number, own.token, lastId()];
			await rowsOf(
				sql,
				"update servers set seen_at = '-infinity', last_id = $3 where number = $1 and token = $2",
				values,
			).catch(onError);
		},
	};
}
