/** The webhooks of a form: created, listed, changed, removed, and tested. */

import { and, asc, count, eq, inArray, isNull, type SQL } from 'drizzle-orm';
import { AppError, invalidField } from '../../errors.ts';
import { encodeId, rowId } from '../../ids.ts';
import type { GuardedPost } from '../../network/guarded-request.ts';
import { textBody } from '../../network/post-body.ts';
import { changesBetween, SECRET } from '../../storage/audit/changes.ts';
import type { Db, Storage } from '../../storage/contract.ts';
import {
	type DeliveryRow,
	type DeliveryState,
	deliveries,
	type FormRow,
	forms,
	type Mode,
	type WebhookRow,
	webhooks,
} from '../../storage/tables.ts';
import type { Timeline } from '../../storage/timeline.ts';
import { ChangedMeanwhile, untilUnchanged } from '../../storage/until-unchanged.ts';
import { DAY_MS } from '../../tasks/durations.ts';
import { errorOf } from '../worker/outcome.ts';
import { formShown, STANDARD } from './event.ts';
import { type PostRequest, requestOf } from './message.ts';
import { postingOf } from './message-requests.ts';
import { changePosted, checkEvents, NEW_POSTED, shownUrl, URL_MAX, WEBHOOKS_MAX } from './posting-settings.ts';
import type { CreateWebhook, UpdateWebhook, Webhook, WebhookTestResult, WebhookWithSecret } from './schema.ts';
import { createWebhookSecret, signingSecrets, webhookHeaders, webhookOutcome } from './standard-webhooks.ts';

const OLD_SECRET_SIGNS_FOR_MS = DAY_MS;
/** Those that sign at one time. */
const SECRETS_MAX = 5;
const TEST_EVENT = 'webhook.test';
const TEST_NOTE = 'Messages arrive. Nothing else needs to be done.';

/** Public ids; `mode` confines the form to those of one mode. */
export interface FormRef {
	form: string;
	mode?: Mode;
}
export interface WebhookRef extends FormRef {
	webhook: string;
}

export interface WebhooksOptions {
	post: GuardedPost;
	/** Addresses and ranges that may be reached although they are not public. */
	allowed: readonly string[];
	/** Public address of the base listener, without a slash at the end. */
	baseUrl: () => string;
	now?: () => number;
}

export type Webhooks = ReturnType<typeof createWebhooks>;

/** All methods throw AppError FORM_NOT_FOUND or NOT_FOUND if the form or webhook does not exist in that mode. */
export function createWebhooks(storage: Storage, { post, allowed, baseUrl, now = Date.now }: WebhooksOptions) {
	const toResponse = (row: WebhookRow) => toWebhook(row, storage.clock.timeline());

	const findForm = ({ form, mode }: FormRef): Promise<FormRow> => storage.findForm(form, mode);

	async function find(ref: WebhookRef): Promise<{ form: FormRow; webhook: WebhookRow }> {
		const form = await findForm(ref);
		const byId = and(eq(webhooks.id, rowId(ref.webhook)), eq(webhooks.formId, form.id));
		const [webhook] = await storage.db.select().from(webhooks).where(byId);
		if (!webhook) throw notFound();
		return { form, webhook };
	}

	/** @throws ChangedMeanwhile if it is not as before any more; then nothing was changed. */
	async function change(before: WebhookRow, values: Partial<WebhookRow>): Promise<WebhookRow> {
		const [, rows] = await storage.batch(
			(tx) => [
				// Holds the row until the change, so that the audit log has what it was before it.
				tx.update(webhooks).set({ formId: before.formId }).where(eq(webhooks.id, before.id)).returning(),
				tx.update(webhooks).set(values).where(eq(webhooks.id, before.id)).returning(),
				...followUp(tx, before, values),
			],
			([[held], [after]]) => (held && after ? recordedUpdate({ before, held, after }) : null),
		);
		if (!rows[0]) throw notFound();
		return rows[0];
	}

	async function checkUrl(text: string): Promise<string> {
		const invalid = (why: string) => invalidField('url', 'INVALID_URL', why);
		const url = text.trim();
		if (url.length > URL_MAX) throw invalid(`url must have at most ${URL_MAX} characters.`);
		const { objectionTo } = await import('../../network/guarded-request.ts');
		const objection = objectionTo(url, allowed);
		if (objection !== undefined) throw invalid(objection);
		return url;
	}

	async function updateOnce(ref: WebhookRef, input: UpdateWebhook): Promise<Webhook> {
		const { webhook } = await find(ref);
		const url = input.url === undefined ? webhook.url : await checkUrl(input.url);
		const values: Partial<WebhookRow> = {
			...changePosted(webhook, input, url),
			events: input.events === undefined ? webhook.events : checkEvents(input.events),
			isActive: input.isActive === undefined ? webhook.isActive : (input.isActive ?? true),
		};
		if (values.isActive && !webhook.isActive) values.disabledReason = null;
		if (values.disabledReason === null || values.url !== webhook.url) values.failingSince = null;
		const after = await change(webhook, values);
		if (after.isActive && (!webhook.isActive || after.url !== webhook.url)) {
			// Why its queue pauses does not hold any more.
			storage.events.publish({ type: 'retry', channel: 'webhook', webhookId: after.id });
		}
		return toResponse(after);
	}

	async function rotateOnce(ref: WebhookRef): Promise<WebhookWithSecret> {
		const { webhook } = await find(ref);
		const former = signingSecrets(webhook, new Date(now()));
		if (former.length >= SECRETS_MAX) {
			const free = new Date(webhook.previousSecretUntil ?? 0).toISOString();
			throw new AppError(
				'CONFLICT',
				`${SECRETS_MAX} secrets of this webhook sign already. It can get a new one at ${free}.`,
			);
		}
		const secret = createWebhookSecret();
		const previous = { previousSecret: former.join(' '), previousSecretUntil: now() + OLD_SECRET_SIGNS_FOR_MS };
		return { ...toResponse(await change(webhook, { secret, ...previous })), secret };
	}

	return {
		async checkForm(ref: FormRef): Promise<void> {
			await findForm(ref);
		},
		async isAlive(id: string): Promise<boolean> {
			const byId = and(eq(webhooks.id, rowId(id)), eq(webhooks.isActive, true));
			return (await storage.db.$count(webhooks, byId)) > 0;
		},
		/** Oldest first. */
		async list(ref: FormRef): Promise<Webhook[]> {
			const { id } = await findForm(ref);
			const rows = await storage.db.select().from(webhooks).where(eq(webhooks.formId, id)).orderBy(asc(webhooks.id));
			return rows.map(toResponse);
		},
		async get(ref: WebhookRef): Promise<Webhook> {
			return toResponse((await find(ref)).webhook);
		},
		/** @throws AppError VALIDATION_ERROR, CONFLICT if the form has the maximum number */
		async create(ref: FormRef, input: CreateWebhook): Promise<WebhookWithSecret> {
			const form = await findForm(ref);
			const url = await checkUrl(input.url);
			const row: WebhookRow = {
				...changePosted({ ...NEW_POSTED, url }, input, url),
				id: storage.nextId(),
				formId: form.id,
				secret: createWebhookSecret(),
				previousSecret: null,
				previousSecretUntil: null,
				events: checkEvents(input.events),
				isActive: input.isActive ?? true,
				disabledReason: null,
				failingSince: null,
			};
			await storage.batch(
				(tx) => insertion(tx, row),
				([, , [counted]]) => recordedNew(row, counted),
			);
			return { ...toResponse(row), secret: row.secret };
		},
		/**
		 * Changes the given members, `null` for the default. Resuming it, or another URL, clears its failures and ends its pause.
		 * @throws AppError VALIDATION_ERROR
		 */
		update: (ref: WebhookRef, input: UpdateWebhook): Promise<Webhook> => untilUnchanged(() => updateOnce(ref, input)),
		/** Removes it and its waiting deliveries. */
		async remove(ref: WebhookRef): Promise<void> {
			const { webhook } = await find(ref);
			await storage.batch(
				(tx) => [tx.delete(webhooks).where(eq(webhooks.id, webhook.id))],
				() => ({ ...recordedOf(webhook, webhook), facts: { url: shownUrl(webhook.url) } }),
			);
		},
		/**
		 * Creates a new secret. Those that signed until then also sign for a day, so that receivers can change over.
		 * @throws AppError CONFLICT if too many would sign
		 */
		rotateSecret: (ref: WebhookRef): Promise<WebhookWithSecret> => untilUnchanged(() => rotateOnce(ref)),
		/**
		 * Posts a `webhook.test` event once and returns the result. It works for a disabled webhook too, and does not change
		 * the webhook's health.
		 * @throws AppError CONFLICT in test mode, which sends nothing
		 */
		async test(ref: WebhookRef): Promise<WebhookTestResult> {
			const { form, webhook } = await find(ref);
			if (form.mode === 'test') {
				throw new AppError('CONFLICT', 'Nothing is sent for a form in test mode; its deliveries are captured instead.');
			}
			const sentAt = new Date(now());
			const id = `test_${encodeId(storage.nextId())}`;
			const told = {
				event: TEST_EVENT,
				headline: 'a test of this webhook',
				note: TEST_NOTE,
				form,
				submission: null,
				baseUrl: baseUrl(),
			};
			const posting = postingOf(webhook);
			const request = posting
				? requestOf(told, posting, id)
				: { body: STANDARD.facts(TEST_EVENT, { form: formShown(form), at: sentAt.toISOString() }) };
			const { url = webhook.url, method }: Partial<PostRequest> = request;
			const body = textBody(request.body);
			const signed = await webhookHeaders(signingSecrets(webhook, sentAt), { id, sentAt, body });
			const result = await post(url, { method, headers: { ...webhook.headers, ...signed }, body });
			const outcome = webhookOutcome(result, sentAt);
			return {
				delivered: outcome.kind === 'sent',
				status: result.hasResponse ? result.status : null,
				error: outcome.kind === 'sent' ? null : errorOf(outcome),
				answer: result.hasResponse ? result.bodyExcerpt : null,
			};
		},
	};
}

/** The last of them counts the webhooks of its form. */
function insertion(tx: Db, row: WebhookRow) {
	return [
		// Holds the form, so that of several that are made at once each is counted by the next.
		tx
			.update(forms)
			.set({ deletedAt: null })
			.where(and(eq(forms.id, row.formId), isNull(forms.deletedAt))),
		tx.insert(webhooks).values(row),
		tx.select({ made: count() }).from(webhooks).where(eq(webhooks.formId, row.formId)),
	] as const;
}

/** Members that may hold credentials: the audit log has them only as changed. */
const SECRETS = ['secret', 'headers', 'body'] as const;
const RECORDED = ['url', 'name', 'format', 'include', 'where', 'events', 'isActive'];

/** @param rows The webhook as the change was held against it, as it was at the change, and after it. @throws ChangedMeanwhile */
function recordedUpdate({ before, held, after }: Record<'before' | 'held' | 'after', WebhookRow>) {
	if (!Bun.deepEquals(held, before)) throw new ChangedMeanwhile();
	return recordedOf(after, held);
}

/** @throws AppError CONFLICT if its form has too many with it */
function recordedNew(row: WebhookRow, { made }: { made: number } = { made: 0 }) {
	if (made > WEBHOOKS_MAX) throw new AppError('CONFLICT', `A form has at most ${WEBHOOKS_MAX} webhooks.`);
	return recordedOf(row);
}

/** The webhook as the audit log has it. */
function recordedOf(after: WebhookRow, before?: WebhookRow) {
	const toShown = (row: WebhookRow) => ({ ...row, url: shownUrl(row.url) });
	const changes = changesBetween(before && toShown(before), toShown(after), RECORDED);
	if (before && before.url !== after.url) changes.url ??= SECRET;
	for (const name of SECRETS) if (before && !Bun.deepEquals(before[name], after[name])) changes[name] = SECRET;
	return { formId: after.formId, object: `webhook:${encodeId(after.id)}`, changes };
}

const DISABLED = 'The webhook is disabled';

/** Updates planned deliveries: their URL, and the reason why they wait. */
function followUp(tx: Db, before: WebhookRow, { url = before.url, isActive = before.isActive }: Partial<WebhookRow>) {
	const update = (values: Partial<DeliveryRow>, states: DeliveryState[], which?: SQL) =>
		tx
			.update(deliveries)
			.set(values)
			.where(and(eq(deliveries.webhookId, before.id), inArray(deliveries.state, states), which));
	const isDisabled = eq(deliveries.lastError, DISABLED);
	return [
		...(url === before.url ? [] : [update({ destination: url }, ['waiting', 'withheld', 'held'])]),
		...(before.isActive && !isActive ? [update({ lastError: DISABLED }, ['waiting'])] : []),
		...(isActive && !before.isActive ? [update({ lastError: null }, ['waiting'], isDisabled)] : []),
	];
}

function notFound(): AppError {
	return new AppError('NOT_FOUND', 'There is no such webhook.');
}

function toWebhook(row: WebhookRow, timeline: Timeline): Webhook {
	return {
		id: encodeId(row.id),
		url: row.url,
		name: row.name || null,
		format: row.format as Webhook['format'],
		include: row.include as Webhook['include'],
		headers: Object.fromEntries(Object.keys(row.headers ?? {}).map((name) => [name, null])),
		body: row.body,
		where: row.where ?? [],
		events: row.events as Webhook['events'],
		isActive: row.isActive,
		disabledReason: row.disabledReason,
		failingSince: row.failingSince === null ? null : new Date(row.failingSince).toISOString(),
		createdAt: timeline.isoOf(row.id),
	};
}
