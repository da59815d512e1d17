/** The mail settings: the server that takes mails, and their sender. */

import { parseSmtpUrl, type SmtpServer } from '../../config/smtp-url.ts';
import { AUTO } from '../../languages/languages.ts';
import { translationOf } from '../../languages/translations.ts';
import type { FormRow } from '../../storage/tables.ts';
import { type Mailbox, parseSender } from '../../text/email-address.ts';
import type { MailIdentity } from './email.ts';

export const NO_MAIL_SERVER = 'No mail server is set: FORMSRV_SMTP_URL';
/** Sender of mails that are only shown, while no sender is set. */
const PLACEHOLDER_SENDER: Mailbox = { name: '', address: 'formsrv@localhost' };

export interface MailSettings {
	/** `null`: mail is withheld. */
	smtpUrl: string | null;
	mailFrom: string | null;
	/** Public address of the dashboard. */
	baseUrl: string;
	/** Public address that forms post to; that of the dashboard by default. */
	submitUrl?: string | null;
	/** That of moments, unless the form has another. */
	timeZone?: string;
}

export interface MailSetup {
	server: SmtpServer | null;
	identity: MailIdentity;
	/** Mails to visitors link to it. */
	submitUrl: string;
}

/** @throws Error with a sentence for the operator */
export function readMailSetup({ smtpUrl, mailFrom, baseUrl, submitUrl, timeZone }: MailSettings): MailSetup {
	const from = mailFrom === null ? PLACEHOLDER_SENDER : parseSender(mailFrom);
	if (!from) throw new Error('FORMSRV_MAIL_FROM must be one mail address, such as Forms <forms@example.com>.');
	const server = smtpUrl === null ? null : parseSmtpUrl(smtpUrl);
	return { server, identity: { from, baseUrl, timeZone }, submitUrl: submitUrl ?? baseUrl };
}

/** The sender of the mails of a form, in its language; in `language` if it has none of its own. */
export async function identityIn(
	form: Pick<FormRow, 'language'>,
	{ identity, language }: Pick<MailSetup, 'identity'> & { language: string },
): Promise<MailIdentity> {
	return { ...identity, translation: await translationOf(form.language === AUTO ? language : form.language) };
}
