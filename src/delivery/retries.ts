/** Deliveries tried again, and what was withheld released, because somebody says so. */

import { and, asc, eq, gt, inArray, isNull, or, type SQL, sql } from 'drizzle-orm';
import { AppError } from '../errors.ts';
import { decodeId } from '../ids.ts';
import type { Storage } from '../storage/storage.ts';
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
import { findDelivery, isReachable } from './delivery-access.ts';
import type { RetryDeliveries } from './schema.ts';

/** So that nobody has to wait for a large number of them. */
const CHUNK = 500;
const SENDABLE: readonly DeliveryState[] = ['waiting', 'sent', 'gathered', 'failed', 'withheld'];

export type Retries = ReturnType<typeof createRetries>;

/** @param onDue called when something became due */
export function createRetries(
	storage: Storage,
	{ onDue, now = Date.now }: { onDue: () => Promise<void>; now?: () => number },
) {
	const { db } = storage;
	const active = db.select({ id: webhooks.id }).from(webhooks).where(eq(webhooks.isActive, true));
	/** Nobody is at work on what goes to a disabled webhook: made due, it would lie there without a word. */
	const hasWayOut = or(isNull(deliveries.webhookId), inArray(deliveries.webhookId, active));

	/** Makes rows due now, as if nothing had been tried; answers how many were in one of the states. */
	async function makeDue(ids: readonly number[], states: readonly DeliveryState[]): Promise<number> {
		const fresh = { state: 'waiting', nextAttemptAt: now(), attempts: 0, finishedAt: null, digestId: null } as const;
		const isMeant = and(inArray(deliveries.id, [...ids]), inArray(deliveries.state, [...states]), hasWayOut);
		const [rows] = await storage.batch((tx) => [
			tx.update(deliveries).set(fresh).where(isMeant).returning({ id: deliveries.id }),
		]);
		return rows.length;
	}

	async function withoutSpam(ids: readonly number[]): Promise<number[]> {
		const rows = await db
			.select({ id: deliveries.id, isSpam: submissions.isSpam })
			.from(deliveries)
			.leftJoin(submissions, eq(submissions.id, deliveries.submissionId))
			.where(inArray(deliveries.id, [...ids]));
		return rows.filter(({ isSpam }) => isSpam !== true).map(({ id }) => id);
	}

	async function refuseUnsendable(row: DeliveryRow): Promise<void> {
		if (row.state === 'captured') {
			throw new AppError('CONFLICT', 'The form is a test form: what it would send is shown, and never sent.');
		}
		const isSpam = row.submissionId !== null && storage.submissions.read(row.formId, row.submissionId)?.isSpam;
		if (isSpam) throw new AppError('CONFLICT', 'The submission is marked as spam. Mark it as not spam first.');
		const [webhook] = await db
			.select()
			.from(webhooks)
			.where(eq(webhooks.id, row.webhookId ?? -1));
		if (webhook?.isActive === false) throw new AppError('CONFLICT', 'The webhook is disabled. Set isActive first.');
	}

	/** What a request for many means: the rows, and the states in which they can be tried again. */
	async function meaning(
		{ ids, state = 'failed', form, channel }: RetryDeliveries,
		mode?: Mode,
	): Promise<{ matching: SQL | undefined; states: readonly DeliveryState[] }> {
		if (ids) {
			const isNamed = inArray(
				deliveries.id,
				ids.map((id) => decodeId(id) ?? -1),
			);
			return { matching: and(isNamed, inArray(deliveries.state, [...SENDABLE])), states: SENDABLE };
		}
		if (form !== undefined) await storage.findForm(form, mode);
		const isOfForm = form === undefined ? undefined : eq(deliveries.formId, decodeId(form) ?? -1);
		const matching = and(eq(deliveries.state, state), isOfForm, channel && eq(deliveries.channel, channel));
		return { matching, states: [state] };
	}

	return {
		/**
		 * Sends a delivery as soon as possible, whatever became of it before.
		 * @throws AppError NOT_FOUND; CONFLICT for what is not to be sent: of a test form, of spam, to a disabled webhook, or under way
		 */
		async retry(id: string, mode?: Mode): Promise<void> {
			const row = await findDelivery(storage, { id, mode });
			await refuseUnsendable(row);
			const made = await makeDue([row.id], SENDABLE);
			if (made === 0) throw new AppError('CONFLICT', 'The delivery is under way just now.');
			await onDue();
		},
		/** The same for many; what is not to be sent is left as it is. Answers how many are tried again. */
		async retryMany(request: RetryDeliveries, mode?: Mode): Promise<number> {
			const { matching, states } = await meaning(request, mode);
			let retried = 0;
			// One channel after the other: so the index gives them in order.
			for (const channel of CHANNELS) {
				let last = 0;
				for (;;) {
					const isNext = and(eq(deliveries.channel, channel), gt(deliveries.id, last));
					const rows = await db
						.select({ id: deliveries.id })
						.from(deliveries)
						.where(and(matching, isReachable(storage, mode), isNext))
						.orderBy(asc(deliveries.id))
						.limit(CHUNK);
					if (rows.length === 0) break;
					retried += await makeDue(await withoutSpam(rows.map(({ id }) => id)), states);
					last = rows.at(-1)?.id ?? last;
				}
			}
			if (retried > 0) await onDue();
			return retried;
		},
		/**
		 * Sends what was withheld of submissions that turned out not to be spam; of a test form, it becomes visible as
		 * captured, and to a disabled webhook, it fails visibly. Answers how many there were.
		 */
		async release(formId: number, submissionIds: readonly number[]): Promise<number> {
			const [form] = await db.select({ mode: forms.mode }).from(forms).where(eq(forms.id, formId));
			const isTest = form?.mode === 'test';
			const values = isTest
				? ({ state: 'captured', lastError: null } as const)
				: ({ state: 'waiting', nextAttemptAt: now(), lastError: null } as const);
			const stranded = { state: 'failed', finishedAt: now(), lastError: 'The webhook is disabled' } as const;
			let released = 0;
			for (let start = 0; start < submissionIds.length; start += CHUNK) {
				const isTheirs = inArray(deliveries.submissionId, submissionIds.slice(start, start + CHUNK));
				// By submission, and not by one of the indexes that hold all that the form ever withheld.
				const isMeant = and(isTheirs, sql`+${deliveries.formId} = ${formId}`, sql`+${deliveries.state} = 'withheld'`);
				const isReleased = isTest ? isMeant : and(isMeant, hasWayOut);
				const [rows] = await storage.batch((tx) => [
					tx.update(deliveries).set(values).where(isReleased).returning({ id: deliveries.id }),
					tx.update(deliveries).set(stranded).where(isMeant),
				]);
				released += rows.length;
			}
			if (released > 0 && !isTest) await onDue();
			return released;
		},
	};
}
