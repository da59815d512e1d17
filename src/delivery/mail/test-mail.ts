/** The test mail that an operator sends to check the mail settings. */

import type { SmtpServer } from '../../config/smtp-url.ts';
import { AppError, invalidField } from '../../errors.ts';
import { isEmailAddress } from '../../text/email-address.ts';
import { type MailIdentity, renderNotice } from './email.ts';
import { NOTICE_TIMEOUTS, sendMail } from './smtp.ts';

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
	const at = new Date(now());
	const mail = renderNotice(identity, {
		to: [to],
		title: 'Mail works',
		subject: 'Mail works: a test from formsrv',
		paragraphs: [`This formsrv can send mail as ${identity.from.address}. Nothing else needs to be done.`],
		link: { url: identity.baseUrl, label: 'Open the dashboard' },
		footer: 'Sent because an operator of this server requested a test mail to this address.',
		key: `test.${at.getTime().toString(36)}`,
		at,
	});
	const outcome = await sendMail(server, mail, { timeouts: NOTICE_TIMEOUTS });
	if (outcome.kind !== 'sent') throw new AppError('CONFLICT', `${outcome.error}.`);
	return outcome.note ?? '';
}
