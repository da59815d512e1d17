/** Batches the mails above a form's hourly cap into one digest an hour for each destination. */

import { and, eq, gt, inArray, isNull } from 'drizzle-orm';
import { encodeId } from '../../ids.ts';
import type { Log } from '../../log/log.ts';
import type { Storage } from '../../storage/contract.ts';
import { deliveries } from '../../storage/tables.ts';
import { SUBMISSIONS_DIGEST } from '../events.ts';
import type { DueDelivery } from '../worker/queue.ts';

/** The recipient of a digest: the addresses that the form had when its submissions came in. */
type Recipient = Pick<DueDelivery, 'formId' | 'destination'>;

export function createDigests(storage: Storage, log: Pick<Log, 'info'>) {
	/** The latest id of each recipient's digest: in a flood, it saves a search of all waiting rows. */
	const latestDigests = new Map<string, number>();

	/** A digest that was tried may have arrived, so nothing is added to it. */
	const untried = and(
		eq(deliveries.event, SUBMISSIONS_DIGEST),
		eq(deliveries.attempts, 0),
		gt(deliveries.nextAttemptAt, 0),
	);

	async function isStillOpen(id: number): Promise<boolean> {
		const byId = and(eq(deliveries.id, id), untried);
		return (await storage.db.select({ id: deliveries.id }).from(deliveries).where(byId)).length > 0;
	}

	/** The recipient's digest that was not tried yet. */
	async function openDigest(recipient: Recipient): Promise<number | undefined> {
		const latest = latestDigests.get(recipientKey(recipient));
		if (latest !== undefined && (await isStillOpen(latest))) return latest;
		const mail = and(eq(deliveries.channel, 'mail'), isNull(deliveries.webhookId));
		const byRecipient = and(eq(deliveries.formId, recipient.formId), eq(deliveries.destination, recipient.destination));
		const open = and(mail, untried, byRecipient, isNull(deliveries.digestId));
		const [found] = await storage.db.select({ id: deliveries.id }).from(deliveries).where(open);
		return found?.id;
	}

	async function addTo(recipient: Recipient, { mails, dueAt }: { mails: readonly DueDelivery[]; dueAt: number }) {
		const known = await openDigest(recipient);
		const digestId = known ?? storage.nextId();
		latestDigests.set(recipientKey(recipient), digestId);
		const ids = mails.map(({ id }) => id);
		const digest = { ...recipient, id: digestId, channel: 'mail', event: SUBMISSIONS_DIGEST } as const;
		await storage.batch((tx) => [
			...(known === undefined
				? [tx.insert(deliveries).values({ ...digest, state: 'waiting', nextAttemptAt: dueAt })]
				: []),
			tx
				.update(deliveries)
				.set({ state: 'gathered', digestId, nextAttemptAt: null })
				.where(and(inArray(deliveries.id, ids), gt(deliveries.nextAttemptAt, 0))),
		]);
		if (known !== undefined) return;
		log.info('A form reached its hourly mail cap; further submissions go into one digest.', {
			form: encodeId(recipient.formId),
		});
		storage.events.publish({ type: 'delivery', formId: recipient.formId, deliveryId: digestId, state: 'waiting' });
	}

	return {
		/**
		 * Moves waiting mails into the digests of their forms, one for each destination; creates missing ones.
		 * @param dueAt when a new digest may go, in milliseconds since 1970
		 */
		async add(mails: readonly DueDelivery[], dueAt: number): Promise<void> {
			for (const theirs of Map.groupBy(mails, recipientKey).values()) {
				const [{ formId, destination }] = theirs as [DueDelivery, ...DueDelivery[]];
				await addTo({ formId, destination }, { mails: theirs, dueAt });
			}
		},
	};
}

export function recipientKey({ formId, destination }: Recipient): string {
	return `${formId} ${destination}`;
}
