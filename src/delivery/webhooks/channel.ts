/** The webhook channel of the outbox: posts one event, and records the webhook's health. */

import { and, eq, getTableColumns, inArray, type SQL, sql } from 'drizzle-orm';
import { mayBeLinked } from '../../files/file-access.ts';
import type { FileLinks } from '../../files/links.ts';
import { encodeId } from '../../ids.ts';
import type { GuardedPost, PostResult } from '../../network/guarded-request.ts';
import { textBody } from '../../network/post-body.ts';
import { type AuditRow, auditLog } from '../../storage/audit-table.ts';
import type { Db, Storage } from '../../storage/contract.ts';
import { createDamageCheck } from '../../storage/damage-check.ts';
import type { StoredFile } from '../../storage/submission.ts';
import { type DeliveryRow, deliveries, forms, type WebhookRow, webhooks } from '../../storage/tables.ts';
import type { ByteBudget } from '../../tasks/byte-budget.ts';
import { DAY_MS } from '../../tasks/durations.ts';
import { parseExact } from '../../text/exact-json.ts';
import type { Attempt, Content, Messages } from '../channel.ts';
import { isWithheldAsSpam, SUBMISSION_CREATED, SUBMISSION_SPAM } from '../events.ts';
import type { Outcome } from '../worker/outcome.ts';
import { type Event, eventBody, eventKept, eventShown, type FileUrls } from './event.ts';
import { type Facts, factsBody, hasFacts, toldOfFacts } from './facts.ts';
import { type Posting, type PostRequest, requestOf } from './message.ts';
import { createMessageRequests, messageId, postingOf, type ReadyRequest } from './message-requests.ts';
import { createSharedTexts, type SharedText } from './shared-texts.ts';
import { healthAfter, signingSecrets, webhookHeaders, webhookOutcome } from './standard-webhooks.ts';

/** Validity of links to files: a receiver fetches them when it gets the event. */
const LINK_SECONDS = DAY_MS / 1000;
/** Events whose moment is that of the submission. */
const AT_ARRIVAL: ReadonlySet<string> = new Set([SUBMISSION_CREATED, SUBMISSION_SPAM]);
const REMOVED = 'The submission was removed.';

export interface WebhookChannelOptions {
	post: GuardedPost;
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
	 * deliveries, and the audit log says so. Nothing is recorded if the URL changed during the attempt.
	 */
	async function recordResult(
		webhook: WebhookRow,
		{ delivery, result, at }: { delivery: DeliveryRow; result: PostResult; at: Date },
	): Promise<Outcome> {
		const plannedAt = storage.clock.timeline().millisOf(delivery.id);
		const isLasting = storage.clock.isSettled() && at.getTime() - plannedAt >= DAY_MS;
		const sameTarget = and(eq(webhooks.id, webhook.id), eq(webhooks.url, webhook.url));
		// Another attempt may have ended meanwhile.
		const [found] = await storage.db.select({ failingSince: webhooks.failingSince }).from(webhooks).where(sameTarget);
		const before = { ...webhook, ...found };
		const { isActive, disabledReason, failingSince } = healthAfter(before, result, { now: at, isLasting });
		if (isActive) {
			if (failingSince !== before.failingSince)
				await storage.batch((tx) => [tx.update(webhooks).set({ failingSince }).where(sameTarget)]);
			return webhookOutcome(result, at);
		}
		const error = disabledBecause(disabledReason);
		const entry = disabledEntry(webhook, { id: storage.nextId(), result });
		const [, , disabled] = await storage.batch((tx) => [
			// Locks the row: of two servers that disable it at once, one adds the entry.
			tx.update(webhooks).set({ failingSince }).where(sameTarget),
			addEntry(tx, entry, and(sameTarget, eq(webhooks.isActive, true))),
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
	async function readEvent({ id, event: type, formId, submissionId }: DeliveryRow): Promise<Event | undefined> {
		const [form] = await storage.db.select().from(forms).where(eq(forms.id, formId));
		const [submission] = await storage.submissions.entries(formId, [submissionId ?? -1]);
		if (!form || form.deletedAt !== null || !submission) return undefined;
		const files = (await storage.submissions.files([submission.id])).get(submission.id);
		const timeline = storage.clock.timeline();
		const at = AT_ARRIVAL.has(type) ? undefined : timeline.isoOf(id);
		return { type, form, submission: { ...submission, files }, timeline, at };
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

	/** Makes the request of an attempt, if there is anyone to get it, and posts it. */
	async function attempt(
		delivery: DeliveryRow,
		{ signal, prepare }: { signal: AbortSignal; prepare: (webhook: WebhookRow) => Promise<ReadyRequest | Attempt> },
	): Promise<Attempt> {
		const webhook = await findWebhook(storage, delivery);
		if (!webhook?.isActive) return notMade(webhook);
		const request = await prepare(webhook);
		if ('outcome' in request) return request;
		const { url, method, body, kept } = request;
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
			return { outcome: await recordResult(webhook, { delivery, result, at: new Date(now()) }), kept };
		} finally {
			body.sent?.();
		}
	}

	/** Reads all state only now that the text is in memory, because the wait for it may be long. */
	function sendWith(text: SharedText, delivery: DeliveryRow, signal: AbortSignal): Promise<Attempt> {
		return attempt(delivery, {
			signal,
			async prepare(webhook) {
				const event = await readEvent(delivery);
				if (!event || !text.bytes) return rejected(REMOVED);
				if (event.submission.isSpam && isWithheldAsSpam(delivery.event)) {
					return { outcome: { kind: 'withheld', error: 'The submission is marked as spam.' } };
				}
				const shown = { ...event, submission: damage.withText(event.submission, text.bytes) };
				const posting = postingOf(webhook);
				if (posting) return messages.render(shown, posting, { row: delivery, text, signal });
				const urls = await linkFiles(webhook, event.submission.files);
				return { body: eventBody(shown, text, urls), kept: eventKept(shown) };
			},
		});
	}

	/** The request about what the row itself says; `undefined` if that is not kept any more. */
	async function factsRequest(row: DeliveryRow, webhook: WebhookRow): Promise<PostRequest | undefined> {
		const [form] = await storage.db.select().from(forms).where(eq(forms.id, row.formId));
		if (!form || form.deletedAt !== null || row.content === null) return undefined;
		const facts = parseExact(row.content) as Facts;
		const context = { form, timeline: storage.clock.timeline(), baseUrl: baseUrl() };
		const posting = postingOf(webhook);
		if (posting) return requestOf(toldOfFacts(row, facts, context), posting, messageId(row));
		return { url: webhook.url, body: factsBody(row, facts, context) };
	}

	async function showFacts(row: DeliveryRow): Promise<Content | undefined> {
		const webhook = await findWebhook(storage, row);
		const request = webhook && (await factsRequest(row, webhook));
		return request && (parseExact(request.body) as Content);
	}

	return {
		async send(delivery, { signal }) {
			if (hasFacts(delivery))
				return attempt(delivery, {
					signal,
					async prepare(webhook) {
						const request = await factsRequest(delivery, webhook);
						return request
							? { ...request, body: textBody(request.body) }
							: rejected('What it said is not kept any more.');
					},
				});
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
			if (hasFacts(row)) return showFacts(row);
			const event = await readEvent(row);
			const webhook = await findWebhook(storage, row);
			if (!event || !webhook) return undefined;
			const posting = postingOf(webhook);
			return posting ? messages.show(event, posting, row) : eventShown(eventKept(event), { row, storage, budget });
		},
		async recall(row, kept) {
			if (hasFacts(row)) return showFacts(row);
			const posting = parseExact(kept) as Omit<Posting, 'url'> | { format?: undefined };
			if (posting.format === undefined) return eventShown(kept, { row, storage, budget });
			const event = await readEvent(row);
			return event && messages.show(event, posting, row);
		},
	};
}

async function findWebhook({ db }: Pick<Storage, 'db'>, { webhookId }: DeliveryRow): Promise<WebhookRow | undefined> {
	const [webhook] = await db
		.select()
		.from(webhooks)
		.where(eq(webhooks.id, webhookId ?? -1));
	return webhook;
}

function rejected(error: string): Attempt {
	return { outcome: { kind: 'rejected', error } };
}

/** The outcome for a webhook that was removed, disabled by the server, or paused by its owner. */
function notMade(webhook: WebhookRow | undefined): Attempt {
	if (!webhook) return rejected('The webhook was removed.');
	if (webhook.disabledReason !== null) return rejected(disabledBecause(webhook.disabledReason));
	return { outcome: { kind: 'unavailable', error: 'The webhook is disabled.' } };
}

const disabledBecause = (reason: string | null) => `The webhook was disabled. ${reason}`;

/** In the audit log: what the server changed, and the status for which. */
function disabledEntry({ id: webhookId, formId }: WebhookRow, { id, result }: { id: number; result: PostResult }) {
	const changes = { isActive: { before: true, after: false } };
	const facts = { status: result.hasResponse ? result.status : null };
	const object = `webhook:${encodeId(webhookId)}`;
	const what = { mode: 'live', action: 'updateWebhook', formId, object, details: { changes, facts } } as const;
	return { id, actor: 'server', session: null, address: null, count: 1, ...what } satisfies AuditRow;
}

/** Adds an entry if there is such a webhook. */
function addEntry(tx: Db, { details, ...row }: AuditRow, webhook: SQL | undefined) {
	const values: Record<string, unknown> = { ...row, details: JSON.stringify(details) };
	const columns = Object.keys(getTableColumns(auditLog)).map((name) => [name, sql`${values[name]}`.as(name)]);
	return tx.insert(auditLog).select(tx.select(Object.fromEntries(columns)).from(webhooks).where(webhook));
}

function failWaiting(tx: Db, { sameTarget, error, at }: { sameTarget: SQL | undefined; error: string; at: Date }) {
	const failed = { state: 'failed', nextAttemptAt: null, finishedAt: at.getTime(), lastError: error } as const;
	const target = tx.select({ id: webhooks.id }).from(webhooks).where(sameTarget);
	const waiting = and(inArray(deliveries.webhookId, target), eq(deliveries.state, 'waiting'));
	return tx.update(deliveries).set(failed).where(waiting);
}
