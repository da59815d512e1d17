/** The wire shapes of webhooks. */

import { type Static, Type } from '@sinclair/typebox';
import { nullable, stringEnum } from '../../http/schema-types.ts';
import { EVENTS } from './bounds.ts';

const Url = Type.String({
	description:
		'Where events are posted to: http on port 80, https on port 443, or one above 1023, at a public address.',
});
const Events = Type.Array(stringEnum(EVENTS), {
	description: 'What is posted there.',
});
const IsActive = Type.Boolean({ description: 'Set to `true` to resume after the server disabled it.' });

const members = {
	id: Type.String(),
	url: Url,
	events: Events,
	isActive: IsActive,
	disabledReason: nullable(Type.String(), { description: 'Why the server disabled it.' }),
	failingSince: nullable(Type.String({ format: 'date-time' }), {
		description: 'When the present run of failed attempts began; after five days the webhook is disabled.',
	}),
	createdAt: Type.String({ format: 'date-time' }),
};

/** A webhook as every route answers it; its secret is not part of it. */
export const Webhook = Type.Object(members, { $id: 'Webhook' });
export type Webhook = Static<typeof Webhook>;

/** The answer to creating one and to rotating its secret: the only moments at which the secret is shown. */
export const WebhookWithSecret = Type.Object(
	{
		...members,
		secret: Type.String({ description: 'Verifies the signatures. It is shown this once.' }),
	},
	{ $id: 'WebhookWithSecret' },
);
export type WebhookWithSecret = Static<typeof WebhookWithSecret>;

export const WebhookList = Type.Object({ webhooks: Type.Array(Webhook) }, { $id: 'WebhookList' });

const settable = {
	url: Url,
	events: Type.Optional(Events),
	isActive: Type.Optional(IsActive),
};

export const CreateWebhook = Type.Object(settable, { $id: 'CreateWebhook', additionalProperties: false });
export type CreateWebhook = Static<typeof CreateWebhook>;

const readOnly = Type.Optional(Type.Any({ description: 'Read-only; ignored.' }));

/** Members that only the server sets are taken and left unread, so that a webhook that was read can be sent back. */
export const UpdateWebhook = Type.Object(
	{
		...settable,
		url: Type.Optional(Url),
		id: readOnly,
		disabledReason: readOnly,
		failingSince: readOnly,
		createdAt: readOnly,
	},
	{ $id: 'UpdateWebhook', additionalProperties: false },
);
export type UpdateWebhook = Partial<CreateWebhook>;

/** What came of a test event. */
export const WebhookTestResult = Type.Object(
	{
		delivered: Type.Boolean({ description: 'Whether the target answered with 2xx.' }),
		status: nullable(Type.Integer(), { description: 'The status of the answer; `null` without one.' }),
		error: nullable(Type.String(), { description: 'What went wrong, in words.' }),
		answer: nullable(Type.String(), { description: 'The beginning of the body of the answer.' }),
	},
	{ $id: 'WebhookTestResult' },
);
export type WebhookTestResult = Static<typeof WebhookTestResult>;
