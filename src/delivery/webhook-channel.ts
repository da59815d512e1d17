/** Webhooks as a channel of the outbox: what is posted, one attempt to post it, and what that says of the webhook. */

import { and, eq, inArray, type SQL } from 'drizzle-orm';
import type { ByteBudget } from '../byte-budget.ts';
import { encodeId } from '../ids.ts';
import type { Db, Storage } from '../storage/storage.ts';
import { type DeliveryRow, deliveries, forms, type WebhookRow, webhooks } from '../storage/tables.ts';
import { WEBHOOK_SCHEDULE } from './backoff.ts';
import type { Attempt, Channel } from './channel.ts';
import type { GuardedPost, PostResult } from './guarded-request.ts';
import type { Outcome } from './outcome.ts';
import { createSharedTexts, type SharedText } from './shared-texts.ts';
import { healthAfter, signingSecrets, webhookHeaders, webhookOutcome } from './webhook.ts';
import { type Event, eventBody, eventKept, eventShown } from './webhook-event.ts';

const CONCURRENCY = 2;
const REMOVED = 'The submission was removed.';

export interface WebhookChannelOptions {
	post: GuardedPost;
	/** For what is held of submissions. */
	budget: Pick<ByteBudget, 'take'>;
	now?: () => number;
}

export function createWebhookChannel(
	storage: Storage,
	{ post, budget, now = Date.now }: WebhookChannelOptions,
): Channel {
	const texts = createSharedTexts(storage, budget);

	/**
	 * What an attempt came to, noted on the webhook's row if that is news. A webhook that is given up takes what waits
	 * along. What an address answered says nothing of the one that the webhook was given meanwhile.
	 */
	async function judge(webhook: WebhookRow, { result, at }: { result: PostResult; at: Date }): Promise<Outcome> {
		const isClockSettled = storage.clock.isSettled();
		const { isActive, disabledReason, failingSince } = healthAfter(webhook, result, { now: at, isClockSettled });
		const isAsked = and(eq(webhooks.id, webhook.id), eq(webhooks.url, webhook.url));
		if (isActive) {
			if (failingSince !== webhook.failingSince) {
				await storage.batch((tx) => [tx.update(webhooks).set({ failingSince }).where(isAsked)]);
			}
			return webhookOutcome(result, at);
		}
		const error = `The webhook was disabled. ${disabledReason}`;
		const [disabled] = await storage.batch((tx) => [
			tx.update(webhooks).set({ isActive, disabledReason, failingSince }).where(isAsked).returning({ id: webhooks.id }),
			failWaiting(tx, { isAsked, error, at }),
		]);
		if (disabled.length > 0) return { kind: 'refused', error };
		return { kind: 'retry', error: `The webhook was given another URL meanwhile. ${disabledReason}` };
	}

	/** What a delivery is about; `undefined` if that is gone. */
	async function readEvent({ formId, submissionId }: DeliveryRow): Promise<Event | undefined> {
		const [form] = await storage.db.select().from(forms).where(eq(forms.id, formId));
		const submission = storage.submissions.head(formId, submissionId ?? -1);
		if (!form || form.deletedAt !== null || !submission) return undefined;
		return { form, submission, createdAt: storage.clock.timeline().isoOf(submission.id) };
	}

	/** With the text at hand, so that nothing is decided before a wait for memory. */
	async function sendWith(text: SharedText, delivery: DeliveryRow, signal: AbortSignal): Promise<Attempt> {
		const [webhook] = await storage.db
			.select()
			.from(webhooks)
			.where(eq(webhooks.id, delivery.webhookId ?? -1));
		if (!webhook) return refused('The webhook was removed.');
		if (!webhook.isActive) return { outcome: { kind: 'ill', error: 'The webhook is disabled.' } };
		const event = await readEvent(delivery);
		if (!event || !text.bytes) return refused(REMOVED);
		if (event.submission.isSpam) {
			return { outcome: { kind: 'withheld', error: 'The submission is marked as spam.' } };
		}
		const sentAt = new Date(now());
		const body = eventBody(event, text);
		const id = `msg_${encodeId(delivery.id)}`;
		const headers = await webhookHeaders(signingSecrets(webhook, sentAt), { id, sentAt, body });
		const result = await post(webhook.url, { headers, body, signal });
		return { outcome: await judge(webhook, { result, at: new Date(now()) }), kept: eventKept(event) };
	}

	return {
		schedule: WEBHOOK_SCHEDULE,
		concurrency: CONCURRENCY,
		/** The webhook's identifier for the event is the same at every attempt. */
		async send(delivery, { signal }) {
			const submission = storage.submissions.head(delivery.formId, delivery.submissionId ?? -1);
			if (!submission) return refused(REMOVED);
			const text = await texts.use(submission, signal);
			try {
				return await sendWith(text, delivery, signal);
			} finally {
				text.release();
			}
		},
		async compose(row) {
			const event = await readEvent(row);
			return event && eventShown(eventKept(event), { row, storage, budget });
		},
		recall: (row, kept) => eventShown(kept, { row, storage, budget }),
	};
}

function refused(error: string): Attempt {
	return { outcome: { kind: 'refused', error } };
}

function failWaiting(tx: Db, { isAsked, error, at }: { isAsked: SQL | undefined; error: string; at: Date }) {
	const failed = { state: 'failed', nextAttemptAt: null, finishedAt: at.getTime(), lastError: error } as const;
	const asked = tx.select({ id: webhooks.id }).from(webhooks).where(isAsked);
	const isWaiting = and(inArray(deliveries.webhookId, asked), eq(deliveries.state, 'waiting'));
	return tx.update(deliveries).set(failed).where(isWaiting);
}
