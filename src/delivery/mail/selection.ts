/** Selects the due mails within their form's hourly cap; the others are batched into its digests. */

import { and, gt, isNotNull } from 'drizzle-orm';
import type { Log } from '../../log/log.ts';
import type { Storage } from '../../storage/contract.ts';
import { deliveries } from '../../storage/tables.ts';
import { HOUR_MS } from '../../tasks/durations.ts';
import { SUBMISSION_CREATED } from '../events.ts';
import type { DueSelection } from '../worker/destination-worker.ts';
import type { DueDelivery, Queue } from '../worker/queue.ts';
import { createDigests } from './digests.ts';

export function createMailSelection(
	storage: Storage,
	queue: Pick<Queue, 'postpone'>,
	{ perHour, log, now }: { perHour: number; log: Log; now: () => number },
): DueSelection {
	const cap = createMailCap(perHour);
	const digests = createDigests(storage, log);
	let knowsSentMails = false;

	/** The mails of the last hour count after a restart too. */
	async function countSentMails(): Promise<void> {
		if (knowsSentMails) return;
		// Only these conditions, so that the index on stored content is used: the hour is short, the history long.
		const recent = and(isNotNull(deliveries.content), gt(deliveries.finishedAt, now() - HOUR_MS));
		const { formId, finishedAt, channel, state } = deliveries;
		const rows = await storage.db.select({ formId, finishedAt, channel, state }).from(deliveries).where(recent);
		const sent = rows.filter((row) => row.channel === 'mail' && row.state === 'sent');
		for (const row of sent) cap.count(row.formId, row.finishedAt ?? 0);
		knowsSentMails = true;
	}

	/** Defers the mails above the cap: submissions are batched into a digest, all others wait. */
	async function defer(formId: number, mails: DueDelivery[]): Promise<void> {
		const until = cap.freeAt(formId, now());
		const isBatched = ({ event }: DueDelivery) => event === SUBMISSION_CREATED;
		const waitingIds = mails.filter((mail) => !isBatched(mail)).map(({ id }) => id);
		if (waitingIds.length > 0) await queue.postpone(waitingIds, until);
		await digests.add(formId, { mails: mails.filter(isBatched), dueAt: until });
	}

	return {
		async choose(due, inFlight) {
			if (due.length === 0) return { chosen: [], deferred: 0 };
			await countSentMails();
			const chosen: DueDelivery[] = [];
			let deferred = 0;
			for (const [formId, mails] of Map.groupBy(due, (mail) => mail.formId)) {
				const busy = inFlight.filter((row) => row.formId === formId).length;
				const left = Math.max(0, cap.left(formId, now()) - busy);
				chosen.push(...mails.slice(0, left));
				// An attempt in flight may fail, which frees its place for another mail.
				if (mails.length <= left || busy > 0) continue;
				await defer(formId, mails.slice(left));
				deferred += mails.length - left;
			}
			const place = new Map(due.map(({ id }, index) => [id, index]));
			chosen.sort((a, b) => (place.get(a.id) ?? 0) - (place.get(b.id) ?? 0));
			return { chosen, deferred };
		},
		countSent: (row, at) => cap.count(row.formId, at),
	};
}

/** The hourly mail cap of each form: a flood of submissions must not become a flood of mail. */
function createMailCap(perHour: number) {
	const sentAt = new Map<number, number[]>();

	/** The times of the last hour. A time in the future comes from a clock that was set back, and would count too long. */
	function recent(formId: number, now: number): number[] {
		const times = (sentAt.get(formId) ?? []).filter((time) => time > now - HOUR_MS && time <= now);
		if (times.length > 0) sentAt.set(formId, times);
		else sentAt.delete(formId);
		return times;
	}

	return {
		count(formId: number, at: number): void {
			const times = sentAt.get(formId);
			if (times) times.push(at);
			else sentAt.set(formId, [at]);
		},
		/** How many more may go now. */
		left: (formId: number, now: number): number => Math.max(0, perHour - recent(formId, now).length),
		/** When the next one may go, in milliseconds since 1970. */
		freeAt(formId: number, now: number): number {
			const blocking = recent(formId, now).at(-perHour);
			return blocking === undefined ? now : blocking + HOUR_MS;
		},
	};
}
