/** Selects the due mails within the hourly caps of their form and recipient; the others are batched into digests. */

import { and, gt, isNotNull } from 'drizzle-orm';
import type { Log } from '../../log/log.ts';
import type { Storage } from '../../storage/contract.ts';
import { deliveries } from '../../storage/tables.ts';
import { HOUR_MS } from '../../tasks/durations.ts';
import { SUBMISSION_CREATED } from '../events.ts';
import type { DueSelection } from '../worker/destination-worker.ts';
import type { DueDelivery, Queue } from '../worker/queue.ts';
import { createDigests, recipientKey } from './digests.ts';

export function createMailSelection(
	storage: Storage,
	queue: Pick<Queue, 'postpone'>,
	{ perHour, log, now }: { perHour: number; log: Log; now: () => number },
): DueSelection {
	/** By form. */
	const sent = createMailCap<number>(perHour);
	/** By recipient: else every mail for a full mailbox would be tried again and again, since none of them is sent. */
	const putOff = createMailCap<string>(perHour);
	const digests = createDigests(storage, log);
	let knowsSentMails = false;

	/** The mails of the last hour count after a restart too. */
	async function countSentMails(): Promise<void> {
		if (knowsSentMails) return;
		// Only these conditions, so that the index on stored content is used: the hour is short, the history long.
		const recent = and(isNotNull(deliveries.content), gt(deliveries.finishedAt, now() - HOUR_MS));
		const { formId, finishedAt, channel, state } = deliveries;
		const rows = await storage.db.select({ formId, finishedAt, channel, state }).from(deliveries).where(recent);
		const mails = rows.filter((row) => row.channel === 'mail' && row.state === 'sent');
		for (const row of mails) sent.count(row.formId, row.finishedAt ?? 0);
		knowsSentMails = true;
	}

	/** Defers mails of one form: submissions are batched into a digest, all others wait. */
	async function defer(mails: readonly DueDelivery[], until: number): Promise<void> {
		const isBatched = ({ event }: DueDelivery) => event === SUBMISSION_CREATED;
		const waitingIds = mails.filter((mail) => !isBatched(mail)).map(({ id }) => id);
		if (waitingIds.length > 0) await queue.postpone(waitingIds, until);
		await digests.add(mails.filter(isBatched), until);
	}

	/** Those within the caps; defers the others. */
	async function within<Key>(
		{ cap, keyOf }: { cap: MailCap<Key>; keyOf: (mail: DueDelivery) => Key },
		{ due, inFlight }: { due: readonly DueDelivery[]; inFlight: readonly DueDelivery[] },
	): Promise<{ chosen: DueDelivery[]; deferred: number }> {
		const chosen: DueDelivery[] = [];
		let deferred = 0;
		for (const [key, mails] of Map.groupBy(due, keyOf)) {
			const busy = inFlight.filter((row) => keyOf(row) === key).length;
			const left = Math.max(0, cap.left(key, now()) - busy);
			chosen.push(...mails.slice(0, left));
			// An attempt in flight may fail, which frees its place for another mail.
			if (mails.length <= left || busy > 0) continue;
			await defer(mails.slice(left), cap.freeAt(key, now()));
			deferred += mails.length - left;
		}
		return { chosen, deferred };
	}

	return {
		async choose(due, inFlight) {
			if (due.length === 0) return { chosen: [], deferred: 0 };
			await countSentMails();
			const tried = await within({ cap: putOff, keyOf: recipientKey }, { due, inFlight });
			const byForm = { cap: sent, keyOf: ({ formId }: DueDelivery) => formId };
			const { chosen, deferred } = await within(byForm, { due: tried.chosen, inFlight });
			const place = new Map(due.map(({ id }, index) => [id, index]));
			chosen.sort((a, b) => (place.get(a.id) ?? 0) - (place.get(b.id) ?? 0));
			return { chosen, deferred: tried.deferred + deferred };
		},
		count(row, { outcome, at }) {
			if (outcome.kind === 'sent') sent.count(row.formId, at);
			if (outcome.kind === 'retry' && outcome.isRecipient) putOff.count(recipientKey(row), at);
		},
		forgive: putOff.forget,
	};
}

type MailCap<Key> = ReturnType<typeof createMailCap<Key>>;

/** An hourly cap for each key: a flood of submissions must not become a flood of mail. */
function createMailCap<Key>(perHour: number) {
	const countedAt = new Map<Key, number[]>();

	/** The times of the last hour. A time in the future comes from a clock that was set back, and would count too long. */
	function recent(key: Key, now: number): number[] {
		const times = (countedAt.get(key) ?? []).filter((time) => time > now - HOUR_MS && time <= now);
		if (times.length > 0) countedAt.set(key, times);
		else countedAt.delete(key);
		return times;
	}

	return {
		count(key: Key, at: number): void {
			const times = countedAt.get(key);
			if (times) times.push(at);
			else countedAt.set(key, [at]);
		},
		forget: (): void => countedAt.clear(),
		/** How many more may go now. */
		left: (key: Key, now: number): number => Math.max(0, perHour - recent(key, now).length),
		/** When the next one may go, in milliseconds since 1970. */
		freeAt(key: Key, now: number): number {
			const blocking = recent(key, now).at(-perHour);
			return blocking === undefined ? now : blocking + HOUR_MS;
		},
	};
}
