/**
 * Every format in which a message reaches people by a webhook, once. Each keeps the bounds that its vendor publishes, and puts what
 * a visitor sent where nothing is read as markup: no one is mentioned and nothing is a link. Pure, for browsers too.
 */

import { bytesOf, cutText } from '../text/cut-text.ts';
import { escapeHtml } from '../text/html.ts';

export interface Message {
	/** One line, of the owner's words and ours. */
	title: string;
	/** The part that visitors sent, line by line; empty for none. */
	text: string;
	/** Where it leads, at this server. */
	link: string;
}

export interface MessageRequest {
	/** In place of the address of the webhook, at the same host. */
	url?: string;
	method?: 'PUT';
	/** Becomes JSON. */
	body: object;
}

interface MessageFormat {
	/** As people know it. */
	label: string;
	/** Where its address comes from, and an example. */
	hint: string;
	placeholder: string;
	/** An example of a header that it needs. */
	header?: string;
	/** Why an address is not one of it, as the rest of a sentence. */
	objection?(url: URL): string | undefined;
	/** @param to The address of the webhook, and an id that is the same at each attempt. */
	request(message: Message, to: { url: URL; id: string }): MessageRequest;
}

const OPEN = 'Open in formsrv';
const TITLE_MAX = 200;
const LINES_MAX = 50;

export const MESSAGE_FORMATS = {
	slack: {
		label: 'Slack',
		hint: 'The address of an incoming webhook of a Slack app.',
		placeholder: 'https://hooks.slack.com/services/T000/B000/XXXX',
		request: ({ title, text, link }) => ({
			body: {
				text: title.replace(/[&<>]/g, (sign) => escapeHtml(sign)),
				blocks: [
					{
						type: 'rich_text',
						elements: [
							{ type: 'rich_text_section', elements: [{ type: 'text', text: title, style: { bold: true } }] },
							...(text === ''
								? []
								: [{ type: 'rich_text_preformatted', elements: [{ type: 'text', text: cutText(text, 3000) }] }]),
							{ type: 'rich_text_section', elements: [{ type: 'link', url: link, text: OPEN }] },
						],
					},
				],
			},
		}),
	},
	discord: {
		label: 'Discord',
		hint: 'The address of a webhook: settings of the channel, Integrations.',
		placeholder: 'https://discord.com/api/webhooks/123/XXXX',
		request: ({ title, text, link }) => ({
			body: {
				content: markdown({ title, text, end: `<${link}>` }, 2000),
				allowed_mentions: { parse: [] },
			},
		}),
	},
	telegram: {
		label: 'Telegram',
		hint: 'The address of sendMessage with the token of your bot, and the chat as chat_id.',
		placeholder: 'https://api.telegram.org/bot123:XXXX/sendMessage?chat_id=-100123',
		objection({ pathname, searchParams }) {
			if (!pathname.endsWith('/sendMessage') || !searchParams.get('chat_id'))
				return 'must end with /sendMessage?chat_id= and the id of the chat';
			// It would count in place of the entities.
			return markupObjection(searchParams, ['parse_mode']);
		},
		request({ title, text, link }, { url }) {
			const bare = new URL(url);
			const chat = [...url.searchParams].map(([name, value]) => {
				bare.searchParams.delete(name);
				return [name, /^-?\d{1,15}$/.test(value) ? Number(value) : value];
			});
			const entities: object[] = [];
			let written = '';
			const add = (part: string, entity: object) => {
				entities.push({ offset: written.length, length: part.length, ...entity });
				written += `${part}\n`;
			};
			add(title, { type: 'bold' });
			if (text !== '') add(cutText(text, 4096 - written.length - OPEN.length - 1), { type: 'pre' });
			add(OPEN, { type: 'text_link', url: link });
			return {
				url: bare.href,
				body: {
					...Object.fromEntries(chat),
					text: written.trimEnd(),
					entities,
					link_preview_options: { is_disabled: true },
				},
			};
		},
	},
	mattermost: {
		label: 'Mattermost',
		hint: 'The address of an incoming webhook: Integrations.',
		placeholder: 'https://mattermost.example.com/hooks/xxxx',
		request: ({ title, text, link }) => ({
			body: {
				text: markdown(
					{ title: withoutSlackMentions(title), text: withoutSlackMentions(text), end: `[${OPEN}](${link})` },
					4000,
				),
			},
		}),
	},
	teams: {
		label: 'Microsoft Teams',
		hint: 'The address of a workflow that posts webhook requests to a channel: Workflows.',
		placeholder: 'https://prod-00.westeurope.logic.azure.com/workflows/…',
		request: ({ title, text, link }) => ({
			body: {
				type: 'message',
				attachments: [
					{
						contentType: 'application/vnd.microsoft.card.adaptive',
						contentUrl: null,
						content: {
							$schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
							type: 'AdaptiveCard',
							version: '1.4',
							body: [
								{ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: title, weight: 'Bolder' }] },
								...linesOf(cutText(text, 4096)).map((line) => ({
									type: 'RichTextBlock',
									spacing: 'None',
									inlines: [{ type: 'TextRun', text: line }],
								})),
							],
							actions: [{ type: 'Action.OpenUrl', title: OPEN, url: link }],
						},
					},
				],
			},
		}),
	},
	ntfy: {
		label: 'ntfy',
		hint: 'The address of your topic.',
		placeholder: 'https://ntfy.sh/my-topic',
		header: 'Authorization: Bearer tk_…',
		objection: ({ pathname, searchParams }) =>
			/\/[-\w]{1,64}$/.test(pathname)
				? markupObjection(searchParams, ['markdown', 'md', 'x-markdown'])
				: 'must end with the name of the topic, as https://ntfy.sh/my-topic',
		request({ title, text, link }, { url }) {
			const [, parent = '/', topic] = /^(.*\/)([^/]+)$/.exec(url.pathname) ?? [];
			const rest = text === '' ? { topic, click: link } : { topic, title, click: link };
			// A message of 4,096 bytes would become a file, and its JSON as a whole may have twice as many.
			const left = 2 * 4096 - bytesOf(JSON.stringify({ ...rest, message: '' }));
			const message = cutText(cutText(text === '' ? title : text, 4095, bytesOf), left, escapedBytesOf);
			return { url: new URL(parent + url.search, url).href, body: { ...rest, message } };
		},
	},
	gotify: {
		label: 'Gotify',
		hint: 'The address of /message with the token of an application.',
		placeholder: 'https://gotify.example.com/message?token=XXXX',
		objection: ({ pathname }) => (pathname.endsWith('/message') ? undefined : 'must lead to /message'),
		request: ({ title, text, link }) => ({
			body: {
				title,
				message: cutText(text, 4096) || title,
				priority: 5,
				extras: {
					'client::display': { contentType: 'text/plain' },
					'client::notification': { click: { url: link } },
				},
			},
		}),
	},
	matrix: {
		label: 'Matrix',
		hint: 'The address below which messages are sent to a room; the access token goes into a header.',
		placeholder: 'https://matrix.example.com/_matrix/client/v3/rooms/!room:example.com/send/m.room.message',
		header: 'Authorization: Bearer syt_…',
		objection: ({ pathname }) =>
			/\/_matrix\/client\/[^/]+\/rooms\/[^/]+\/send\/m\.room\.message\/?$/.test(pathname)
				? undefined
				: 'must end with /_matrix/client/v3/rooms/ROOM/send/m.room.message',
		request({ title, text, link }, { url, id }) {
			const shown = cutText(text, 4096);
			const code = shown && `<pre><code>${escapeHtml(shown)}</code></pre>`;
			const target = new URL(url);
			target.pathname = `${url.pathname.replace(/\/$/, '')}/${encodeURIComponent(id)}`;
			return {
				url: target.href,
				method: 'PUT',
				body: {
					msgtype: 'm.text',
					body: [title, shown, link].filter((part) => part !== '').join('\n'),
					format: 'org.matrix.custom.html',
					formatted_body: `<p><strong>${escapeHtml(title)}</strong></p>${code}<p><a href="${escapeHtml(link)}">${OPEN}</a></p>`,
					'm.mentions': {},
				},
			};
		},
	},
} satisfies Record<string, MessageFormat>;

export type MessageFormatName = keyof typeof MESSAGE_FORMATS;
export const MESSAGE_FORMAT_NAMES = Object.keys(MESSAGE_FORMATS) as MessageFormatName[];

/** The request that carries a message. The title is cut. */
export function messageRequest(
	format: MessageFormatName,
	{ title, ...message }: Message,
	to: { url: string; id: string },
): MessageRequest {
	const described: MessageFormat = MESSAGE_FORMATS[format];
	return described.request({ ...message, title: cutText(title, TITLE_MAX) }, { ...to, url: new URL(to.url) });
}

/** Why an address is not one of a format, as the rest of a sentence; `undefined` if it may be, and of other formats. */
export function objectionToAddress(format: string, url: string): string | undefined {
	return isMessageFormat(format) ? (MESSAGE_FORMATS[format] as MessageFormat).objection?.(new URL(url)) : undefined;
}

export function isMessageFormat(format: string): format is MessageFormatName {
	return Object.hasOwn(MESSAGE_FORMATS, format);
}

/** An objection to parameters of an address by which a receiver would read markup in the text. */
function markupObjection(parameters: URLSearchParams, names: readonly string[]): string | undefined {
	const found = [...parameters.keys()].find((name) => names.includes(name.toLowerCase()));
	return found && `must not have ${found}: what visitors wrote would be read as markup`;
}

/** As a part of a JSON text. */
const escapedBytesOf = (text: string): number => bytesOf(JSON.stringify(text)) - 2;

/** A text of at most `max` characters, in which what visitors sent is a block of code that nothing in it can end. */
function markdown({ title, text, end }: { title: string; text: string; end: string }, max: number): string {
	const [before, after] = [`**${escapeMarkdown(title)}**\n`, `\n${end}`];
	const [fence, ending] = ['```\n', '\n```'];
	const code = text.replace(/`(?=`)/g, '`\u200b');
	const left = max - before.length - after.length - fence.length - ending.length;
	return text === '' ? before + end : before + fence + cutText(code, left) + ending + after;
}

/** Mattermost puts mentions where Slack's stand, before it reads Markdown and so in code as well. */
function withoutSlackMentions(text: string): string {
	return text.replace(/<(?=[!@])/g, '<\u200b');
}

/** Text in Markdown: no sign in it has a meaning, and no one is mentioned. */
function escapeMarkdown(text: string): string {
	return text.replace(/[\\`*_{}[\]()>#+\-.!|~]/g, '\\$&').replaceAll('@', '@\u200b');
}

function linesOf(text: string): string[] {
	const lines = text.split('\n').filter((line) => line.trim() !== '');
	if (lines.length <= LINES_MAX) return lines;
	return [...lines.slice(0, LINES_MAX - 1), lines.slice(LINES_MAX - 1).join(' ')];
}
