/** Plans the deliveries of a submission, to be stored in the same transaction. */

import { eq } from 'drizzle-orm';
import { fieldTexts } from '../form-values/conditions.ts';
import { addressesOf } from '../form-values/notification-rules.ts';
import type { Storage } from '../storage/contract.ts';
import { PLACE } from '../storage/filters.ts';
import { type NewDelivery, type NewSubmission, placeOfNew } from '../storage/submission.ts';
import { CHANNELS, type DeliveryRow, type FormRow, webhooks } from '../storage/tables.ts';
import { lazy } from '../tasks/lazy.ts';
import { createAnnouncements } from './announcements.ts';
import type { Channels, Hook } from './channel.ts';
import {
	ADDRESS_CHANGED,
	CONFIRMATION_ASKED,
	DELIVERY_FAILED,
	isWithheldAsSpam,
	SUBMISSION_CONFIRMED,
	SUBMISSION_CREATED,
	SUBMISSION_SPAM,
} from './events.ts';
import { failureOf } from './webhooks/facts.ts';

type InitialState = Pick<NewDelivery, 'state' | 'nextAttemptAt' | 'lastError'>;

/** A submission about to be stored, and its form. */
interface Cause {
	form: FormRow;
	submission: Pick<NewSubmission, 'spamReason' | 'data' | 'addressKey'>;
	/** True if its address was just confirmed. */
	isConfirmed?: boolean;
	/** The language of the visitor, if the form writes to visitors. */
	language?: string | undefined;
}

interface Circumstances {
	spamReason?: string | null;
	/** Why the channel withholds all. */
	withheld?: string | null;
	delayMs?: number | undefined;
}

/** A notice about a delivery that failed; the columns that it must not take from that are stated too. */
const NOTICE = {
	channel: 'webhook',
	event: DELIVERY_FAILED,
	state: 'waiting',
	attempts: 0,
	finishedAt: null,
	lastError: null,
	digestId: null,
	language: null,
} as const;
const NO_HOOKS: Hook[] = [];
/** The events of a submission. Of spam also the one that is withheld until the owner says that it is genuine. */
const GENUINE = [SUBMISSION_CREATED];
const SPAM = [SUBMISSION_CREATED, SUBMISSION_SPAM];
const PENDING = [CONFIRMATION_ASKED];
const CONFIRMED = [SUBMISSION_CREATED, SUBMISSION_CONFIRMED];

const EVENTS_IN = { [PLACE.inbox]: GENUINE, [PLACE.spam]: SPAM, [PLACE.pending]: PENDING } as const;

export type Outbox = ReturnType<typeof createOutbox>;

export function createOutbox(storage: Storage, { channels, now }: { channels: Channels; now: () => number }) {
	let hooksByForm = new Map<number, Hook[]>();
	let cacheVersion = -1;

	const { id, formId, url, events, where, isActive } = webhooks;
	const selectHooks = lazy(() =>
		storage.db.select({ id, formId, url, events, where }).from(webhooks).where(eq(isActive, true)).prepare(),
	);

	async function readHooks(version: number): Promise<void> {
		if (version <= cacheVersion) return;
		const hooks = Map.groupBy(await selectHooks().execute(), ({ formId }) => formId);
		if (version <= cacheVersion) return;
		hooksByForm = hooks;
		cacheVersion = version;
	}

	/** Spam is withheld until the owner unmarks it; the deliveries of a test form are only shown. */
	function initialState(
		{ mode }: Pick<FormRow, 'mode'>,
		{ spamReason = null, withheld = null, delayMs = 0 }: Circumstances = {},
	): InitialState {
		if (spamReason !== null) return { state: 'withheld', lastError: 'The submission is spam' };
		if (mode === 'test') return { state: 'captured' };
		if (withheld !== null) return { state: 'withheld', lastError: withheld };
		return { state: 'waiting', nextAttemptAt: now() + delayMs };
	}

	function rowsFor({ form, submission, language, isConfirmed = false }: Cause): NewDelivery[] {
		const { spamReason, data } = submission;
		const texts = fieldTexts(data);
		const hooks = hooksByForm.get(form.id) ?? NO_HOOKS;
		const rows: NewDelivery[] = [];
		for (const event of isConfirmed ? CONFIRMED : EVENTS_IN[placeOfNew(submission)]) {
			for (const channel of CHANNELS) {
				const { targets, withheld } = channels[channel];
				for (const { delayMs, ...target } of targets(form, { event, hooks, texts, data, language, isConfirmed })) {
					const reason = isWithheldAsSpam(event) ? spamReason : null;
					const state = initialState(form, { spamReason: reason, withheld, delayMs });
					rows.push({ id: storage.nextId(), formId: form.id, channel, event, ...target, ...state });
				}
			}
		}
		return rows;
	}

	async function hooksOf(formId: number): Promise<readonly Hook[]> {
		const version = await storage.settingsVersion();
		if (version !== cacheVersion) await readHooks(version);
		return hooksByForm.get(formId) ?? NO_HOOKS;
	}

	/** Call this once planned rows are on disk: the worker, here or at another server, need not wait for its next poll. */
	function wake(rows: readonly NewDelivery[]): void {
		for (const { state, channel, webhookId = null } of rows)
			if (state === 'waiting') storage.events.publish({ type: 'due', channel, webhookId });
	}

	/** A pending submission that becomes spam has withheld what its confirmation would have sent. No mail goes to its address, which is not confirmed. */
	async function withheldOf(form: FormRow, data: string): Promise<NewDelivery[]> {
		await hooksOf(form.id);
		return rowsFor({ form, submission: { spamReason: 'marked', data } }).filter(
			({ event, channel }) => event === SUBMISSION_CREATED && channel !== 'visitor',
		);
	}

	storage.submissions.announceBy(createAnnouncements(storage, { hooksOf, withheldOf, initialState, wake, now }));

	return {
		wake,
		/**
		 * Plans the notices about those deliveries that were given up, to each webhook of the form but the one that failed. A notice that
		 * fails causes none, because two webhooks that fail would notify each other without end, unless its webhook is disabled by then,
		 * which gets no more of them; nor does a mail about what is pending.
		 */
		async planFailures(rows: readonly DeliveryRow[]): Promise<NewDelivery[]> {
			const givenUp = rows.filter(({ state }) => state === 'failed');
			const hooks = givenUp[0] ? await hooksOf(givenUp[0].formId) : NO_HOOKS;
			const isActive = ({ webhookId }: DeliveryRow) => hooks.some(({ id }) => id === webhookId);
			const failed = givenUp.filter(
				(row) => row.event !== CONFIRMATION_ASKED && (row.event !== DELIVERY_FAILED || !isActive(row)),
			);
			const told = hooks.filter(({ events }) => events.includes(DELIVERY_FAILED));
			return failed.flatMap((row) =>
				told
					.filter(({ id }) => id !== row.webhookId)
					.map(({ id: webhookId, url: destination }) => ({
						...NOTICE,
						id: storage.nextId(),
						nextAttemptAt: now(),
						formId: row.formId,
						webhookId,
						destination,
						content: JSON.stringify(failureOf(row)),
					})),
			);
		},
		/** The rows to store with the submission. On the hot path: synchronous as long as the cache is valid. */
		plan(cause: Cause): readonly NewDelivery[] | Promise<readonly NewDelivery[]> {
			const version = storage.settingsVersion();
			if (version === cacheVersion) return rowsFor(cause);
			return Promise.resolve(version)
				.then(readHooks)
				.then(() => rowsFor(cause));
		},
		/**
		 * The rows to store when a form's addresses change: a mail to the former ones, if any; one each to those that the
		 * others did not see. Whether mail is set up is checked when it is sent, because a command does not know the server's settings.
		 */
		planAddressNotice(former: FormRow): NewDelivery[] {
			const { shown, hidden } = addressesOf(former);
			const notice = { formId: former.id, channel: 'mail', event: ADDRESS_CHANGED } as const;
			return [shown, ...hidden]
				.filter((destination) => destination !== '')
				.map((destination) => ({ ...notice, id: storage.nextId(), destination, ...initialState(former) }));
		},
	};
}
