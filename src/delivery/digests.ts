/** Gathers what a form may not mail singly any more into one digest an hour for each address. */

import { and, eq, gt, inArray, isNull } from 'drizzle-orm';
import { encodeId } from '../ids.ts';
import type { Log } from '../log.ts';
import type { Storage } from '../storage/storage.ts';
import { deliveries } from '../storage/tables.ts';
import { SUBMISSIONS_DIGEST } from './mail-channel.ts';
import type { DueDelivery } from './queue.ts';

export type Digests = ReturnType<typeof createDigests>;

/** Whom a digest is for: the addresses that the form had when its submissions came in. */
type Reader = Pick<DueDelivery, 'formId' | 'destination'>;

export function createDigests(storage: Storage, log: Pick<Log, 'info'>) {
	/** The latest known by form and destination, so that a flood does not search all that waits for every few mails. */
	const latestDigests = new Map<string, number>();

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

	/** The digest for them that was not tried yet. */
	async function openDigest(reader: Reader): Promise<number | undefined> {
		const latest = latestDigests.get(keyOf(reader));
		if (latest !== undefined && (await isStillOpen(latest))) return latest;
		const isMail = and(eq(deliveries.channel, 'mail'), isNull(deliveries.webhookId));
		const isTheirs = and(eq(deliveries.formId, reader.formId), eq(deliveries.destination, reader.destination));
		const isOpen = and(isMail, isUntried, isTheirs, isNull(deliveries.digestId));
		const [found] = await storage.db.select({ id: deliveries.id }).from(deliveries).where(isOpen);
		return found?.id;
	}

	async function gatherFor(reader: Reader, { mails, dueAt }: { mails: readonly DueDelivery[]; dueAt: number }) {
		const known = await openDigest(reader);
		const digestId = known ?? storage.nextId();
		latestDigests.set(keyOf(reader), digestId);
		const ids = mails.map(({ id }) => id);
		const digest = { ...reader, id: digestId, channel: 'mail', event: SUBMISSIONS_DIGEST } as const;
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
		log.info('A form has sent as many mails as it may in an hour; what comes now goes in one.', {
			form: encodeId(reader.formId),
		});
		storage.events.publish({ type: 'delivery', formId: reader.formId, deliveryId: digestId, state: 'waiting' });
	}

	return {
		/**
		 * Puts waiting mails of one form into its digests, one for each destination, making them if need be.
		 * @param dueAt when a new digest may go, in milliseconds since 1970
		 */
		async gather(formId: number, { mails, dueAt }: { mails: readonly DueDelivery[]; dueAt: number }): Promise<void> {
			for (const [destination, theirs] of Map.groupBy(mails, (mail) => mail.destination)) {
				await gatherFor({ formId, destination }, { mails: theirs, dueAt });
			}
		},
	};
}

function keyOf({ formId, destination }: Reader): string {
	return `${formId} ${destination}`;
}
