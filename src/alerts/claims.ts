/**
 * Which alerts were sent, kept in the database: a restart, or another server on the same database, does not repeat one.
 * A row is `open` or `over`, when it was claimed, by which machine, and `unsent` until it has arrived.
 */

import { hostname } from 'node:os';
import { and, eq, like, sql } from 'drizzle-orm';
import type { Storage } from '../storage/contract.ts';
import { ALERT_PREFIX, OPEN_ALERT } from '../storage/server-values.ts';
import { serverValues } from '../storage/tables.ts';

/** The length of a time in milliseconds since 1970, so that texts compare as numbers do. */
const DIGITS = 13;
const UNSENT = ' unsent';

interface Claim {
	name: string;
	isOpen: boolean;
	/** In milliseconds since 1970. */
	claimedAt: number;
	isMine: boolean;
	isSent: boolean;
}

export type Claims = ReturnType<typeof createClaims>;

export function createClaims({ db, batch, isShared }: Pick<Storage, 'db' | 'batch' | 'isShared'>) {
	const machine = hostname();
	const rowOf = (cause: string) => eq(serverValues.name, ALERT_PREFIX + cause);

	return {
		async list(): Promise<Claim[]> {
			const rows = await db
				.select()
				.from(serverValues)
				.where(like(serverValues.name, `${ALERT_PREFIX}%`));
			return rows.map(({ name, value }) => {
				const [state, at, by, unsent] = value.split(' ');
				const isMine = !isShared || by === machine;
				const isSent = unsent === undefined;
				return {
					name: name.slice(ALERT_PREFIX.length),
					isOpen: state === 'open',
					claimedAt: Number(at),
					isMine,
					isSent,
				};
			});
		},
		/** Claims the alert of a beginning, unless one was claimed within `withinMs`. @returns whether it is this process's to send */
		async begin(cause: string, { now, withinMs }: { now: number; withinMs: number }): Promise<boolean> {
			const value = `${OPEN_ALERT}${stamp(now)} ${machine}${UNSENT}`;
			const claimedAt = sql`substr(${serverValues.value}, 6, ${DIGITS})`;
			// One from further ahead comes from a clock that was set back.
			const mayTell = sql`${claimedAt} <= ${stamp(now - withinMs)} or ${claimedAt} > ${stamp(now + withinMs)}`;
			const [rows] = await batch((tx) => [
				tx
					.insert(serverValues)
					.values({ name: ALERT_PREFIX + cause, value })
					.onConflictDoUpdate({ target: serverValues.name, set: { value }, setWhere: mayTell })
					.returning({ name: serverValues.name }),
			]);
			return rows.length > 0;
		},
		/** Notes that the alert of a beginning has arrived: a restart does not send it any more. */
		async sent(cause: string): Promise<void> {
			const value = sql`replace(${serverValues.value}, ${UNSENT}, '')`;
			await batch((tx) => [tx.update(serverValues).set({ value }).where(rowOf(cause))]);
		},
		/** Claims the alert of an end. @returns whether it is this process's to send */
		async end(cause: string): Promise<boolean> {
			const [rows] = await batch((tx) => [
				tx
					.update(serverValues)
					.set({ value: sql`'over ' || substr(${serverValues.value}, 6)` })
					.where(and(rowOf(cause), like(serverValues.value, `${OPEN_ALERT}%`)))
					.returning({ name: serverValues.name }),
			]);
			return rows.length > 0;
		},
	};
}

const stamp = (ms: number) => String(ms).padStart(DIGITS, '0');
