/** Webhooks as a channel of the outbox: who is to be told, what is posted, and one attempt to post it. */

import { and, eq } from 'drizzle-orm';
import { encodeId, idToIso } from '../ids.ts';
import type { Storage } from '../storage/storage.ts';
import { type DeliveryRow, forms, type WebhookRow, webhooks } from '../storage/tables.ts';
import type { GuardedPost, PostResult } from './guarded-request.ts';
import type { Outcome } from './outcome.ts';
import { healthAfter, signingSecrets, submissionCreated, webhookHeaders, webhookOutcome } from './webhook.ts';

export type WebhookChannel = ReturnType<typeof createWebhookChannel>;

export function createWebhookChannel(
	storage: Storage,
	{ post, now = Date.now }: { post: GuardedPost; now?: () => number },
) {
	/** Notes on the webhook's row how an attempt went, if that is news. */
	async function recordHealth(webhook: WebhookRow, result: PostResult, at: Date): Promise<void> {
		const health = healthAfter(webhook, result, at);
		if (health.failingSince === webhook.failingSince && health.isActive === webhook.isActive) return;
		const { isActive, disabledReason, failingSince } = health;
		await storage.batch((tx) => [
			tx.update(webhooks).set({ isActive, disabledReason, failingSince }).where(eq(webhooks.id, webhook.id)),
		]);
	}

	/** The body of a delivery's event; `undefined` if what it is about is gone. */
	async function compose(delivery: DeliveryRow): Promise<string | undefined> {
		const [form] = await storage.db.select().from(forms).where(eq(forms.id, delivery.formId));
		const submission = storage.submissions.read(delivery.formId, delivery.submissionId ?? -1);
		if (!form || !submission) return undefined;
		const { id, data, isRead, isStarred, isSpam } = submission;
		return submissionCreated(
			{ id: encodeId(form.id), name: form.name, slug: form.slug },
			{ id: encodeId(id), data, createdAt: idToIso(id), isRead, isStarred, isSpam },
		);
	}

	return {
		/** The active webhooks of a form that want an event. */
		async targets(formId: number, event: string): Promise<WebhookRow[]> {
			const isActive = and(eq(webhooks.formId, formId), eq(webhooks.isActive, true));
			const rows = await storage.db.select().from(webhooks).where(isActive);
			return rows.filter(({ events }) => events.includes(event));
		},
		compose,
		/** Makes one attempt. The webhook's identifier for the event is the same at every attempt. */
		async send(delivery: DeliveryRow, { signal }: { signal?: AbortSignal } = {}): Promise<Outcome> {
			const [webhook] = await storage.db
				.select()
				.from(webhooks)
				.where(eq(webhooks.id, delivery.webhookId ?? -1));
			if (!webhook) return { kind: 'refused', error: 'The webhook was removed.' };
			if (!webhook.isActive) return { kind: 'refused', error: 'The webhook is disabled.' };
			const body = await compose(delivery);
			if (body === undefined) return { kind: 'refused', error: 'The submission was removed.' };
			const sentAt = new Date(now());
			const headers = webhookHeaders(signingSecrets(webhook, sentAt), {
				id: `msg_${encodeId(delivery.id)}`,
				sentAt,
				body,
			});
			const result = await post(webhook.url, { headers, body, signal });
			const answeredAt = new Date(now());
			await recordHealth(webhook, result, answeredAt);
			return webhookOutcome(result, answeredAt);
		},
	};
}
