/** Gathers what a form may not mail singly any more into one digest an hour. */

import { and, eq, gt, inArray, isNull } from 'drizzle-orm';
import type { Storage } from '../storage/storage.ts';
import { deliveries } from '../storage/tables.ts';
import { SUBMISSIONS_DIGEST } from './mail-channel.ts';
import type { DueDelivery } from './queue.ts';

export type Digests = ReturnType<typeof createDigests>;

export function createDigests(storage: Storage) {
	/** The form's digest that was not tried yet: once it may have arrived, nothing is added to it. */
	async function openDigest(formId: number): Promise<number | undefined> {
		const isWaitingMail = and(
			eq(deliveries.channel, 'mail'),
			isNull(deliveries.webhookId),
			gt(deliveries.nextAttemptAt, 0),
		);
		const isOpen = and(
			eq(deliveries.formId, formId),
			eq(deliveries.event, SUBMISSIONS_DIGEST),
			eq(deliveries.attempts, 0),
			isNull(deliveries.digestId),
		);
		const [found] = await storage.db.select({ id: deliveries.id }).from(deliveries).where(and(isWaitingMail, isOpen));
		return found?.id;
	}

	return {
		/**
		 * Puts waiting mails of one form into its digest, making it if need be.
		 * @param dueAt when a new digest may go, in milliseconds since 1970
		 */
		async gather(mails: readonly DueDelivery[], dueAt: number): Promise<void> {
			const latest = mails.at(-1);
			if (!latest) return;
			const { formId, destination } = latest;
			const known = await openDigest(formId);
			const digestId = known ?? storage.nextId();
			const ids = mails.map(({ id }) => id);
			const digest = { id: digestId, formId, channel: 'mail', event: SUBMISSIONS_DIGEST, destination } as const;
			await storage.batch((tx) => [
				...(known === undefined
					? [tx.insert(deliveries).values({ ...digest, state: 'waiting', nextAttemptAt: dueAt })]
					: []),
				tx
					.update(deliveries)
					.set({ state: 'gathered', digestId, nextAttemptAt: null })
					.where(and(inArray(deliveries.id, ids), gt(deliveries.nextAttemptAt, 0))),
			]);
		},
	};
}
