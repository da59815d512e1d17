/** Request and response schemas of deliveries. */

import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { paginationSchema } from '../http/paging.ts';
import { nullable, omissible, stringEnum } from '../http/schema-types.ts';
import { CHANNELS, DELIVERY_STATES } from '../storage/tables.ts';
import { RETRY_IDS_MAX, RETRY_STATES, TOTAL_MAX } from './bounds.ts';
import { WEBHOOK_EVENT_NAMES } from './events.ts';

const oneOf = <T extends string>(values: readonly T[], description?: string) => stringEnum(values, { description });
const orNull = <T extends TSchema>(schema: T, description: string) => nullable(schema, { description });
const dateTime = () => Type.String({ format: 'date-time' });

const members = {
	id: Type.String(),
	form: Type.String(),
	submission: orNull(
		Type.String(),
		'The submission it is about; `null` for a digest of many, for a mail about the form, and for a submission that is gone.',
	),
	channel: oneOf(CHANNELS),
	event: Type.String({
		description:
			`${WEBHOOK_EVENT_NAMES.map((name) => `\`${name}\``).join(', ')}, ` +
			'`submissions.digest` for one mail about many, or `form.notification-email-changed` to the former addresses.',
	}),
	state: oneOf(
		DELIVERY_STATES,
		'`waiting` for its (next) attempt, `sending`, `sent`, `gathered` into a digest, `failed` for good, `withheld` ' +
			'until it is released, `held` because a backup was restored, until it is sent again, `captured` because the form is a test form.',
	),
	destination: Type.String({ description: 'The addresses or the URL it goes to.' }),
	attempts: Type.Integer(),
	createdAt: dateTime(),
	nextAttemptAt: orNull(dateTime(), 'When the next attempt is due.'),
	finishedAt: orNull(dateTime(), 'When it was sent or failed.'),
	lastError: orNull(Type.String(), 'Why the latest attempt failed, or why it is withheld.'),
	webhook: orNull(Type.String(), 'The webhook it goes to.'),
	digest: orNull(Type.String(), 'The digest that includes this delivery, if any.'),
};

export const Delivery = Type.Object(members, { $id: 'Delivery' });
export type Delivery = Static<typeof Delivery>;

export const DeliveryWithContent = Type.Object(
	{
		...members,
		content: Type.Any({
			description:
				'The content that was sent or would be. Mail: `from`, `to`, `cc`, `bcc`, `replyTo`, `subject`, `messageId`, `text`, and `html` ' +
				'until it is sent. Webhook: the body. `null` when it has expired. With `isCut`, one long value is only the ' +
				'beginning: `text` of a sent mail; `data.submission.data` of a body, which is then the beginning of its JSON as ' +
				'text. Deliveries themselves are never cut.',
		}),
	},
	{ $id: 'DeliveryWithContent' },
);
export type DeliveryWithContent = Static<typeof DeliveryWithContent>;

export const DeliveryList = Type.Object(
	{
		deliveries: Type.Array(Delivery),
		pagination: paginationSchema(`How many match; counted up to ${TOTAL_MAX}.`),
		mail: Type.Object(
			{
				isSet: Type.Boolean({ description: 'Whether a mail server is set.' }),
				heldSince: orNull(dateTime(), 'Since when the mail server is unavailable.'),
				heldReason: orNull(Type.String(), 'Why.'),
				nextProbeAt: orNull(dateTime(), 'When the next probe is due.'),
			},
			{ description: 'Whether mail is set up, and whether it is paused.' },
		),
		held: Type.Integer({ description: `How many are \`held\` since a restore; counted up to ${TOTAL_MAX}.` }),
		digests: Type.Array(
			Type.Object({
				delivery: Type.String({ description: 'The digest.' }),
				form: Type.String(),
				since: Type.String({ format: 'date-time', description: 'When the cap was reached.' }),
				goesAt: Type.String({ format: 'date-time', description: 'When the digest is sent.' }),
			}),
			{
				description: 'Digests of forms that have reached their hourly mail cap: further submissions are added to them.',
			},
		),
	},
	{ $id: 'DeliveryList' },
);
export type DeliveryList = Static<typeof DeliveryList>;

/** Either `ids`, or all that match. */
export const RetryDeliveries = Type.Object(
	{
		ids: omissible(
			Type.Array(Type.String(), { minItems: 1, maxItems: RETRY_IDS_MAX, description: 'These deliveries.' }),
		),
		state: omissible(oneOf(RETRY_STATES, 'Without `ids`: all in this state; `failed` if it is left out.')),
		form: omissible(Type.String({ description: 'Without `ids`: only of this form (id).' })),
		channel: omissible(oneOf(CHANNELS, 'Without `ids`: only these.')),
	},
	{ $id: 'RetryDeliveries', additionalProperties: false },
);
export type RetryDeliveries = Static<typeof RetryDeliveries>;

export const RetryResult = Type.Object(
	{ retried: Type.Integer({ description: 'How many are retried.' }) },
	{ $id: 'RetryResult' },
);

export const MailTest = Type.Object(
	{ to: Type.String({ description: 'One mail address.' }) },
	{ $id: 'MailTest', additionalProperties: false },
);

export const MailTestResult = Type.Object(
	{
		accepted: Type.Literal(true),
		reply: Type.String({ description: 'The reply of the mail server.' }),
	},
	{ $id: 'MailTestResult' },
);

export const FormMailTestResult = Type.Object(
	{ ...MailTestResult.properties, to: Type.Array(Type.String(), { description: 'Who got it, copies included.' }) },
	{ $id: 'FormMailTestResult' },
);

const mailboxes = (description: string) => Type.Array(Type.String(), { description });
export const MailContent = Type.Object(
	{
		from: Type.Object({ name: Type.String(), address: Type.String() }),
		to: mailboxes('Each as `Name <address>`, or the address alone.'),
		cc: mailboxes('Copies.'),
		bcc: mailboxes('Hidden copies.'),
		replyTo: orNull(Type.String(), 'Where replies go.'),
		subject: Type.String(),
		messageId: Type.String(),
		text: Type.String(),
		html: Type.String(),
	},
	{ $id: 'MailContent' },
);
export type MailContent = Static<typeof MailContent>;

export type MailTestResult = Static<typeof MailTestResult>;
