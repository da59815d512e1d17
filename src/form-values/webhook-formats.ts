/** Pure: the formats in which a webhook posts, and how much of a submission. For browsers too. */

import { MESSAGE_FORMATS } from './message-formats.ts';

/** Those of {@link MESSAGE_FORMATS} reach people, the others programs. */
export const WEBHOOK_FORMATS = {
	standard: {
		label: 'JSON (Standard Webhooks)',
		hint: 'Any program of yours.',
		placeholder: 'https://example.com/hooks/formsrv',
	},
	...MESSAGE_FORMATS,
	custom: {
		label: 'JSON of your own',
		hint: 'Any program that takes JSON.',
		placeholder: 'https://example.com/api/contacts',
	},
} as const;
export type WebhookFormat = keyof typeof WEBHOOK_FORMATS;
export const WEBHOOK_FORMAT_NAMES = Object.keys(WEBHOOK_FORMATS) as WebhookFormat[];

/** How much of a submission a message holds. */
export const INCLUDES = {
	link: 'Nothing but a link to it',
	summary: 'The beginnings of its first fields',
	all: 'All fields, as many as the format takes',
} as const;
export type Include = keyof typeof INCLUDES;
export const INCLUDE_NAMES = Object.keys(INCLUDES) as Include[];
