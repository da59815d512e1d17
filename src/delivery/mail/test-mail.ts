/** The test mail that an operator sends to check the mail settings, and what sends any mail to try it. */

import type { SmtpServer } from '../../config/smtp-url.ts';
import { AppError, invalidField } from '../../errors.ts';
import { translationOf } from '../../languages/translations.ts';
import { isEmailAddress } from '../../text/email-address.ts';
import { errorOf } from '../worker/outcome.ts';
import { type Mail, type MailIdentity, renderNotice } from './email.ts';
import { NOTICE_TIMEOUTS, sendMail } from './smtp.ts';

interface TestMailOptions {
	server: SmtpServer | null;
	identity: MailIdentity;
	language: string;
	now?: () => number;
}

/** Returns the trimmed address. @throws AppError VALIDATION_ERROR unless it is one mail address */
export function checkRecipient(text: string): string {
	const to = text.trim();
	if (isEmailAddress(to)) return to;
	throw invalidField('to', 'INVALID_EMAIL', `"${to}" is not one valid mail address.`);
}

/** Sends a mail directly, without the queue. @throws AppError CONFLICT with the cause and a remedy */
export async function sendAtOnce(server: SmtpServer | null, mail: Mail) {
	if (!server) {
		throw new AppError('CONFLICT', 'No mail server is set: set FORMSRV_SMTP_URL and FORMSRV_MAIL_FROM, then restart.');
	}
	const outcome = await sendMail(server, mail, { timeouts: NOTICE_TIMEOUTS });
	if (outcome.kind !== 'sent') throw new AppError('CONFLICT', `${errorOf(outcome)}.`);
	return outcome;
}

/** Returns the mail server's reply. @throws AppError CONFLICT with the cause and a remedy */
export async function sendTestMail(
	to: string,
	{ server, identity, language, now = Date.now }: TestMailOptions,
): Promise<string> {
	const at = new Date(now());
	const translation = await translationOf(language);
	const { say } = translation;
	const mail = renderNotice(
		{ ...identity, translation },
		{
			to: [to],
			title: say('mailTestTitle'),
			subject: say('mailTestSubject'),
			paragraphs: [say('mailTestText', { address: identity.from.address })],
			link: { url: identity.baseUrl, label: say('mailOpenDashboard') },
			footer: say('mailTestReason'),
			key: `test.${at.getTime().toString(36)}`,
			at,
		},
	);
	return (await sendAtOnce(server, mail)).note ?? '';
}
