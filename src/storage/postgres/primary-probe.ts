/** Asks one server of the address whether it is the primary, on a connection of its own. */

import { connectionName, type PostgresHost, parsePostgresUrl } from '../../config/postgres-url.ts';
import { Unavailable } from '../errors.ts';
import { connect, rowsOf, withDeadline } from './connection.ts';

/** Each promotion begins a timeline; of a single server it is of no interest. */
const TIMELINE = "('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int";

const WAITING = `select 1 from pg_stat_activity where pid = $1 and application_name like 'formsrv%'
	and state like 'idle%' and state_change < now() - interval '1 s'`;

export type PrimaryProbe = ReturnType<typeof createPrimaryProbe>;

/** @param index Of the server in the address. */
export function createPrimaryProbe(url: string, { index, withinMs }: { index: number; withinMs: number }) {
	const sql = connect(url, { name: 'formsrv watch', max: 1, silentMs: withinMs, only: index, isBrief: true });
	const { hosts } = parsePostgresUrl(url);
	const question = `select case when not pg_is_in_recovery() then ${hosts.length > 1 ? TIMELINE : 0} end`;
	let asking: { answer: Promise<number | undefined>; since: number } | undefined;
	let problem: unknown;

	async function ask(): Promise<number | undefined> {
		try {
			const [row] = await rowsOf<[number | null]>(sql, question);
			problem = new Unavailable(new Error('The database can only be read: it is that of a standby.'));
			return row?.[0] ?? undefined;
		} catch (error) {
			problem = error;
			return undefined;
		} finally {
			asking = undefined;
		}
	}

	return {
		index,
		name: connectionName(hosts[index] as PostgresHost),
		/**
		 * If it is a primary. Not if it does not say so within a time after it was asked; then what it says later is the answer to the next
		 * question.
		 */
		timeline(ms: number): Promise<number | undefined> {
			asking ??= { answer: ask(), since: performance.now() };
			return withDeadline(asking.answer, Math.max(0, asking.since + ms - performance.now())).catch(() => undefined);
		},
		/** Returns whether a process of ours waits for the next question. Behind a pooler its number is another one. */
		async isWaiting(process: number): Promise<boolean> {
			const rows = await rowsOf(sql, WAITING, [process]).catch(() => []);
			return rows.length > 0;
		},
		/** Since when it has not responded. */
		waitsSince: (): number | undefined => asking?.since,
		/** Why it is not the primary. */
		problem: (): unknown => (asking ? new Unavailable(new Error('The database does not answer.')) : problem),
		stop: (): Promise<void> => sql.end(0),
	};
}
