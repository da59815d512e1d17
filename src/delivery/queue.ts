/** The deliveries of one destination as a queue on disk: what is due, leased, given back and finished. */

import { and, asc, eq, getTableColumns, gt, inArray, isNull, lte, type SQL, sql } from 'drizzle-orm';
import type { Db, Storage } from '../storage/storage.ts';
import { type Channel as ChannelName, type DeliveryRow, deliveries, webhooks } from '../storage/tables.ts';
import { longestWait, type Schedule, waitAfter } from './backoff.ts';
import type { Outcome, Remainder } from './outcome.ts';

/** All mail goes to one destination, the mail server; each webhook is one. */
export interface Destination {
	channel: ChannelName;
	webhookId: number | null;
}

export type DueDelivery = Pick<DeliveryRow, 'id' | 'formId' | 'event' | 'destination'>;

export interface QueueOptions {
	schedule: Schedule;
	/** How long a delivery belongs to who took it, unless that is renewed. */
	leaseMs: number;
	now: () => number;
	random?: () => number;
}

/** What was interrupted that often may itself be what takes the process down. */
const SUSPICIOUS_ATTEMPTS = 3;

type Change = Partial<typeof deliveries.$inferInsert>;

export type Queue = ReturnType<typeof createQueue>;

export function createQueue(
	storage: Storage,
	destination: Destination,
	{ schedule, leaseMs, now, random }: QueueOptions,
) {
	const { db } = storage;
	const isMine = and(
		eq(deliveries.channel, destination.channel),
		destination.webhookId === null ? isNull(deliveries.webhookId) : eq(deliveries.webhookId, destination.webhookId),
	);
	const select = () =>
		db
			.select({
				id: deliveries.id,
				formId: deliveries.formId,
				event: deliveries.event,
				destination: deliveries.destination,
				nextAttemptAt: deliveries.nextAttemptAt,
			})
			.from(deliveries)
			.orderBy(asc(deliveries.nextAttemptAt));
	const selectDue = select()
		.where(and(isMine, lte(deliveries.nextAttemptAt, sql.placeholder('now'))))
		.limit(sql.placeholder('limit'))
		.prepare();
	const selectLater = select()
		.where(and(isMine, gt(deliveries.nextAttemptAt, sql.placeholder('moment'))))
		.limit(1)
		.prepare();

	async function change(ids: readonly number[], values: Change): Promise<void> {
		if (ids.length === 0) return;
		await storage.batch((tx) => [
			tx
				.update(deliveries)
				.set(values)
				.where(and(inArray(deliveries.id, [...ids]), eq(deliveries.state, 'sending'))),
		]);
	}

	function afterFailure(
		row: DeliveryRow,
		{ error, retryAfterMs = 0 }: { error: string; retryAfterMs?: number },
	): Change {
		const wait = waitAfter(schedule, row.attempts, random);
		if (wait === undefined) return failed(`Given up after ${row.attempts} attempts. ${error}`);
		return { state: 'waiting', nextAttemptAt: now() + Math.max(wait, retryAfterMs), lastError: error };
	}

	function failed(error: string): Change {
		return { state: 'failed', nextAttemptAt: null, finishedAt: now(), lastError: error };
	}

	/** It goes back to its old place in the line; one under suspicion waits, so that all others go before it. */
	function afterInterruption(row: DeliveryRow): Change {
		const error = 'The server ended while this was under way; it may have arrived';
		if (row.attempts >= SUSPICIOUS_ATTEMPTS) return afterFailure(row, { error });
		return {
			state: 'waiting',
			nextAttemptAt: Math.min(storage.clock.timeline().millisOf(row.id), now()),
			lastError: error,
		};
	}

	function afterwards(row: DeliveryRow, outcome: Outcome): Change {
		switch (outcome.kind) {
			case 'sent':
				return { state: 'sent', nextAttemptAt: null, finishedAt: now(), lastError: null };
			case 'refused':
				return failed(outcome.error);
			case 'withheld':
				return { state: 'withheld', nextAttemptAt: null, lastError: outcome.error };
			case 'ill':
				// The message is not to blame. Another one goes first next time.
				return { state: 'waiting', attempts: row.attempts - 1, nextAttemptAt: now(), lastError: outcome.error };
			case 'retry':
				return afterFailure(row, outcome);
		}
	}

	/** What is different about a delivery that goes on for one recipient. */
	function split(row: DeliveryRow, { rest, id }: { rest: Remainder; id: number }): Change {
		const fate = rest.kind === 'retry' ? afterFailure(row, rest) : failed(rest.error);
		return { finishedAt: null, content: null, ...fate, id, digestId: digestOf(row), destination: rest.destination };
	}

	function tell({ id, formId }: DeliveryRow, state: string): void {
		storage.events.publish({ type: 'delivery', formId, deliveryId: id, state });
	}

	return {
		/** What is due, the longest waiting first, leases that ran out included. */
		due: (limit: number): Promise<DueDelivery[]> => selectDue.execute({ now: now(), limit }) as Promise<DueDelivery[]>,
		/**
		 * Gives back what is under way. Only for who knows that nobody is at work on it: whoever was, ended without
		 * giving it back.
		 */
		async takeBack(): Promise<void> {
			const isUnderWay = and(isMine, eq(deliveries.state, 'sending'));
			const rows = await db.select().from(deliveries).where(isUnderWay);
			if (rows.length === 0) return;
			await storage.batch((tx) =>
				rows.map((row) => tx.update(deliveries).set(afterInterruption(row)).where(eq(deliveries.id, row.id))),
			);
		},
		/** When the next one after now falls due, in milliseconds since 1970. */
		async nextDue(): Promise<number | undefined> {
			const [row] = (await selectLater.execute({ moment: now() })) as { nextAttemptAt: number }[];
			return row?.nextAttemptAt;
		},
		/**
		 * Leases what is still due of these, and counts an attempt: one that takes the process down counts too. What
		 * goes to a webhook goes to where that is by now, whatever was planned.
		 */
		async claim(ids: readonly number[]): Promise<DeliveryRow[]> {
			const url = db.select({ url: webhooks.url }).from(webhooks).where(eq(webhooks.id, deliveries.webhookId));
			const isStillDue = and(inArray(deliveries.id, [...ids]), lte(deliveries.nextAttemptAt, now()));
			const [rows] = await storage.batch((tx) => [
				tx
					.update(deliveries)
					.set({
						state: 'sending',
						nextAttemptAt: now() + leaseMs,
						attempts: sql`${deliveries.attempts} + 1`,
						...(destination.webhookId !== null && { destination: sql`coalesce(${url}, ${deliveries.destination})` }),
					})
					.where(isStillDue)
					.returning(),
			]);
			for (const row of rows) tell(row, 'sending');
			return rows;
		},
		renew: (ids: readonly number[]): Promise<void> => change(ids, { nextAttemptAt: now() + leaseMs }),
		/** Puts off what is due of these. */
		async postpone(ids: readonly number[], until: number): Promise<void> {
			const isStillDue = and(inArray(deliveries.id, [...ids]), lte(deliveries.nextAttemptAt, now()));
			await storage.batch((tx) => [tx.update(deliveries).set({ nextAttemptAt: until }).where(isStillDue)]);
		},
		/** Writes down what became of an attempt. Nothing happens if the delivery was removed meanwhile. */
		async settle(row: DeliveryRow, { outcome, content }: { outcome: Outcome; content?: string }): Promise<void> {
			const values = { ...afterwards(row, outcome), ...(content !== undefined && { content }) };
			const rest = outcome.kind === 'sent' ? (outcome.rest ?? []) : [];
			const parts = rest.map((part) => split(row, { rest: part, id: storage.nextId() }));
			const isMineStill = and(eq(deliveries.id, row.id), eq(deliveries.state, 'sending'));
			await storage.batch((tx) => [
				...parts.map((part) => insertCopy(tx, part, isMineStill)),
				tx.update(deliveries).set(values).where(isMineStill),
			]);
			tell(row, values.state ?? row.state);
		},
		/**
		 * Brings forward what lies further ahead than any wait that is ever given: the clock was set back since. They go
		 * at the usual pace, so this is no storm.
		 */
		async bringForward(): Promise<void> {
			const horizon = now() + Math.max(longestWait(schedule), leaseMs);
			const stranded = await selectLater.execute({ moment: horizon });
			if (stranded.length === 0) return;
			await storage.batch((tx) => [
				tx
					.update(deliveries)
					.set({ nextAttemptAt: now() })
					.where(and(isMine, gt(deliveries.nextAttemptAt, horizon))),
			]);
		},
	};
}

/** Copies the delivery that is meant, with these values in place of its own; without it nothing is inserted. */
function insertCopy(tx: Db, values: Change, isMeant: SQL | undefined) {
	const changed = Object.fromEntries(Object.entries(values).map(([column, value]) => [column, sql`${value}`]));
	const copy = tx.select({ ...getTableColumns(deliveries), ...changed }).from(deliveries);
	return tx.insert(deliveries).select(copy.where(isMeant));
}

/** The digest that a row is (a part of); `null` for all others. */
function digestOf({ id, digestId, submissionId }: DeliveryRow): number | null {
	return submissionId === null ? (digestId ?? id) : null;
}
