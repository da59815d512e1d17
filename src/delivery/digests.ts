/** Gathers what a form may not mail singly any more into one digest an hour. */

import { and, eq, gt, inArray, isNull } from 'drizzle-orm';
import type { Storage } from '../storage/storage.ts';
import { deliveries } from '../storage/tables.ts';
import { SUBMISSIONS_DIGEST } from './mail-channel.ts';
import type { DueDelivery } from './queue.ts';

export type Digests = ReturnType<typeof createDigests>;

export function createDigests(storage: Storage) {
	/** The latest known by form, so that a flood does not search all that waits for every few mails. */
	const latestDigests = new Map<number, number>();

	/** Once a digest was tried it may have arrived, and nothing is added to it. */
	const isUntried = and(
		eq(deliveries.event, SUBMISSIONS_DIGEST),
		eq(deliveries.attempts, 0),
		gt(deliveries.nextAttemptAt, 0),
	);

	async function isStillOpen(id: number): Promise<boolean> {
		const isIt = and(eq(deliveries.id, id), isUntried);
		return (await storage.db.select({ id: deliveries.id }).from(deliveries).where(isIt)).length > 0;
	}

	/** The form's digest that was not tried yet. */
	async function openDigest(formId: number): Promise<number | undefined> {
		const latest = latestDigests.get(formId);
		if (latest !== undefined && (await isStillOpen(latest))) return latest;
		const isMail = and(eq(deliveries.channel, 'mail'), isNull(deliveries.webhookId));
		const isOpen = and(isMail, isUntried, eq(deliveries.formId, formId), isNull(deliveries.digestId));
		const [found] = await storage.db.select({ id: deliveries.id }).from(deliveries).where(isOpen);
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
			latestDigests.set(formId, digestId);
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
