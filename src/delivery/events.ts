/** The events that cause deliveries, each once. Pure. */

export const SUBMISSION_CREATED = 'submission.created';
/** The one event of which the deliveries are not withheld because of spam. */
export const SUBMISSION_SPAM = 'submission.spam';

interface EventWords {
	/** For people, in a list of what a webhook gets. */
	label: string;
	/** The end of a sentence: posted when … */
	posted: string;
	/** In the title of a message, after the name of the form. */
	headline: string;
}

/** The events that webhooks can subscribe to. */
export const WEBHOOK_EVENTS = {
	[SUBMISSION_CREATED]: {
		label: 'New submissions',
		posted: 'a submission was stored that is not spam, or was marked as genuine',
		headline: 'new submission',
	},
	[SUBMISSION_SPAM]: { label: 'Spam', posted: 'a submission was stored as spam', headline: 'spam' },
} as const satisfies Record<string, EventWords>;
export type WebhookEvent = keyof typeof WEBHOOK_EVENTS;
export const WEBHOOK_EVENT_NAMES = Object.keys(WEBHOOK_EVENTS) as WebhookEvent[];

/** The events that only mails are about. */
export const SUBMISSIONS_DIGEST = 'submissions.digest';
export const ADDRESS_CHANGED = 'form.notification-email-changed';
