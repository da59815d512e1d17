/** Asks one server of the address whether it is the primary, on a connection of its own. */

import { Unavailable } from '../errors.ts';
import { connect, rowsOf, withDeadline } from './connection.ts';

export type Scout = ReturnType<typeof createScout>;

/** @param index Of the server in the address. */
export function createScout(url: string, { index, withinMs }: { index: number; withinMs: number }) {
	const sql = connect(url, { name: 'formsrv watch', max: 1, silentMs: withinMs, only: index });
	let asking: { answer: Promise<boolean>; since: number } | undefined;
	let problem: unknown;

	async function ask(): Promise<boolean> {
		try {
			const [row] = await rowsOf<[boolean]>(sql, 'select pg_is_in_recovery()');
			problem = new Unavailable(new Error('The database can only be read: it is that of a standby.'));
			return row?.[0] === false;
		} catch (error) {
			problem = error;
			return false;
		} finally {
			asking = undefined;
		}
	}

	return {
		index,
		/** Also not if it does not say so in time; then what it says later is the answer to the next question. */
		isPrimary(ms: number): Promise<boolean> {
			asking ??= { answer: ask(), since: performance.now() };
			return withDeadline(asking.answer, ms).catch(() => false);
		},
		/** Since when it has not answered. */
		waitsSince: (): number | undefined => asking?.since,
		/** Why it is not the primary. */
		problem: (): unknown => (asking ? new Unavailable(new Error('The database does not answer.')) : problem),
		stop: (): Promise<void> => sql.end({ timeout: 0 }),
	};
}
