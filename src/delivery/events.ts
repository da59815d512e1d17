/** The events that cause deliveries, each once. Pure. */

export const SUBMISSION_CREATED = 'submission.created';
export const SUBMISSION_CONFIRMED = 'submission.confirmed';
export const SUBMISSION_SPAM = 'submission.spam';
export const SUBMISSION_UPDATED = 'submission.updated';
export const SUBMISSION_DELETED = 'submission.deleted';
export const DELIVERY_FAILED = 'delivery.failed';

interface EventWords {
	/** For people, in a list of what a webhook gets. */
	label: string;
	/** The end of a sentence: posted when … */
	posted: string;
	/** In the title of a message, after the name of the form. */
	headline: string;
	/** The same behind a number. */
	many?: string;
}

export const WEBHOOK_EVENTS = {
	[SUBMISSION_CREATED]: {
		label: 'New submissions',
		posted: 'a submission was stored that is not spam, or was marked as genuine, or was confirmed',
		headline: 'new submission',
	},
	[SUBMISSION_CONFIRMED]: {
		label: 'Confirmed submissions',
		posted: 'a visitor confirmed a submission by the link in a mail',
		headline: 'confirmed submission',
	},
	[SUBMISSION_SPAM]: { label: 'Spam', posted: 'a submission was stored as spam', headline: 'spam' },
	[SUBMISSION_UPDATED]: {
		label: 'Changes of submissions',
		posted: 'an owner changed what a submission is marked as',
		headline: 'submission changed',
		many: 'more submissions changed',
	},
	[SUBMISSION_DELETED]: {
		label: 'Deleted submissions',
		posted: 'a submission was removed, with its id alone',
		headline: 'submission deleted',
		many: 'more submissions deleted',
	},
	[DELIVERY_FAILED]: {
		label: 'Failed deliveries',
		posted: 'a mail, or a request to another webhook, was given up',
		headline: 'a delivery failed',
	},
} as const satisfies Record<string, EventWords>;
export type WebhookEvent = keyof typeof WEBHOOK_EVENTS;
export const WEBHOOK_EVENT_NAMES = Object.keys(WEBHOOK_EVENTS) as WebhookEvent[];

/** The event of a mail that asks a visitor to confirm an address. */
export const CONFIRMATION_ASKED = 'submission.confirmation-asked';

/** Returns whether deliveries of an event are withheld while their submission is spam: others say that it is. */
export const isWithheldAsSpam = (event: string): boolean =>
	event === SUBMISSION_CREATED || event === SUBMISSION_CONFIRMED || event === CONFIRMATION_ASKED;

/** The events that only mails are about. */
export const SUBMISSIONS_DIGEST = 'submissions.digest';
export const ADDRESS_CHANGED = 'form.notification-email-changed';
