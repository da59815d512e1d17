/** A mail of a few sentences from the server itself, without submitted content. */

import { html } from '../../text/html.ts';
import { type Mail, type MailIdentity, mailHost } from './email.ts';
import { renderMailPage } from './email-page.ts';

export interface Notice {
	/** Each as `Name <address>`, or the address alone. */
	to: string[];
	title: string;
	/** The title, unless it says more. */
	subject?: string;
	/** Above the title in the HTML mail. */
	heading?: string;
	paragraphs: string[];
	link: { url: string; label: string };
	footer: string;
	/** Makes the id of the mail: the same for the same mail. */
	key: string;
	at: Date;
}

export function renderNotice(
	identity: MailIdentity,
	{ to, title, subject = title, heading = 'formsrv', paragraphs, link, footer, key, at }: Notice,
): Mail {
	return {
		from: identity.from,
		to,
		replyTo: null,
		attachments: [],
		subject,
		text: `${[title, ...paragraphs, link.url].join('\n\n')}\n\n-- \n${footer}\n`,
		html: renderMailPage({
			title,
			preview: paragraphs[0] ?? '',
			formName: heading,
			note: '',
			content: html`${paragraphs.map((text) => html`<p class="value">${text}</p>`)}`,
			link,
			footer: html`${footer}`,
		}),
		messageId: `${key}@${mailHost(identity)}`,
		date: at,
		headers: { 'Auto-Submitted': 'auto-generated' },
	};
}
