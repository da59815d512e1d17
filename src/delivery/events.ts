/** The events that cause deliveries, each once. Pure. */

export const SUBMISSION_CREATED = 'submission.created';
/** The one event of which the deliveries are not withheld because of spam. */
export const SUBMISSION_SPAM = 'submission.spam';

/** The events that webhooks can subscribe to, and what each is about. */
export const WEBHOOK_EVENTS = {
	[SUBMISSION_CREATED]: 'a submission that is not spam',
	[SUBMISSION_SPAM]: 'a submission that was stored as spam',
} as const satisfies Record<string, string>;
export type WebhookEvent = keyof typeof WEBHOOK_EVENTS;
export const WEBHOOK_EVENT_NAMES = Object.keys(WEBHOOK_EVENTS) as WebhookEvent[];

/** The events that only mails are about. */
export const SUBMISSIONS_DIGEST = 'submissions.digest';
export const ADDRESS_CHANGED = 'form.notification-email-changed';
