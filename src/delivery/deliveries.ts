/** The owner's view of deliveries: the list, and each with its content. */

import { and, count, desc, eq, exists, getTableColumns, inArray, isNull, ne, type SQL, sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/sqlite-core';
import { AppError } from '../errors.ts';
import { oneOf, parsePage } from '../http/query-parameters.ts';
import { encodeId, rowId } from '../ids.ts';
import type { Storage } from '../storage/contract.ts';
import { SubmissionGone } from '../storage/errors.ts';
import {
	CHANNELS,
	type ChannelName,
	DELIVERY_STATES,
	type DeliveryRow,
	type DeliveryState,
	deliveries,
	forms,
	type Mode,
} from '../storage/tables.ts';
import type { Timeline } from '../storage/timeline.ts';
import { TOTAL_MAX } from './bounds.ts';
import type { Channels, Content } from './channel.ts';
import { SUBMISSIONS_DIGEST } from './events.ts';
import type { Delivery, DeliveryList, DeliveryWithContent } from './schema.ts';
import type { MailOutage } from './worker/worker.ts';

/** Open digests in a list. */
const DIGESTS_MAX = 20;
const { content: _, ...LISTED } = getTableColumns(deliveries);

/** Public ids; a submission only with its form. */
interface DeliverySubject {
	form?: string;
	submission?: string;
}

export interface DeliveryQuery {
	state?: DeliveryState;
	channel?: ChannelName;
	limit: number;
	offset: number;
}

interface DeliveriesOptions {
	channels: Channels;
	isMailSet: () => boolean;
	mailOutage: () => MailOutage;
}

export type Deliveries = ReturnType<typeof createDeliveries>;

/** With a `mode`, deliveries of the other mode's forms do not exist. */
export function createDeliveries(storage: Storage, options: DeliveriesOptions) {
	const { channels, isMailSet, mailOutage } = options;
	const { db } = storage;

	async function idsOf({ form, submission }: DeliverySubject, mode?: Mode) {
		if (form === undefined) return {};
		const formId = await storage.findFormId(form, mode);
		if (submission === undefined) return { formId };
		const submissionId = rowId(submission);
		if (await storage.submissions.head(formId, submissionId)) return { formId, submissionId };
		throw new SubmissionGone();
	}

	const toResponse = (row: Omit<DeliveryRow, 'content'>) => toDelivery(row, storage.clock.timeline());

	/** The content that was sent or would be; `undefined` if the sent content has expired. */
	async function contentOf(row: DeliveryRow): Promise<Content | undefined> {
		const channel = channels[row.channel];
		if (row.content !== null) return channel.recall(row, row.content);
		return row.state === 'sent' ? undefined : channel.compose(row);
	}

	/**
	 * The conditions that one index each can serve in order: one for each channel, which the engine merges. In test mode
	 * the rows are found by form instead, because they may be sparse among all deliveries.
	 */
	function conditionsOf(
		matching: SQL | undefined,
		{ channel, isBySeveralForms }: { channel?: ChannelName; isBySeveralForms: boolean },
	) {
		const ofChannel = (one: ChannelName) => and(matching, eq(deliveries.channel, one));
		if (!isBySeveralForms) return (channel === undefined ? CHANNELS : [channel]).map(ofChannel);
		// Not `=`: the engine would choose another index.
		const others = CHANNELS.filter((one) => channel !== undefined && one !== channel);
		return [and(matching, ...others.map((other) => ne(deliveries.channel, other)))];
	}

	function listOf(parts: (SQL | undefined)[]) {
		const [first, second, ...others] = parts.map((part) => db.select(LISTED).from(deliveries).where(part));
		if (!first) throw new Error('No condition to list by.');
		return second ? unionAll(first, second, ...others).$dynamic() : first.$dynamic();
	}

	async function countOf(parts: (SQL | undefined)[]): Promise<number> {
		let total = 0;
		for (const part of parts) {
			const counted = db.select({ id: deliveries.id }).from(deliveries).where(part).limit(TOTAL_MAX).as('counted');
			const [result] = await db.select({ count: count() }).from(counted);
			total += result?.count ?? 0;
		}
		return Math.min(total, TOTAL_MAX);
	}

	/** Digests that are still growing, the latest first; found by the index on rows without a submission. */
	async function openDigests(visible: SQL | undefined): Promise<DeliveryList['digests']> {
		const open = and(
			isNull(deliveries.submissionId),
			sql`coalesce(${deliveries.state}, '') = 'waiting'`,
			eq(deliveries.attempts, 0),
		);
		const { id, formId, nextAttemptAt } = deliveries;
		const rows = await db
			.select({ id, formId, nextAttemptAt })
			.from(deliveries)
			.where(and(open, eq(deliveries.event, SUBMISSIONS_DIGEST), visible))
			.orderBy(desc(deliveries.id))
			.limit(DIGESTS_MAX);
		const timeline = storage.clock.timeline();
		return rows.map((row) => ({
			delivery: encodeId(row.id),
			form: encodeId(row.formId),
			since: timeline.isoOf(row.id),
			goesAt: toIso(row.nextAttemptAt ?? 0),
		}));
	}

	function mailStatus(): DeliveryList['mail'] {
		const outage = mailOutage();
		if (!outage) return { isSet: isMailSet(), heldSince: null, heldReason: null, nextProbeAt: null };
		const { since, reason, nextProbeAt } = outage;
		return { isSet: isMailSet(), heldSince: toIso(since), heldReason: reason, nextProbeAt: toIso(nextProbeAt) };
	}

	return {
		/**
		 * Newest first.
		 * @param readQuery Called once form and submission are known to exist.
		 * @throws AppError FORM_NOT_FOUND, NOT_FOUND, VALIDATION_ERROR
		 */
		async list(
			subject: DeliverySubject,
			{ mode, readQuery }: { mode?: Mode; readQuery: () => DeliveryQuery },
		): Promise<DeliveryList> {
			const { formId, submissionId } = await idsOf(subject, mode);
			const { state, channel, limit, offset } = readQuery();
			const visible = and(reachable(storage, mode), formId === undefined ? undefined : eq(deliveries.formId, formId));
			const matching = and(
				visible,
				state && eq(deliveries.state, state),
				submissionId === undefined ? undefined : eq(deliveries.submissionId, submissionId),
			);
			const isBySeveralForms = mode === 'test' && formId === undefined;
			const parts = conditionsOf(matching, { channel, isBySeveralForms });
			const rows = await listOf(parts)
				.orderBy(desc(deliveries.id))
				.limit(limit + 1)
				.offset(offset);
			const total = await countOf(parts);
			return {
				deliveries: rows.slice(0, limit).map(toResponse),
				pagination: { limit, offset, total, hasMore: rows.length > limit },
				mail: mailStatus(),
				held: await countOf(conditionsOf(and(visible, eq(deliveries.state, 'held')), { isBySeveralForms })),
				digests: await openDigests(visible),
			};
		},
		/** @throws AppError NOT_FOUND */
		async get(id: string, mode?: Mode): Promise<DeliveryWithContent> {
			const row = await findDelivery(storage, { id, mode });
			return { ...toResponse(row), content: (await contentOf(row)) ?? null };
		},
		/** The HTML of a mail that was not sent. @throws AppError NOT_FOUND */
		async preview(id: string, mode?: Mode): Promise<string> {
			const row = await findDelivery(storage, { id, mode });
			const content = await channels[row.channel].compose(row);
			if (typeof content?.html === 'string') return content.html;
			throw new AppError('NOT_FOUND', 'There is nothing to show of this delivery.');
		},
	};
}

/** @throws AppError VALIDATION_ERROR naming the parameter */
export function parseDeliveryQuery(params: URLSearchParams): DeliveryQuery {
	return {
		state: oneOf(params, 'state', { values: DELIVERY_STATES }),
		channel: oneOf(params, 'channel', { values: CHANNELS }),
		...parsePage(params),
	};
}

/**
 * Written so that an index provides every page: checked row by row where most rows match, selected by form where few
 * do, as in test mode.
 */
export function reachable({ db }: Storage, mode?: Mode): SQL {
	const existing = and(isNull(forms.deletedAt), mode && eq(forms.mode, mode));
	const reachableForms = db.select({ id: forms.id }).from(forms);
	if (mode === 'test') return inArray(deliveries.formId, reachableForms.where(existing));
	return exists(reachableForms.where(and(eq(forms.id, deliveries.formId), existing)));
}

/** @throws AppError NOT_FOUND */
export async function findDelivery(storage: Storage, { id, mode }: { id: string; mode?: Mode }): Promise<DeliveryRow> {
	const byId = and(eq(deliveries.id, rowId(id)), reachable(storage, mode));
	const [row] = await storage.db.select().from(deliveries).where(byId);
	if (!row) throw new AppError('NOT_FOUND', 'There is no such delivery.');
	return row;
}

function toDelivery(row: Omit<DeliveryRow, 'content'>, timeline: Timeline): Delivery {
	return {
		id: encodeId(row.id),
		form: encodeId(row.formId),
		submission: row.submissionId === null ? null : encodeId(row.submissionId),
		channel: row.channel,
		event: row.event,
		state: row.state,
		destination: row.destination.replaceAll('\n', '; '),
		attempts: row.attempts,
		createdAt: timeline.isoOf(row.id),
		nextAttemptAt: row.state === 'waiting' && row.nextAttemptAt !== null ? toIso(row.nextAttemptAt) : null,
		finishedAt: row.finishedAt === null ? null : toIso(row.finishedAt),
		lastError: row.lastError,
		webhook: row.webhookId === null ? null : encodeId(row.webhookId),
		digest: row.digestId === null ? null : encodeId(row.digestId),
	};
}

function toIso(millis: number): string {
	return new Date(millis).toISOString();
}
