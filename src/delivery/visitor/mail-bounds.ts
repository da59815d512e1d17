/** The bounds of mails to visitors: how many an address gets and a form sends, and the addresses that get none. */

import { and, count, eq, lt, sql } from 'drizzle-orm';
import { AppError, invalidField } from '../../errors.ts';
import type { Storage } from '../../storage/contract.ts';
import { PLACE } from '../../storage/filters.ts';
import { VISITOR_SECRET } from '../../storage/server-values.ts';
import { deliveries, serverValues, submissions } from '../../storage/tables.ts';
import {
	type SuppressionReason,
	suppressions,
	type VisitorMailKind,
	visitorMails,
} from '../../storage/visitor-tables.ts';
import { DAY_MS, HOUR_MS } from '../../tasks/durations.ts';
import { isEmailAddress } from '../../text/email-address.ts';
import type { AddressKeys } from './address-keys.ts';

const TO_ADDRESS_A_DAY = 3;
const RESPONSES_AN_HOUR = 100;

export const OVER_BOUND = `A visitor gets one mail of a kind a day from a form, another one to confirm only if the first waits no more, and ${TO_ADDRESS_A_DAY} in all; a form sends ${RESPONSES_AN_HOUR} automatic responses an hour`;
export const SUPPRESSED = 'The address gets no more mails for visitors: it was rejected before, or asked for none';

/** A mail about to be sent. */
interface Sending {
	/** Its delivery. */
	id: number;
	formId: number;
	kind: VisitorMailKind;
	to: string;
	/** When it was to be sent first, in milliseconds since 1970. */
	plannedAt: number;
}

export type VisitorBounds = ReturnType<typeof createVisitorBounds>;

export function createVisitorBounds(
	storage: Pick<Storage, 'batch' | 'db'>,
	{ keys, now }: { keys: AddressKeys; now: () => number },
) {
	/** The pending submission that a mail asks to confirm. Without it the link is of no use any more, and another one may go. */
	const waiting = sql`select 1 from ${deliveries} join ${submissions} on ${submissions.id} = ${deliveries.submissionId}
		where ${deliveries.id} = ${visitorMails.id} and ${submissions.isSpam} = ${PLACE.pending}`;

	async function suppress(key: string, reason: SuppressionReason): Promise<void> {
		const row = { address: key, reason, createdAt: now() };
		await storage.batch((tx) => [tx.insert(suppressions).values(row).onConflictDoNothing()]);
	}

	return {
		/**
		 * Takes a place within the bounds, on disk before the mail goes. One that was tried before has its place already.
		 * @returns why it must not be sent
		 */
		async admit({ id, formId, kind, to, plannedAt }: Sending): Promise<string | undefined> {
			const address = await keys.keyOf(to);
			const at = now();
			const hour = Math.floor(plannedAt / HOUR_MS);
			// A moment in the future comes from a clock that was set back.
			const sameDay = sql`${visitorMails.address} = ${address} and ${visitorMails.at} > ${at - DAY_MS} and ${visitorMails.at} < ${at + DAY_MS}`;
			const sameHour = sql`${visitorMails.formId} = ${formId} and ${visitorMails.kind} = ${kind} and ${visitorMails.hour} = ${hour}`;
			const number = (condition: typeof sameDay) => sql`(select count(*) from ${visitorMails} where ${condition})`;
			const ofKind = sql`${sameDay} and ${visitorMails.formId} = ${formId} and ${visitorMails.kind} = ${kind}
				and (${kind} <> 'confirmation' or exists (${waiting}))`;
			const isFree = sql`${number(ofKind)} < 1 and ${number(sameDay)} < ${TO_ADDRESS_A_DAY}
				and (${kind} <> 'response' or ${number(sameHour)} < ${RESPONSES_AN_HOUR})`;
			const isKnown = sql`exists (select 1 from ${visitorMails} where ${visitorMails.id} = ${id})`;
			const [, , taken, suppressed] = await storage.batch((tx) => [
				// One after the other, even while two servers both believe that they are the one that sends.
				tx.update(serverValues).set({ name: VISITOR_SECRET }).where(eq(serverValues.name, VISITOR_SECRET)),
				tx
					.insert(visitorMails)
					.select(sql`select ${id}, ${address}, ${formId}, ${kind}, ${at}, ${hour} where ${isKnown} or (${isFree})`)
					.onConflictDoUpdate({ target: visitorMails.id, set: { at } }),
				tx.select({ id: visitorMails.id }).from(visitorMails).where(eq(visitorMails.id, id)),
				tx.select().from(suppressions).where(eq(suppressions.address, address)),
			]);
			if (suppressed.length > 0) return SUPPRESSED;
			return taken.length > 0 ? undefined : OVER_BOUND;
		},
		/** Its mail server said that there is no such address. */
		reject: async (to: string): Promise<void> => suppress(await keys.keyOf(to), 'rejected'),
		/** Its reader, who has the link, does not want mails any more. @param key That of the address */
		stop: (key: string): Promise<void> => suppress(key, 'asked'),
		/** How many addresses get no mails, by reason. */
		async suppressed(): Promise<Record<SuppressionReason, number>> {
			const rows = await storage.db
				.select({ reason: suppressions.reason, count: count() })
				.from(suppressions)
				.groupBy(suppressions.reason);
			const counts = { rejected: 0, asked: 0 };
			for (const row of rows) counts[row.reason] = Number(row.count);
			return counts;
		},
		/** Lets an address get mails again. @throws AppError VALIDATION_ERROR, or NOT_FOUND if it gets them */
		async release(email: string): Promise<void> {
			const to = email.trim();
			if (!isEmailAddress(to)) throw invalidField('email', 'INVALID_EMAIL', 'email must be one mail address.');
			const byKey = eq(suppressions.address, await keys.keyOf(to));
			const [rows] = await storage.batch(
				(tx) => [tx.delete(suppressions).where(byKey).returning({ reason: suppressions.reason })],
				([gone]) => (gone.length > 0 ? { counts: { addresses: gone.length } } : null),
			);
			if (rows.length === 0) throw new AppError('NOT_FOUND', 'This address is not among those that get no mails.');
		},
		/** Forgets mails that no bound counts any more. */
		async expire(): Promise<void> {
			const isOld = and(lt(visitorMails.at, now() - DAY_MS), lt(visitorMails.hour, Math.floor(now() / HOUR_MS) - 48));
			await storage.batch((tx) => [tx.delete(visitorMails).where(isOld)]);
		},
	};
}
