/** Every mail to a visitor: the owner's words, and of the submission only values that are few or plain. */

import { atOnce, createFieldCheck } from '../../field-rules/check.ts';
import { isClosed } from '../../field-rules/rules.ts';
import type { Autoresponder, ConfirmationMail } from '../../form-values/visitor-mails.ts';
import { encodeId } from '../../ids.ts';
import { inEnglish } from '../../languages/translations.ts';
import { isJson } from '../../storage/damage.ts';
import type { FormRow } from '../../storage/tables.ts';
import { parseExact } from '../../text/exact-json.ts';
import { readFields } from '../fields.ts';
import { type Mail, type MailIdentity, renderNotice } from '../mail/email.ts';
import { tidy, tidyLine } from '../mail/fit-text.ts';
import { fillIntro, fillSubject } from '../mail/subject.ts';

/** A mail to the visitor who made a submission. */
export interface ToVisitor {
	form: FormRow;
	to: string;
	/** That of the delivery. */
	id: number;
	/** When the mail was planned. */
	at: Date;
	/** By which the visitor gets no more mails. */
	stopUrl: string;
}

/** @param data The JSON text of the fields; needed only for placeholders */
export function renderResponse(
	identity: MailIdentity,
	{ mail, data, ...visitor }: ToVisitor & { mail: Autoresponder; data: string },
): Mail {
	const { say } = identity.translation ?? inEnglish();
	const values = { fields: closedFields(visitor.form, data), 'form.name': visitor.form.name };
	return renderVisitorMail(identity, {
		...visitor,
		subject: fillSubject(mail.subject ?? '', values) || say('responseSubject'),
		text: fillIntro(mail.text ?? '', values) || say('responseText'),
	});
}

/** Nothing of the visitor's is in it: anyone may have entered the address. @param mail `null`: in our words */
export function renderConfirmation(
	identity: MailIdentity,
	{ mail, confirmUrl, ...visitor }: ToVisitor & { mail: ConfirmationMail | null; confirmUrl: string },
): Mail {
	const { say } = identity.translation ?? inEnglish();
	const values = { fields: [], 'form.name': visitor.form.name };
	return renderVisitorMail(identity, {
		...visitor,
		subject: fillSubject(mail?.subject ?? '', values) || say('confirmSubject'),
		text: fillIntro(mail?.text ?? '', values) || say('confirmText', { form: tidyLine(visitor.form.name) }),
		hint: say('confirmHint'),
		link: { url: confirmUrl, label: say('confirmButton') },
	});
}

interface Words {
	subject: string;
	text: string;
	/** Another paragraph. */
	hint?: string;
	link?: { url: string; label: string };
}

function renderVisitorMail(
	identity: MailIdentity,
	{ form, to, id, at, stopUrl, subject, text, hint, link }: ToVisitor & Words,
): Mail {
	const { say } = identity.translation ?? inEnglish();
	const replyTo = form.notification?.replyTo;
	return renderNotice(identity, {
		form,
		to: [to],
		key: `visitor.${encodeId(id)}`,
		at,
		title: subject,
		paragraphs: [tidy(text), ...(hint === undefined ? [] : [hint])],
		...(link && { link }),
		replyTo: replyTo?.includes('@') ? replyTo : null,
		footer: say('visitorReason', { form: tidyLine(form.name) }),
		footerLink: { url: stopUrl, label: say('visitorStop') },
		headers: {
			'Auto-Submitted': 'auto-replied',
			'X-Auto-Response-Suppress': 'All',
			'List-Unsubscribe': `<${stopUrl}>`,
			// RFC 8058.
			'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
		},
	});
}

/** The fields that placeholders may stand for, as the rules are now: what was stored under others is left out. */
function closedFields({ fields }: FormRow, data: string) {
	const rules = (fields ?? []).filter(isClosed);
	if (rules.length === 0 || !isJson(data)) return [];
	const values = parseExact(data) as Record<string, unknown>;
	const faulty = atOnce(createFieldCheck(rules)({ values, files: new Set() })).map(({ field }) => field);
	const names = new Set(rules.map(({ name }) => name)).difference(new Set(faulty));
	return readFields(data).filter(({ name }) => names.has(name));
}
