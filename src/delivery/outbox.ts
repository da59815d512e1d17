/** Plans the deliveries of a submission, to be stored in the same transaction. */

import { eq } from 'drizzle-orm';
import type { Storage } from '../storage/contract.ts';
import type { NewDelivery, NewSubmission } from '../storage/submission.ts';
import { type FormRow, webhooks } from '../storage/tables.ts';
import { lazy } from '../tasks/lazy.ts';

export const SUBMISSION_CREATED = 'submission.created';
/** The mail for submissions above a form's hourly mail cap. */
export const SUBMISSIONS_DIGEST = 'submissions.digest';
/** The mail to a form's former notification addresses after a change. */
export const ADDRESS_CHANGED = 'form.notification-email-changed';

export const NO_MAIL_SERVER = 'No mail server is set: FORMSRV_SMTP_URL';

type InitialState = Pick<NewDelivery, 'state' | 'nextAttemptAt' | 'lastError'>;
type Hook = Pick<typeof webhooks.$inferSelect, 'id' | 'url' | 'events'>;

/** A submission about to be stored, and its form. */
interface Cause {
	form: FormRow;
	submission: NewSubmission;
}

const NOTHING: NewDelivery[] = [];
const NO_HOOKS: Hook[] = [];

export type Outbox = ReturnType<typeof createOutbox>;

/** @param mayMail whether a mail server is set; without one, mails are withheld */
export function createOutbox(storage: Storage, { mayMail, now = Date.now }: { mayMail: boolean; now?: () => number }) {
	let hooksByForm = new Map<number, Hook[]>();
	let cacheVersion = -1;
	let wakeWorker: ((rows: readonly NewDelivery[]) => void) | undefined;

	const selectHooks = lazy(() =>
		storage.db
			.select({ id: webhooks.id, formId: webhooks.formId, url: webhooks.url, events: webhooks.events })
			.from(webhooks)
			.where(eq(webhooks.isActive, true))
			.prepare(),
	);

	async function readHooks(version: number): Promise<void> {
		if (version <= cacheVersion) return;
		const hooks = Map.groupBy(await selectHooks().execute(), ({ formId }) => formId);
		if (version <= cacheVersion) return;
		hooksByForm = hooks;
		cacheVersion = version;
	}

	/** Spam is withheld until the owner unmarks it; the deliveries of a test form are only shown. */
	function initialState(form: FormRow, { spamReason }: Pick<NewSubmission, 'spamReason'>): InitialState {
		if (spamReason !== null) return { state: 'withheld', lastError: 'The submission is spam' };
		if (form.mode === 'test') return { state: 'captured' };
		return { state: 'waiting', nextAttemptAt: now() };
	}

	function initialMailState(planned: InitialState): InitialState {
		if (planned.state !== 'waiting' || mayMail) return planned;
		return { state: 'withheld', lastError: NO_MAIL_SERVER };
	}

	function rowsFor(form: FormRow, submission: NewSubmission): NewDelivery[] {
		const hooks = hooksByForm.get(form.id) ?? NO_HOOKS;
		if (!form.notificationEmail && hooks.length === 0) return NOTHING;
		const rows: NewDelivery[] = [];
		const planned = initialState(form, submission);
		const shared = () => ({ id: storage.nextId(), formId: form.id });
		if (form.notificationEmail) {
			rows.push({ ...shared(), channel: 'mail', destination: form.notificationEmail, ...initialMailState(planned) });
		}
		for (const { id: webhookId, url, events } of hooks) {
			if (!events.includes(SUBMISSION_CREATED)) continue;
			rows.push({ ...shared(), channel: 'webhook', webhookId, destination: url, ...planned });
		}
		return rows;
	}

	function tellOthers(rows: readonly NewDelivery[]): void {
		for (const { channel, webhookId = null, state } of rows)
			if (state === 'waiting') storage.events.publish({ type: 'due', channel, webhookId });
	}

	return {
		/** The rows to store with the submission. On the hot path: synchronous as long as the cache is valid. */
		plan({ form, submission }: Cause): readonly NewDelivery[] | Promise<readonly NewDelivery[]> {
			const version = storage.settingsVersion();
			if (version === cacheVersion) return rowsFor(form, submission);
			return Promise.resolve(version)
				.then(readHooks)
				.then(() => rowsFor(form, submission));
		},
		/**
		 * The row to store when a form's addresses change: a mail to the former ones, if any. Whether mail is set up is
		 * checked when it is sent, because a command does not know the server's settings.
		 */
		planAddressNotice(former: FormRow): NewDelivery[] {
			if (!former.notificationEmail) return [];
			const notice = { id: storage.nextId(), formId: former.id, channel: 'mail', event: ADDRESS_CHANGED } as const;
			return [{ ...notice, destination: former.notificationEmail, ...initialState(former, { spamReason: null }) }];
		},
		/** Call this once planned rows are on disk: the worker need not wait for its next poll. */
		wake(rows: readonly NewDelivery[]): void {
			if (rows.length === 0) return;
			if (wakeWorker) wakeWorker(rows);
			else if (storage.isShared) tellOthers(rows);
		},
		/** Sets what {@link wake} calls: the worker, if it is in this process. */
		onWake(call: ((rows: readonly NewDelivery[]) => void) | undefined): void {
			wakeWorker = call;
		},
	};
}
