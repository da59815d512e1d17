/** Request and response schemas of webhooks. */

import { type Static, Type } from '@sinclair/typebox';
import { type Condition, conditionsSchema } from '../../form-values/conditions.ts';
import { INCLUDE_NAMES, INCLUDES, WEBHOOK_FORMAT_NAMES } from '../../form-values/webhook-formats.ts';
import { ignoredMembers, nullable, stringEnum, stringMap } from '../../http/schema-types.ts';
import { WEBHOOK_EVENT_NAMES, WEBHOOK_EVENTS } from '../events.ts';

const Url = Type.String({
	description:
		'Where events are posted to: http on port 80, https on port 443, or one above 1023, at a public address.',
});
const Events = Type.Array(stringEnum(WEBHOOK_EVENT_NAMES), {
	description: `The events to post: ${describeEvents()}. \`submission.created\` if it is left out.`,
});
const IsActive = Type.Boolean({ description: 'Set to `true` to resume after the server disabled it.' });

const Name = Type.String({ description: 'For people, up to 100 characters.' });
const Format = stringEnum(WEBHOOK_FORMAT_NAMES, {
	description:
		'The shape of what is posted: `standard`, an event of Standard Webhooks; `custom`, the `body`; or a message for people in the ' +
		'shape that a chat takes. `standard` if it is left out.',
});
const IncludeSchema = stringEnum(INCLUDE_NAMES, {
	description: `How much of a submission a message for people holds: ${INCLUDE_NAMES.map((name) => `\`${name}\`, ${INCLUDES[name].toLowerCase()}`).join('; ')}.`,
});
const Headers = stringMap(nullable(Type.String()), {
	description:
		'Up to ten headers to send along, such as `Authorization`. Their values are not returned: `null` stands for the stored one, also in a change.',
});
const Body = Type.Unsafe<object | null>(
	Type.Any({
		description:
			'Of the format `custom`: an object or list, up to 8 KiB as JSON, whose strings may hold `{{field}}`, `{{form.name}}`, ' +
			'`{{submission.event}}`, `{{submission.id}}`, `{{submission.url}}` and `{{submission.createdAt}}`; `null` in the other formats.',
	}),
);
const Where = Type.Unsafe<Condition[]>(
	conditionsSchema(
		{ Type },
		'Up to five conditions that a submission has to meet, all of them. Empty: every submission is posted.',
	),
);

const members = {
	id: Type.String(),
	url: Url,
	name: nullable(Name),
	format: Format,
	include: IncludeSchema,
	headers: Headers,
	body: Body,
	where: Where,
	events: Events,
	isActive: IsActive,
	disabledReason: nullable(Type.String(), { description: 'Why the server disabled it.' }),
	failingSince: nullable(Type.String({ format: 'date-time' }), {
		description: 'Since when every attempt has failed; after five days the webhook is disabled.',
	}),
	createdAt: Type.String({ format: 'date-time' }),
};

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
	name: Type.Optional(nullable(Name)),
	format: Type.Optional(nullable(Format)),
	include: Type.Optional(nullable(IncludeSchema)),
	headers: Type.Optional(nullable(Headers)),
	body: Type.Optional(Body),
	where: Type.Optional(nullable(Where)),
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
