/** The queue of one destination, on disk: due deliveries are claimed by a lease, then completed or requeued. */

import { and, asc, eq, getTableColumns, gt, inArray, isNull, lte, type Placeholder, type SQL, sql } from 'drizzle-orm';
import type { Db, Storage } from '../../storage/contract.ts';
import type { NewDelivery } from '../../storage/submission.ts';
import { type DeliveryRow, deliveries, webhooks } from '../../storage/tables.ts';
import type { Destination } from '../channel.ts';
import { longestWait, type Schedule, waitAfter } from './backoff.ts';
import { errorOf, type Outcome, type Remainder } from './outcome.ts';

export type DueDelivery = Pick<DeliveryRow, 'id' | 'formId' | 'event' | 'destination'>;

/** Plans the notices about deliveries that are given up, and wakes their workers once they are on disk. */
interface Failures {
	planFailures(rows: readonly DeliveryRow[]): Promise<NewDelivery[]>;
	wake(rows: readonly NewDelivery[]): void;
}

export interface QueueOptions {
	schedule: Schedule;
	/** How long a claim lasts unless it is renewed. */
	leaseMs: number;
	now: () => number;
	failures: Failures;
}

/** After this many interrupted attempts, the delivery itself may be crashing the process. */
const SUSPICIOUS_ATTEMPTS = 3;

type Change = Partial<typeof deliveries.$inferInsert>;

export type Queue = ReturnType<typeof createQueue>;

export function createQueue(storage: Storage, destination: Destination, options: QueueOptions) {
	const { schedule, leaseMs, now, failures } = options;
	const { db } = storage;
	const byDestination = and(
		eq(deliveries.channel, destination.channel),
		destination.webhookId === null ? isNull(deliveries.webhookId) : eq(deliveries.webhookId, destination.webhookId),
	);
	const isWaiting = eq(deliveries.state, 'waiting');
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
		.where(and(byDestination, isWaiting, lte(deliveries.nextAttemptAt, sql.placeholder('now'))))
		.limit(sql.placeholder('limit'))
		.prepare();
	const selectLater = select()
		.where(and(byDestination, gt(deliveries.nextAttemptAt, sql.placeholder('after'))))
		.limit(1)
		.prepare();
	const expiredAt = (moment: number | Placeholder) =>
		and(byDestination, eq(deliveries.state, 'sending'), lte(deliveries.nextAttemptAt, moment));
	const selectExpired = db
		.select()
		.from(deliveries)
		.where(expiredAt(sql.placeholder('now')))
		.prepare();

	async function update(condition: SQL | undefined, values: Change): Promise<void> {
		await storage.batch((tx) => [tx.update(deliveries).set(values).where(condition)]);
	}

	const stillDue = (ids: readonly number[]) =>
		and(inArray(deliveries.id, [...ids]), isWaiting, lte(deliveries.nextAttemptAt, now()));

	function afterFailure(
		row: DeliveryRow,
		{ error, retryAfterMs = 0 }: { error: string; retryAfterMs?: number },
	): Change {
		const wait = waitAfter(schedule, row.attempts);
		if (wait === undefined) return failed(`Given up after ${row.attempts} attempts. ${error}`, now());
		return { state: 'waiting', nextAttemptAt: now() + Math.max(wait, retryAfterMs), lastError: error };
	}

	/** Restores its place in the queue; a suspicious delivery waits instead, so that all others go first. */
	function afterInterruption(row: DeliveryRow): Change {
		const error = 'The server ended during this attempt; it may have arrived';
		if (row.attempts >= SUSPICIOUS_ATTEMPTS) return afterFailure(row, { error });
		return {
			state: 'waiting',
			nextAttemptAt: Math.min(storage.clock.timeline().millisOf(row.id), now()),
			lastError: error,
		};
	}

	function afterAttempt(row: DeliveryRow, outcome: Outcome): Change {
		switch (outcome.kind) {
			case 'sent':
				return { state: 'sent', nextAttemptAt: null, finishedAt: now(), lastError: null };
			case 'rejected':
				return failed(outcome.error, now());
			case 'withheld':
				return { state: 'withheld', nextAttemptAt: null, lastError: outcome.error };
			case 'unavailable':
				// The attempt does not count, and another delivery goes first next time.
				return { state: 'waiting', attempts: row.attempts - 1, nextAttemptAt: now(), lastError: outcome.error };
			case 'retry':
				return afterFailure(row, { ...outcome, error: errorOf(outcome) });
		}
	}

	/** The columns in which the delivery for one remaining recipient differs from the original. */
	function split(row: DeliveryRow, { rest, id }: { rest: Remainder; id: number }): Change {
		const next = rest.kind === 'retry' ? afterFailure(row, rest) : failed(rest.error, now());
		return { finishedAt: null, content: null, ...next, id, digestId: digestOf(row), destination: rest.destination };
	}

	/** Changes the delivery if it is still selected, adds those in `parts` and the notices about what failed, and publishes what became of it. */
	async function store(
		row: DeliveryRow,
		values: Change,
		{ selected, parts = [] }: { selected: SQL | undefined; parts?: Change[] },
	) {
		const notices = await failures.planFailures([values, ...parts].map((change) => ({ ...row, ...change })));
		const added = [...parts, ...notices];
		const results = await storage.batch((tx) =>
			replace(tx, { values, added }, and(eq(deliveries.id, row.id), selected)),
		);
		// With its submission it may have been removed meanwhile: then nothing became of it.
		if (results.at(-1)?.length === 0) return;
		publish(row, values.state ?? row.state);
		failures.wake(notices);
	}

	function publish({ id, formId }: DeliveryRow, state: string): void {
		storage.events.publish({ type: 'delivery', formId, deliveryId: id, state });
	}

	return {
		/** Due deliveries; the longest waiting first. */
		due: (limit: number): Promise<DueDelivery[]> => selectDue.execute({ now: now(), limit }) as Promise<DueDelivery[]>,
		/** Requeues deliveries whose lease ran out, because their worker died; `inFlight` are those of the caller. */
		async requeueExpired(inFlight: readonly number[]): Promise<void> {
			const at = now();
			const dead = (await selectExpired.execute({ now: at })).filter(({ id }) => !inFlight.includes(id));
			for (const row of dead) await store(row, afterInterruption(row), { selected: expiredAt(at) });
		},
		/** Returns whether anything is to be sent there, now or later. */
		hasWaiting: async (): Promise<boolean> => (await selectLater.execute({ after: -1 })).length > 0,
		/** When the next delivery falls due, in milliseconds since 1970. */
		async nextDue(): Promise<number | undefined> {
			const [row] = (await selectLater.execute({ after: now() })) as { nextAttemptAt: number }[];
			return row?.nextAttemptAt;
		},
		/**
		 * Claims those that are still due. The attempt counts from here, so that one that crashes the process counts too.
		 * A webhook's deliveries take its present URL.
		 */
		async claim(ids: readonly number[]): Promise<DeliveryRow[]> {
			const url = db.select({ url: webhooks.url }).from(webhooks).where(eq(webhooks.id, deliveries.webhookId));
			const [rows] = await storage.batch((tx) => [
				tx
					.update(deliveries)
					.set({
						state: 'sending',
						nextAttemptAt: now() + leaseMs,
						attempts: sql`${deliveries.attempts} + 1`,
						...(destination.webhookId !== null && { destination: sql`coalesce(${url}, ${deliveries.destination})` }),
					})
					.where(stillDue(ids))
					.returning(),
			]);
			for (const row of rows) publish(row, 'sending');
			return rows;
		},
		renew: (ids: readonly number[]): Promise<void> =>
			update(and(inArray(deliveries.id, [...ids]), eq(deliveries.state, 'sending')), {
				nextAttemptAt: now() + leaseMs,
			}),
		/** Defers those that are still due. */
		postpone: (ids: readonly number[], until: number): Promise<void> => update(stillDue(ids), { nextAttemptAt: until }),
		/** Stores the outcome of an attempt, unless the delivery was removed meanwhile, or its lease ran out and another attempt goes on: … */
		async complete(row: DeliveryRow, { outcome, ...kept }: { outcome: Outcome; content?: string }): Promise<void> {
			const values = { ...afterAttempt(row, outcome), ...kept };
			const { rest = [] } = outcome.kind === 'sent' ? outcome : {};
			const parts = rest.map((part) => split(row, { rest: part, id: storage.nextId() }));
			// … whichever arrives counts, and the latest if both fail.
			const latest = outcome.kind === 'sent' ? undefined : eq(deliveries.attempts, row.attempts);
			await store(row, values, { selected: and(eq(deliveries.state, 'sending'), latest), parts });
		},
		/**
		 * Makes deliveries due that lie further ahead than the longest possible wait: the clock was set back. The worker
		 * still sends them at its usual pace.
		 */
		async reschedule(): Promise<void> {
			const horizon = now() + Math.max(longestWait(schedule), leaseMs);
			const stranded = await selectLater.execute({ after: horizon });
			if (stranded.length === 0) return;
			await update(and(byDestination, gt(deliveries.nextAttemptAt, horizon)), { nextAttemptAt: now() });
		},
	};
}

function failed(error: string, finishedAt: number): Change {
	return { state: 'failed', nextAttemptAt: null, finishedAt, lastError: error };
}

/** Changes the selected delivery, and adds copies of it that differ in some columns. The last statement returns what was changed. */
function replace(tx: Db, { values, added }: { values: Change; added: readonly Change[] }, selected: SQL | undefined) {
	const change = tx.update(deliveries).set(values).where(selected).returning({ id: deliveries.id });
	return [...added.map((copy) => insertCopy(tx, copy, selected)), change];
}

/** Inserts a copy of the selected delivery with changed values; nothing if there is none. */
function insertCopy(tx: Db, values: Change, selected: SQL | undefined) {
	const changed = Object.fromEntries(Object.entries(values).map(([column, value]) => [column, sql`${value}`]));
	const copy = tx.select({ ...getTableColumns(deliveries), ...changed }).from(deliveries);
	return tx.insert(deliveries).select(copy.where(selected));
}

/** The digest that a row is, or is a part of; `null` for all others. */
function digestOf({ id, digestId, submissionId }: DeliveryRow): number | null {
	return submissionId === null ? (digestId ?? id) : null;
}
