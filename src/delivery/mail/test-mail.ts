/** The test mail that an operator sends to check the mail settings. */

import type { SmtpServer } from '../../config/smtp-url.ts';
import { AppError, invalidField } from '../../errors.ts';
import { isEmailAddress } from '../../text/email-address.ts';
import { html } from '../../text/html.ts';
import type { Mail, MailIdentity } from './email.ts';
import { renderMailPage } from './email-page.ts';
import { type SmtpTimeouts, sendMail } from './smtp.ts';

/** Shorter than for deliveries, because the operator waits for the response. */
const TIMEOUTS: SmtpTimeouts = { connect: 10_000, greeting: 10_000, silence: 20_000, total: 25_000 };

export interface TestMailOptions {
	server: SmtpServer | null;
	identity: MailIdentity;
	now?: () => number;
}

/** Returns the trimmed address. @throws AppError VALIDATION_ERROR unless it is one mail address */
export function checkRecipient(text: string): string {
	const to = text.trim();
	if (isEmailAddress(to)) return to;
	throw invalidField('to', 'INVALID_EMAIL', `"${to}" is not one valid mail address.`);
}

/**
 * Sends the test mail directly, without the queue. Returns the mail server's reply.
 * @throws AppError CONFLICT with the cause and a remedy
 */
export async function sendTestMail(to: string, { server, identity, now = Date.now }: TestMailOptions): Promise<string> {
	if (!server) {
		throw new AppError('CONFLICT', 'No mail server is set: set FORMSRV_SMTP_URL and FORMSRV_MAIL_FROM, then restart.');
	}
	const outcome = await sendMail(server, renderTestMail(identity, { to, at: now() }), { timeouts: TIMEOUTS });
	if (outcome.kind !== 'sent') throw new AppError('CONFLICT', `${outcome.error}.`);
	return outcome.note ?? '';
}

function renderTestMail({ from, baseUrl }: MailIdentity, { to, at }: { to: string; at: number }): Mail {
	const title = 'Mail works';
	const sentence = `This formsrv can send mail as ${from.address}. Nothing else needs to be done.`;
	const footer = 'Sent because an operator of this server requested a test mail to this address.';
	return {
		from,
		to: [to],
		replyTo: null,
		attachments: [],
		subject: `${title}: a test from formsrv`,
		text: `${title}\n\n${sentence}\n\n${baseUrl}\n\n-- \n${footer}\n`,
		html: renderMailPage({
			title,
			preview: sentence,
			formName: 'formsrv',
			note: '',
			content: html`<p class="value">${sentence}</p>`,
			link: { url: baseUrl, label: 'Open the dashboard' },
			footer: html`${footer}`,
		}),
		messageId: `test.${at.toString(36)}@${from.address.slice(from.address.lastIndexOf('@') + 1)}`,
		date: new Date(at),
		headers: { 'Auto-Submitted': 'auto-generated' },
	};
}
