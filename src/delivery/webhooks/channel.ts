/** The webhook channel of the outbox: posts one event, and records the webhook's health. */

import { and, eq, inArray, type SQL } from 'drizzle-orm';
import { mayBeLinked } from '../../files/file-access.ts';
import type { FileLinks } from '../../files/links.ts';
import { encodeId } from '../../ids.ts';
import type { GuardedPost, PostResult } from '../../network/guarded-request.ts';
import type { Db, Storage } from '../../storage/contract.ts';
import { createDamageCheck } from '../../storage/damage-check.ts';
import type { StoredFile } from '../../storage/submission.ts';
import { type DeliveryRow, deliveries, forms, type WebhookRow, webhooks } from '../../storage/tables.ts';
import type { ByteBudget } from '../../tasks/byte-budget.ts';
import { DAY_MS } from '../../tasks/durations.ts';
import { parseExact } from '../../text/exact-json.ts';
import type { Attempt, Messages } from '../channel.ts';
import { SUBMISSION_SPAM } from '../events.ts';
import type { Outcome } from '../worker/outcome.ts';
import { type Event, eventBody, eventKept, eventShown, type FileUrls } from './event.ts';
import type { Posting } from './message.ts';
import { createMessageRequests, messageId, postingOf, type ReadyRequest } from './message-requests.ts';
import { createSharedTexts, type SharedText } from './shared-texts.ts';
import { healthAfter, signingSecrets, webhookHeaders, webhookOutcome } from './webhook.ts';

/** Validity of links to files: a receiver fetches them when it gets the event. */
const LINK_SECONDS = DAY_MS / 1000;
const REMOVED = 'The submission was removed.';

export interface WebhookChannelOptions {
	post: GuardedPost;
	/** Memory for the content of submissions. */
	budget: Pick<ByteBudget, 'take'>;
	links: Pick<FileLinks, 'create'>;
	/** Public address of the base listener, without a slash at the end. */
	baseUrl: () => string;
	now: () => number;
}

export function createWebhookChannel(
	storage: Storage,
	{ post, budget, links, baseUrl, now }: WebhookChannelOptions,
): Messages {
	const texts = createSharedTexts(storage, budget);
	const damage = createDamageCheck(storage);
	const messages = createMessageRequests(storage, { budget, baseUrl });

	/**
	 * The outcome of an attempt; records the webhook's health if it changed. Disabling a webhook also fails its waiting
	 * deliveries. Nothing is recorded if the URL changed during the attempt.
	 */
	async function recordResult(webhook: WebhookRow, { result, at }: { result: PostResult; at: Date }): Promise<Outcome> {
		const isClockSettled = storage.clock.isSettled();
		const { isActive, disabledReason, failingSince } = healthAfter(webhook, result, { now: at, isClockSettled });
		const sameTarget = and(eq(webhooks.id, webhook.id), eq(webhooks.url, webhook.url));
		if (isActive) {
			if (failingSince !== webhook.failingSince) {
				await storage.batch((tx) => [tx.update(webhooks).set({ failingSince }).where(sameTarget)]);
			}
			return webhookOutcome(result, at);
		}
		const error = `The webhook was disabled. ${disabledReason}`;
		const [disabled] = await storage.batch((tx) => [
			tx
				.update(webhooks)
				.set({ isActive, disabledReason, failingSince })
				.where(sameTarget)
				.returning({ id: webhooks.id }),
			failWaiting(tx, { sameTarget, error, at }),
		]);
		if (disabled.length > 0) return { kind: 'rejected', error };
		return { kind: 'retry', error: `The webhook was given another URL meanwhile. ${disabledReason}` };
	}

	/** The event of a delivery; `undefined` if its form or submission was removed. */
	async function readEvent({ event: type, formId, submissionId }: DeliveryRow): Promise<Event | undefined> {
		const [form] = await storage.db.select().from(forms).where(eq(forms.id, formId));
		const [submission] = await storage.submissions.entries(formId, [submissionId ?? -1]);
		if (!form || form.deletedAt !== null || !submission) return undefined;
		const files = (await storage.submissions.files([submission.id])).get(submission.id);
		return { type, form, submission: { ...submission, files }, timeline: storage.clock.timeline() };
	}

	/** They end when the webhook is removed or disabled. */
	async function linkFiles({ id }: WebhookRow, files: readonly StoredFile[] = []): Promise<FileUrls> {
		const urls = new Map<number, string>();
		const holder = { kind: 'webhook', id: encodeId(id) } as const;
		for (const file of files) {
			if (!mayBeLinked(file)) continue;
			const { path } = await links.create(file.id, { holder, seconds: LINK_SECONDS });
			urls.set(file.id, baseUrl() + path);
		}
		return urls;
	}

	/** Reads all state only now that the text is in memory, because the wait for it may be long. */
	async function sendWith(text: SharedText, delivery: DeliveryRow, signal: AbortSignal): Promise<Attempt> {
		const [webhook] = await storage.db
			.select()
			.from(webhooks)
			.where(eq(webhooks.id, delivery.webhookId ?? -1));
		if (!webhook) return rejected('The webhook was removed.');
		if (!webhook.isActive) return { outcome: { kind: 'unavailable', error: 'The webhook is disabled.' } };
		const event = await readEvent(delivery);
		if (!event || !text.bytes) return rejected(REMOVED);
		if (event.submission.isSpam && delivery.event !== SUBMISSION_SPAM) {
			return { outcome: { kind: 'withheld', error: 'The submission is marked as spam.' } };
		}
		const shown = { ...event, submission: damage.withText(event.submission, text.bytes) };
		const posting = postingOf(webhook);
		const { url, method, body, kept }: ReadyRequest = posting
			? await messages.render(shown, posting, { row: delivery, text, signal })
			: { body: eventBody(shown, text, await linkFiles(webhook, event.submission.files)), kept: eventKept(shown) };
		const sentAt = new Date(now());
		const id = messageId(delivery);
		const signed = await webhookHeaders(signingSecrets(webhook, sentAt), { id, sentAt, body });
		try {
			const result = await post(url ?? webhook.url, {
				method,
				headers: { ...webhook.headers, ...signed },
				body,
				signal,
			});
			return { outcome: await recordResult(webhook, { result, at: new Date(now()) }), kept };
		} finally {
			body.sent?.();
		}
	}

	return {
		async send(delivery, { signal }) {
			const submission = await storage.submissions.head(delivery.formId, delivery.submissionId ?? -1);
			if (!submission) return rejected(REMOVED);
			const text = await texts.use(submission, signal);
			try {
				return await sendWith(text, delivery, signal);
			} finally {
				text.release();
			}
		},
		async compose(row) {
			const event = await readEvent(row);
			const [webhook] = await storage.db
				.select()
				.from(webhooks)
				.where(eq(webhooks.id, row.webhookId ?? -1));
			if (!event || !webhook) return undefined;
			const posting = postingOf(webhook);
			return posting ? messages.show(event, posting, row) : eventShown(eventKept(event), { row, storage, budget });
		},
		async recall(row, kept) {
			const posting = parseExact(kept) as Omit<Posting, 'url'> | { format?: undefined };
			if (posting.format === undefined) return eventShown(kept, { row, storage, budget });
			const event = await readEvent(row);
			return event && messages.show(event, posting, row);
		},
	};
}

function rejected(error: string): Attempt {
	return { outcome: { kind: 'rejected', error } };
}

function failWaiting(tx: Db, { sameTarget, error, at }: { sameTarget: SQL | undefined; error: string; at: Date }) {
	const failed = { state: 'failed', nextAttemptAt: null, finishedAt: at.getTime(), lastError: error } as const;
	const target = tx.select({ id: webhooks.id }).from(webhooks).where(sameTarget);
	const waiting = and(inArray(deliveries.webhookId, target), eq(deliveries.state, 'waiting'));
	return tx.update(deliveries).set(failed).where(waiting);
}
