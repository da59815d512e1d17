/** Request and response schemas of webhooks. */

import { type Static, Type } from '@sinclair/typebox';
import { ignoredMembers, nullable, stringEnum } from '../../http/schema-types.ts';
import { WEBHOOK_EVENT_NAMES, WEBHOOK_EVENTS } from '../events.ts';

const Url = Type.String({
	description:
		'Where events are posted to: http on port 80, https on port 443, or one above 1023, at a public address.',
});
const Events = Type.Array(stringEnum(WEBHOOK_EVENT_NAMES), {
	description: `The events to post: ${describeEvents()}. \`submission.created\` if it is left out.`,
});
const IsActive = Type.Boolean({ description: 'Set to `true` to resume after the server disabled it.' });

const members = {
	id: Type.String(),
	url: Url,
	events: Events,
	isActive: IsActive,
	disabledReason: nullable(Type.String(), { description: 'Why the server disabled it.' }),
	failingSince: nullable(Type.String({ format: 'date-time' }), {
		description: 'Since when every attempt has failed; after five days the webhook is disabled.',
	}),
	createdAt: Type.String({ format: 'date-time' }),
};

/** A webhook without its secret. */
export const Webhook = Type.Object(members, { $id: 'Webhook' });
export type Webhook = Static<typeof Webhook>;

/** Returned only when a webhook is created or its secret rotated. */
export const WebhookWithSecret = Type.Object(
	{
		...members,
		secret: Type.String({ description: 'Verifies the signatures. Shown only once.' }),
	},
	{ $id: 'WebhookWithSecret' },
);
export type WebhookWithSecret = Static<typeof WebhookWithSecret>;

export const WebhookList = Type.Object({ webhooks: Type.Array(Webhook) }, { $id: 'WebhookList' });

const settable = {
	url: Url,
	events: Type.Optional(nullable(Events)),
	isActive: Type.Optional(nullable(IsActive)),
};

export const CreateWebhook = Type.Object(settable, { $id: 'CreateWebhook', additionalProperties: false });
export type CreateWebhook = Static<typeof CreateWebhook>;

export const UpdateWebhook = Type.Object(
	{ ...settable, url: Type.Optional(Url), ...ignoredMembers(Webhook, settable) },
	{ $id: 'UpdateWebhook', additionalProperties: false },
);
export type UpdateWebhook = Partial<CreateWebhook>;

export const WebhookTestResult = Type.Object(
	{
		delivered: Type.Boolean({ description: 'Whether the target responded with 2xx.' }),
		status: nullable(Type.Integer(), { description: 'The status of the response; `null` without one.' }),
		error: nullable(Type.String(), { description: 'Why it failed.' }),
		answer: nullable(Type.String(), { description: 'The beginning of the response body.' }),
	},
	{ $id: 'WebhookTestResult' },
);
export type WebhookTestResult = Static<typeof WebhookTestResult>;

function describeEvents(): string {
	return Object.entries(WEBHOOK_EVENTS)
		.map(([name, { posted }]) => `\`${name}\` when ${posted}`)
		.join('; ');
}
