/** Retries of deliveries, and the release of withheld ones, at the owner's request. */

import { and, asc, eq, gt, inArray, isNull, lt, lte, or, type SQL, sql } from 'drizzle-orm';
import { AppError } from '../errors.ts';
import { rowId } from '../ids.ts';
import type { Storage } from '../storage/contract.ts';
import {
	CHANNELS,
	type DeliveryRow,
	type DeliveryState,
	deliveries,
	forms,
	type Mode,
	submissions,
	webhooks,
} from '../storage/tables.ts';
import { RESTORED } from './bounds.ts';
import { findDelivery, reachable } from './deliveries.ts';
import { isWithheldAsSpam } from './events.ts';
import type { RetryDeliveries } from './schema.ts';

/** Rows per transaction, so that other writes can go in between. */
const CHUNK = 500;
const SENDABLE: readonly DeliveryState[] = ['waiting', 'sent', 'gathered', 'failed', 'withheld', 'held'];

export type Retries = ReturnType<typeof createRetries>;

/** The columns that tell the destination. */
const WHERE_TO = { channel: deliveries.channel, webhookId: deliveries.webhookId };

export function createRetries(storage: Storage, now: () => number) {
	const { db } = storage;
	const active = db.select({ id: webhooks.id }).from(webhooks).where(eq(webhooks.isActive, true));
	/** Disabled webhooks have no worker: a delivery made due would silently never be sent. */
	const deliverable = or(isNull(deliveries.webhookId), inArray(deliveries.webhookId, active));

	/** Wakes the worker. In a command there is none: a running server finds due rows within seconds. */
	function wake(due: readonly Pick<DeliveryRow, keyof typeof WHERE_TO>[]): void {
		for (const destination of due) storage.events.publish({ type: 'retry', ...destination });
	}

	/**
	 * Makes rows in one of these states due now, with no attempts counted. Returns how many.
	 * @param formId The form that all of them are of, for the audit log.
	 */
	async function makeDue(ids: readonly number[], states: readonly DeliveryState[], formId?: number): Promise<number> {
		// A gathered mail leaves its digest; what was split off from one still covers the same submissions.
		const digestId = sql`case when ${deliveries.submissionId} is null then ${deliveries.digestId} end`;
		const fresh = { state: 'waiting', nextAttemptAt: now(), attempts: 0, finishedAt: null, digestId } as const;
		const selected = and(inArray(deliveries.id, [...ids]), inArray(deliveries.state, [...states]), deliverable);
		const [rows] = await storage.batch(
			(tx) => [tx.update(deliveries).set(fresh).where(selected).returning(WHERE_TO)],
			([{ length }]) =>
				length > 0 ? { ...(formId !== undefined && { formId }), counts: { deliveries: length } } : null,
		);
		wake(rows);
		return rows.length;
	}

	async function withoutSpam(ids: readonly number[]): Promise<number[]> {
		const rows = await db
			.select({ id: deliveries.id, event: deliveries.event, isSpam: submissions.isSpam })
			.from(deliveries)
			.leftJoin(submissions, eq(submissions.id, deliveries.submissionId))
			.where(inArray(deliveries.id, [...ids]));
		return rows.filter(({ event, isSpam }) => isSpam !== true || !isWithheldAsSpam(event)).map(({ id }) => id);
	}

	async function rejectUnsendable(row: DeliveryRow): Promise<void> {
		if (row.state === 'captured') {
			throw new AppError('CONFLICT', 'The form is a test form: its deliveries are shown and never sent.');
		}
		const isSpam = row.submissionId !== null && (await storage.submissions.head(row.formId, row.submissionId))?.isSpam;
		if (isSpam && isWithheldAsSpam(row.event))
			throw new AppError('CONFLICT', 'The submission is marked as spam. Mark it as not spam first.');
		const [webhook] = await db
			.select()
			.from(webhooks)
			.where(eq(webhooks.id, row.webhookId ?? -1));
		if (webhook?.isActive === false) throw new AppError('CONFLICT', 'The webhook is disabled. Set isActive first.');
	}

	/** The rows that a bulk request selects, and the states in which they can be retried. */
	async function selectionOf(
		{ ids, state = 'failed', form, channel }: RetryDeliveries,
		mode?: Mode,
	): Promise<{ matching: SQL | undefined; states: readonly DeliveryState[]; formId?: number | undefined }> {
		if (ids) {
			const byIds = inArray(deliveries.id, ids.map(rowId));
			return { matching: and(byIds, inArray(deliveries.state, [...SENDABLE])), states: SENDABLE };
		}
		const formId = form === undefined ? undefined : await storage.findFormId(form, mode);
		const ofForm = formId === undefined ? undefined : eq(deliveries.formId, formId);
		const matching = and(eq(deliveries.state, state), ofForm, channel && eq(deliveries.channel, channel));
		return { matching, states: [state], formId };
	}

	return {
		/**
		 * Sends a delivery as soon as possible, whatever its state.
		 * @throws AppError NOT_FOUND; CONFLICT for a delivery of a test form, of spam, to a disabled webhook, or in flight
		 */
		async retry(id: string, mode?: Mode): Promise<void> {
			const row = await findDelivery(storage, { id, mode });
			await rejectUnsendable(row);
			const made = await makeDue([row.id], SENDABLE, row.formId);
			if (made === 0) throw new AppError('CONFLICT', 'The delivery is being sent now.');
		},
		/** Holds all that waits, as after a database was restored; what is being sent goes on. Returns how many. */
		async hold(): Promise<number> {
			const isDue = and(eq(deliveries.state, 'sending'), lte(deliveries.nextAttemptAt, now()));
			// Not what comes meanwhile: a server that is not stopped would keep this from ending.
			const isThere = lt(deliveries.id, storage.clock.end());
			const waits = and(or(eq(deliveries.state, 'waiting'), isDue), isThere);
			let held = 0;
			for (;;) {
				const [rows] = await storage.batch((tx) => {
					const chunk = tx.select({ id: deliveries.id }).from(deliveries).where(waits).limit(CHUNK);
					return [
						tx
							.update(deliveries)
							.set({ state: 'held', nextAttemptAt: null, lastError: RESTORED })
							.where(and(waits, inArray(deliveries.id, chunk)))
							.returning({ id: deliveries.id }),
					];
				});
				if (rows.length === 0) return held;
				held += rows.length;
			}
		},
		/** Retries many and skips those that must not be sent. Returns how many are retried. */
		async retryMany(request: RetryDeliveries, mode?: Mode): Promise<number> {
			const { matching, states, formId } = await selectionOf(request, mode);
			let retried = 0;
			// One channel after the other, which the index provides in order.
			for (const channel of CHANNELS) {
				let last = 0;
				for (;;) {
					const next = and(eq(deliveries.channel, channel), gt(deliveries.id, last));
					const rows = await db
						.select({ id: deliveries.id })
						.from(deliveries)
						.where(and(matching, reachable(storage, mode), next))
						.orderBy(asc(deliveries.id))
						.limit(CHUNK);
					if (rows.length === 0) break;
					retried += await makeDue(await withoutSpam(rows.map(({ id }) => id)), states, formId);
					last = rows.at(-1)?.id ?? last;
				}
			}
			return retried;
		},
		/**
		 * Sends the withheld deliveries of submissions that are no longer spam. Those of a test form become captured;
		 * those to a disabled webhook fail. Returns how many were released.
		 * @param submissionIds At most some hundred: they are released in one transaction.
		 */
		async release(formId: number, submissionIds: readonly number[]): Promise<number> {
			const [form] = await db.select({ mode: forms.mode }).from(forms).where(eq(forms.id, formId));
			const isTest = form?.mode === 'test';
			const values = isTest
				? ({ state: 'captured', lastError: null } as const)
				: ({ state: 'waiting', nextAttemptAt: now(), lastError: null } as const);
			const stranded = { state: 'failed', finishedAt: now(), lastError: 'The webhook is disabled' } as const;
			// `coalesce` keeps the engine from using an index that holds everything that the form ever withheld.
			const withheld = and(
				inArray(deliveries.submissionId, [...submissionIds]),
				sql`coalesce(${deliveries.formId}, 0) = ${formId}`,
				sql`coalesce(${deliveries.state}, '') = 'withheld'`,
			);
			const releasable = isTest ? withheld : and(withheld, deliverable);
			const [released, failed] = await storage.batch(
				(tx) => [
					tx.update(deliveries).set(values).where(releasable).returning(WHERE_TO),
					tx.update(deliveries).set(stranded).where(withheld).returning({ id: deliveries.id }),
				],
				([rows]) => ({ formId, counts: { deliveries: rows.length } }),
			);
			if (!isTest) wake(released);
			for (const { id } of failed)
				storage.events.publish({ type: 'delivery', formId, deliveryId: id, state: 'failed' });
			return released.length;
		},
	};
}
