/** Which of the due mails go singly now: as many as their form may send this hour; the others go into its digests. */

import { and, gt, isNotNull } from 'drizzle-orm';
import type { Storage } from '../storage/storage.ts';
import { type DeliveryRow, deliveries } from '../storage/tables.ts';
import type { Selection } from './destination-worker.ts';
import type { Digests } from './digests.ts';
import type { MailCap } from './mail-cap.ts';
import { SUBMISSION_CREATED } from './outbox.ts';
import type { DueDelivery, Queue } from './queue.ts';

const HOUR_MS = 3_600_000;

export function createMailSelection({
	queue,
	digests,
	ceiling,
	now,
}: {
	queue: Pick<Queue, 'postpone'>;
	digests: Digests;
	ceiling: MailCap;
	now: () => number;
}): Selection {
	/** Puts away what is above the ceiling: submissions go into a digest, everything else waits for its turn. */
	async function putAway(formId: number, mails: DueDelivery[]): Promise<void> {
		const until = ceiling.freeAt(formId, now());
		const isGathered = ({ event }: DueDelivery) => event === SUBMISSION_CREATED;
		const waiting = mails.filter((mail) => !isGathered(mail));
		if (waiting.length > 0) {
			await queue.postpone(
				waiting.map(({ id }) => id),
				until,
			);
		}
		await digests.gather(formId, { mails: mails.filter(isGathered), dueAt: until });
	}

	return {
		async choose(due, underWay) {
			const chosen: DueDelivery[] = [];
			let away = 0;
			for (const [formId, mails] of Map.groupBy(due, (mail) => mail.formId)) {
				const busy = underWay.filter((row) => row.formId === formId).length;
				const left = Math.max(0, ceiling.left(formId, now()) - busy);
				chosen.push(...mails.slice(0, left));
				// What is under way may yet fail, and then leaves its place to another.
				if (mails.length <= left || busy > 0) continue;
				await putAway(formId, mails.slice(left));
				away += mails.length - left;
			}
			const place = new Map(due.map(({ id }, index) => [id, index]));
			chosen.sort((a, b) => (place.get(a.id) ?? 0) - (place.get(b.id) ?? 0));
			return { chosen, putAway: away };
		},
		sent: (row, at) => ceiling.count(row.formId, at),
	};
}

/** The mails of the last hour, which count after a restart too. */
export async function readSentMails(
	storage: Storage,
	now: number,
): Promise<(Pick<DeliveryRow, 'formId'> & { finishedAt: number })[]> {
	// By the index on what is kept of sent deliveries, and by nothing else: the hour is short, the past is long.
	const isRecent = and(isNotNull(deliveries.content), gt(deliveries.finishedAt, now - HOUR_MS));
	const { formId, finishedAt, channel, state } = deliveries;
	const rows = await storage.db.select({ formId, finishedAt, channel, state }).from(deliveries).where(isRecent);
	return rows
		.filter((row) => row.channel === 'mail' && row.state === 'sent')
		.map((row) => ({ formId: row.formId, finishedAt: row.finishedAt ?? 0 }));
}
