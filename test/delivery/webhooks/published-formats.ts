/** Checkers of the requests that chats take, each written after what its vendor publishes. */

import { type TSchema, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { MessageFormatName } from '../../../src/form-values/message-formats.ts';

export interface SentRequest {
	url: string;
	method: string;
	// biome-ignore lint/suspicious/noExplicitAny: any JSON, which the schema checks
	body: any;
}

interface Published {
	/** Where the vendor describes it. */
	source: string;
	/** An address as an owner types it, and the one that gets the request. */
	address: string;
	target: string;
	schema: TSchema;
	/** Says what is wrong beyond the schema. @param link The one address that the message may lead to. */
	faults(body: SentRequest['body'], link: string): string[];
}

const strict = { additionalProperties: false };
const object = (members: Record<string, TSchema>) => Type.Object(members, strict);
const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
const unless = (holds: boolean, fault: string) => (holds ? [] : [fault]);

/** A title, at most one block of code that ends where it seems to, and the owner's link. */
function markdownFaults(text: string, end: string): string[] {
	const [, title = '', code = ''] = /^\*\*(.*)\*\*\n(?:```\n([\s\S]*)\n```\n)?([^\n]*)$/.exec(text) ?? [];
	return [
		...unless(title !== '' && text.endsWith(`\n${end}`), `not a title, code and a link: ${text}`),
		...unless(!code.includes('```'), 'the block of code ends early'),
		...unless(!/(?<!\\)[*_`~[\]()|]/.test(title), 'the title has markup'),
		...unless(!/@[\w]/.test(title), 'the title mentions someone'),
	];
}

const richText = Type.Union([
	object({
		type: Type.Literal('text'),
		text: Type.String({ minLength: 1, maxLength: 3000 }),
		style: Type.Optional(object({ bold: Type.Boolean() })),
	}),
	object({ type: Type.Literal('link'), url: Type.String(), text: Type.String() }),
]);
const textRun = object({
	type: Type.Literal('TextRun'),
	text: Type.String({ minLength: 1 }),
	weight: Type.Optional(Type.String()),
});

export const PUBLISHED: Record<MessageFormatName, Published> = {
	slack: {
		source: 'https://docs.slack.dev/reference/block-kit/blocks/rich-text-block',
		address: 'https://hooks.slack.com/services/T0/B0/X',
		target: 'POST https://hooks.slack.com/services/T0/B0/X',
		schema: object({
			text: Type.String({ minLength: 1, maxLength: 4000 }),
			blocks: Type.Array(
				object({
					type: Type.Literal('rich_text'),
					elements: Type.Array(
						object({
							type: Type.Union([Type.Literal('rich_text_section'), Type.Literal('rich_text_preformatted')]),
							elements: Type.Array(richText, { minItems: 1 }),
						}),
					),
				}),
				{ maxItems: 50 },
			),
		}),
		faults({ text, blocks }, link) {
			const links = JSON.stringify(blocks).match(/"type":"link","url":("(?:[^"\\]|\\.)*")/g) ?? [];
			return [
				...unless(!/[<>]|&(?!amp;|lt;|gt;)/.test(text), 'the text has control sequences'),
				...unless(links.length === 1 && links[0]?.includes(JSON.stringify(link)) === true, 'another link'),
			];
		},
	},
	discord: {
		source: 'https://docs.discord.com/developers/resources/webhook#execute-webhook',
		address: 'https://discord.com/api/webhooks/1/X',
		target: 'POST https://discord.com/api/webhooks/1/X',
		schema: object({
			content: Type.String({ minLength: 1, maxLength: 2000 }),
			allowed_mentions: object({ parse: Type.Array(Type.String(), { maxItems: 0 }) }),
		}),
		faults: ({ content }, link) => markdownFaults(content, `<${link}>`),
	},
	telegram: {
		source: 'https://core.telegram.org/bots/api#sendmessage',
		address: 'https://api.telegram.org/bot1:X/sendMessage?chat_id=-1001&message_thread_id=7',
		target: 'POST https://api.telegram.org/bot1:X/sendMessage',
		schema: object({
			chat_id: Type.Union([Type.Integer(), Type.String({ pattern: '^@' })]),
			message_thread_id: Type.Optional(Type.Integer()),
			text: Type.String({ minLength: 1, maxLength: 4096 }),
			entities: Type.Array(
				object({
					type: Type.Union([Type.Literal('bold'), Type.Literal('pre'), Type.Literal('text_link')]),
					offset: Type.Integer({ minimum: 0 }),
					length: Type.Integer({ minimum: 1 }),
					url: Type.Optional(Type.String()),
				}),
				{ maxItems: 100 },
			),
			link_preview_options: object({ is_disabled: Type.Literal(true) }),
		}),
		// By tdlib/telegram-bot-api (Client::get_formatted_text) and tdlib/td (fix_formatted_text): a text of more than 32,768 bytes is
		// refused, a parse_mode counts in place of the entities, and nothing is looked for inside `pre`; inside `bold` it is,
		// where the owner's words stand.
		faults({ text, entities }, link) {
			const covered = entities.reduce((sum: number, { length }: { length: number }) => sum + length + 1, -1);
			const links = entities.flatMap(({ url }: { url?: string }) => url ?? []);
			const last = entities.at(-1);
			const [first, ...others] = entities.map(({ type }: { type: string }) => type);
			return [
				...unless(
					first === 'bold' && /^(?:pre,)?text_link$/.test(others.join()),
					'other entities than a title, a text and a link',
				),
				...unless(Buffer.byteLength(text) <= 2 ** 15, 'more than 32,768 bytes'),
				...unless(covered === text.length && last.offset + last.length === text.length, 'text outside of entities'),
				...unless(links.length === 1 && links[0] === link, 'another link'),
			];
		},
	},
	mattermost: {
		source: 'https://developers.mattermost.com/integrate/webhooks/incoming/',
		address: 'https://chat.example.com/hooks/x',
		target: 'POST https://chat.example.com/hooks/x',
		schema: object({ text: Type.String({ minLength: 1, maxLength: 4000 }) }),
		faults: ({ text }, link) => [
			...markdownFaults(text, `[Open in formsrv](${link})`),
			// Translated as Slack's, wherever they stand.
			...unless(!/<[!@]/.test(text), 'a mention in the way of Slack'),
		],
	},
	teams: {
		source:
			'https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/add-incoming-webhook',
		address: 'https://prod.example.logic.azure.com/workflows/x?sig=y',
		target: 'POST https://prod.example.logic.azure.com/workflows/x?sig=y',
		schema: object({
			type: Type.Literal('message'),
			attachments: Type.Array(
				object({
					contentType: Type.Literal('application/vnd.microsoft.card.adaptive'),
					contentUrl: Type.Null(),
					content: object({
						$schema: Type.Literal('http://adaptivecards.io/schemas/adaptive-card.json'),
						type: Type.Literal('AdaptiveCard'),
						version: Type.String({ pattern: '^1\\.[0-5]$' }),
						// As schemas/1.4.0 of microsoft/AdaptiveCards has it: TextRun reads no Markdown, unlike TextBlock.
						body: Type.Array(
							object({
								type: Type.Literal('RichTextBlock'),
								spacing: Type.Optional(Type.Literal('None')),
								inlines: Type.Array(textRun, { minItems: 1 }),
							}),
						),
						actions: Type.Array(
							object({ type: Type.Literal('Action.OpenUrl'), title: Type.String(), url: Type.String() }),
						),
					}),
				}),
				{ minItems: 1, maxItems: 1 },
			),
		}),
		faults: (body, link) => [
			...unless(bytes(body) <= 28 * 1024, 'more than 28 KB'),
			...unless(
				body.attachments[0].content.actions.every(({ url }: { url: string }) => url === link),
				'another link',
			),
		],
	},
	ntfy: {
		source: 'https://docs.ntfy.sh/publish/#publish-as-json',
		address: 'https://ntfy.example.com/base/alerts?auth=x',
		target: 'POST https://ntfy.example.com/base/?auth=x',
		schema: object({
			topic: Type.String({ pattern: '^[-_A-Za-z0-9]{1,64}$' }),
			title: Type.Optional(Type.String({ minLength: 1 })),
			message: Type.String({ minLength: 1 }),
			click: Type.String(),
		}),
		// The server takes a message of its limit for a file, and no JSON of more than twice of that.
		faults: ({ message, click, ...rest }, link) => [
			...unless(Buffer.byteLength(message) < 4096, '4,096 bytes or more'),
			...unless(bytes({ message, click, ...rest }) <= 2 * 4096, 'a body of more than 8,192 bytes'),
			...unless(click === link, 'another link'),
		],
	},
	// By gotify/server (model/message.go, api/message.go): a message is required, an empty title becomes the name of the application, other
	// members are passed over. By gotify/website (docs/msgextras.md): text/plain is shown as it is, but for addresses that can be tapped.
	gotify: {
		source: 'https://gotify.net/docs/msgextras',
		address: 'https://gotify.example.com/message?token=x',
		target: 'POST https://gotify.example.com/message?token=x',
		schema: object({
			title: Type.String({ minLength: 1 }),
			message: Type.String({ minLength: 1, maxLength: 4096 }),
			priority: Type.Integer(),
			extras: object({
				'client::display': object({ contentType: Type.Literal('text/plain') }),
				'client::notification': object({ click: object({ url: Type.String() }) }),
			}),
		}),
		faults: ({ extras }, link) => unless(extras['client::notification'].click.url === link, 'another link'),
	},
	matrix: {
		source: 'https://spec.matrix.org/latest/client-server-api/#put_matrixclientv3roomsroomidsendeventtypetxnid',
		address: 'https://matrix.example.com/_matrix/client/v3/rooms/!r:example.com/send/m.room.message',
		target: 'PUT https://matrix.example.com/_matrix/client/v3/rooms/!r:example.com/send/m.room.message/ID',
		schema: object({
			msgtype: Type.Literal('m.text'),
			body: Type.String({ minLength: 1 }),
			format: Type.Literal('org.matrix.custom.html'),
			formatted_body: Type.String({ minLength: 1 }),
			'm.mentions': object({}),
		}),
		faults(body, link) {
			const html: string = body.formatted_body;
			const tags = html.match(/<[^>]*>/g) ?? [];
			const href = `<a href="${link.replaceAll('&', '&amp;')}">`;
			const known = ['<p>', '</p>', '<strong>', '</strong>', '<pre>', '<code>', '</code>', '</pre>', '</a>', href];
			return [
				...unless(
					tags.every((tag) => known.includes(tag)),
					`other tags: ${tags}`,
				),
				...unless(tags.filter((tag) => tag.startsWith('<a')).length === 1, 'another link'),
				...unless(bytes(body) < 60_000, 'an event has at most 65,536 bytes'),
			];
		},
	},
};

/** The objections of a vendor to a request, and all in it that would be more than text. */
export function faultsOf(format: MessageFormatName, { url, method, body }: SentRequest, link: string): string[] {
	const { schema, faults, target } = PUBLISHED[format];
	const errors = [...Value.Errors(schema, body)].map(({ path, message }) => `${path} ${message}`);
	const reached = `${method} ${url}`.replace(/(?:msg|test)_\w+$/, 'ID');
	const broken = /\ud83d(?![\udc00-\udfff])|[\ud800-\udbff](?![\udc00-\udfff])/.test(JSON.stringify(body));
	return [
		...errors,
		...unless(reached === target, `sent to ${reached}`),
		...unless(!broken, 'half of a character'),
		...(errors.length > 0 ? [] : faults(body, link)),
	];
}
