/** Webhooks as a channel of the outbox: what is posted, one attempt to post it, and what that says of the webhook. */

import { and, eq, inArray, type SQL } from 'drizzle-orm';
import { encodeId, idToIso } from '../ids.ts';
import type { Db, Storage } from '../storage/storage.ts';
import type { StoredSubmission } from '../storage/submission-log.ts';
import { type DeliveryRow, deliveries, type FormRow, forms, type WebhookRow, webhooks } from '../storage/tables.ts';
import { WEBHOOK_SCHEDULE } from './backoff.ts';
import type { Channel } from './channel.ts';
import type { GuardedPost, PostResult } from './guarded-request.ts';
import type { Outcome } from './outcome.ts';
import { healthAfter, signingSecrets, submissionCreated, webhookHeaders, webhookOutcome } from './webhook.ts';

const CONCURRENCY = 2;

interface Event {
	form: FormRow;
	submission: StoredSubmission;
}

export function createWebhookChannel(
	storage: Storage,
	{ post, now = Date.now }: { post: GuardedPost; now?: () => number },
): Channel {
	/**
	 * What an attempt came to, noted on the webhook's row if that is news. A webhook that is given up takes what waits
	 * along. What an address answered says nothing of the one that the webhook was given meanwhile.
	 */
	async function judge(webhook: WebhookRow, { result, at }: { result: PostResult; at: Date }): Promise<Outcome> {
		const { isActive, disabledReason, failingSince } = healthAfter(webhook, result, at);
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
		const submission = storage.submissions.read(formId, submissionId ?? -1);
		return form && form.deletedAt === null && submission ? { form, submission } : undefined;
	}

	async function attempt(
		webhook: WebhookRow,
		{ delivery, event, signal }: { delivery: DeliveryRow; event: Event; signal: AbortSignal },
	): Promise<Outcome> {
		const sentAt = new Date(now());
		const body = Buffer.from(bodyOf(event));
		const id = `msg_${encodeId(delivery.id)}`;
		const headers = webhookHeaders(signingSecrets(webhook, sentAt), { id, sentAt, body });
		const result = await post(webhook.url, { headers, body, signal });
		return judge(webhook, { result, at: new Date(now()) });
	}

	return {
		schedule: WEBHOOK_SCHEDULE,
		concurrency: CONCURRENCY,
		/** The webhook's identifier for the event is the same at every attempt. */
		async send(delivery, { signal }) {
			const [webhook] = await storage.db
				.select()
				.from(webhooks)
				.where(eq(webhooks.id, delivery.webhookId ?? -1));
			if (!webhook) return { kind: 'refused', error: 'The webhook was removed.' };
			if (!webhook.isActive) return { kind: 'ill', error: 'The webhook is disabled.' };
			const event = await readEvent(delivery);
			if (!event) return { kind: 'refused', error: 'The submission was removed.' };
			if (event.submission.isSpam) return { kind: 'withheld', error: 'The submission is marked as spam.' };
			return attempt(webhook, { delivery, event, signal });
		},
		async compose(delivery) {
			const event = await readEvent(delivery);
			return event && bodyOf(event);
		},
	};
}

function bodyOf({ form, submission }: Event): string {
	const { id, data, isRead, isStarred, isSpam } = submission;
	return submissionCreated(
		{ id: encodeId(form.id), name: form.name, slug: form.slug },
		{ id: encodeId(id), data, createdAt: idToIso(id), isRead, isStarred, isSpam },
	);
}

function failWaiting(tx: Db, { isAsked, error, at }: { isAsked: SQL | undefined; error: string; at: Date }) {
	const failed = { state: 'failed', nextAttemptAt: null, finishedAt: at.getTime(), lastError: error } as const;
	const asked = tx.select({ id: webhooks.id }).from(webhooks).where(isAsked);
	const isWaiting = and(inArray(deliveries.webhookId, asked), eq(deliveries.state, 'waiting'));
	return tx.update(deliveries).set(failed).where(isWaiting);
}
