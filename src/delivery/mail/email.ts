/** Renders a submission, or a digest of many, as a mail: sender, recipients, subject and headers. */

import { labelsOf } from '../../field-rules/rules.ts';
import { describeDropped, parseDropped } from '../../form-values/dropped-files.ts';
import { encodeId } from '../../ids.ts';
import { describeReasons, parseReasons, reasonsOfForm } from '../../spam/verdict.ts';
import type { StoredFile, StoredSubmission } from '../../storage/submission.ts';
import type { FormRow } from '../../storage/tables.ts';
import type { Mailbox } from '../../text/email-address.ts';
import { isEmailAddress, parseMailboxes } from '../../text/email-address.ts';
import { DAMAGED, type Field, type ReadingBounds, readFields } from '../fields.ts';
import { type Attachment, describeFiles } from './attachments.ts';
import { type Body, renderDigestBody, renderSubmissionBody } from './email-body.ts';
import { fillSubject, tidySubject } from './subject.ts';

/** More than a mail shows, because the subject and Reply-To may come from a field behind a long one. */
export const NOTIFICATION_READS = { textMax: 2 ** 20, valueMax: 250_000 } as const satisfies ReadingBounds;
/** A digest shows one line of each submission, but its first fields may be empty. */
export const DIGEST_READS = { textMax: 100_000, valueMax: 4_000 } as const satisfies ReadingBounds;

const LOST = 'This submission can no longer be read: the disk lost it. Restore a backup.';

/** A mail ready to send; every address in it is valid. */
export interface Mail extends Body {
	from: Mailbox;
	/** Each as `Name <address>`, or the address alone. */
	to: string[];
	replyTo: string | null;
	subject: string;
	/** Without angle brackets. The same at every attempt, so that a receiver can drop duplicates. */
	messageId: string;
	date: Date;
	headers: Record<string, string>;
	attachments: readonly Attachment[];
}

/** Shared by all mails of this server. */
export interface MailIdentity {
	from: Mailbox;
	/** Public address of the dashboard, without a slash at the end. */
	baseUrl: string;
}

export type NotifiedForm = Pick<FormRow, 'id' | 'name'> & Partial<Pick<FormRow, 'fields'>>;

/** `data` may be only the beginning of the stored JSON text. */
export interface NotifiedSubmission
	extends Pick<StoredSubmission, 'id' | 'data' | 'subject' | 'replyTo' | 'isDamaged'> {
	spamReasons?: string | null;
	meta?: string | null;
	receivedAt: Date;
	files?: readonly StoredFile[];
	/** The ids of those that were to be attached, and cannot be. */
	unreadable?: ReadonlySet<number>;
}

/** The notification of one submission. */
export function renderNotification(
	identity: MailIdentity,
	{
		form,
		submission,
		to,
		attachments = [],
	}: { form: NotifiedForm; submission: NotifiedSubmission; to: string[]; attachments?: readonly Attachment[] },
): Mail {
	const fields = fieldsOf(submission, NOTIFICATION_READS);
	const custom = fillSubject(submission.subject ?? '', fields);
	return {
		...envelopeOf(identity, { form, to, key: encodeId(submission.id), at: submission.receivedAt }),
		replyTo: replyToOf(submission, fields),
		subject: custom || tidySubject(`New submission: ${form.name}`),
		attachments,
		...renderSubmissionBody({
			formName: form.name,
			heading: custom || 'New submission',
			fields: labelled(fields, form),
			files: [...describeFiles(submission.files ?? [], { ...submission, attachments }), ...notTaken(submission)],
			receivedAt: submission.receivedAt,
			spam: describeSpam(submission.spamReasons ?? null),
			url: submissionUrl(identity, { formId: form.id, submissionId: submission.id }),
			settingsUrl: formUrl(identity, form.id),
		}),
	};
}

/**
 * The digest of the submissions above a form's hourly mail cap.
 * @param total their number; `latest` may hold fewer
 */
export function renderDigest(
	identity: MailIdentity,
	{
		id,
		madeAt,
		form,
		total,
		latest,
		to,
	}: { id: number; madeAt: Date; form: NotifiedForm; total: number; latest: NotifiedSubmission[]; to: string[] },
): Mail {
	const heading = `${total.toLocaleString('en')} more ${total === 1 ? 'submission' : 'submissions'}`;
	return {
		...envelopeOf(identity, { form, to, key: `digest.${encodeId(id)}`, at: madeAt }),
		replyTo: null,
		subject: tidySubject(`${heading}: ${form.name}`),
		attachments: [],
		...renderDigestBody({
			formName: form.name,
			heading,
			total,
			entries: latest.map((submission) => ({
				fields: labelled(fieldsOf(submission, DIGEST_READS), form),
				files: [...describeFiles(submission.files ?? []), ...notTaken(submission)],
				receivedAt: submission.receivedAt,
				url: submissionUrl(identity, { formId: form.id, submissionId: submission.id }),
			})),
			url: formUrl(identity, form.id),
		}),
	};
}

function fieldsOf({ data, isDamaged }: NotifiedSubmission, reads: ReadingBounds): Field[] {
	return isDamaged ? [{ name: DAMAGED, text: LOST, isCut: false }] : readFields(data, reads);
}

/** As people know the fields. */
function labelled(fields: readonly Field[], form: NotifiedForm): Field[] {
	const labelOf = labelsOf(form.fields);
	return fields.map((field) => ({ ...field, name: labelOf(field.name) }));
}

/** A line for each file that the submission was stored without. */
function notTaken({ meta }: NotifiedSubmission): string[] {
	return describeDropped(parseDropped(meta));
}

/** The receivers are those of one form, and learn nothing of others. */
function describeSpam(reasons: string | null): string | null {
	return reasons && describeReasons(parseReasons(reasonsOfForm(reasons)));
}

function replyToOf(submission: NotifiedSubmission, fields: Field[]): string | null {
	const email = fields.find(({ name, isCut }) => !isCut && name.toLowerCase() === 'email');
	const candidates = [submission.replyTo, email?.text];
	return candidates.map((text) => text?.trim()).find((text) => text && isReplyAddress(text)) ?? null;
}

/** An encoded word can be a valid address, but some mail programs would decode it into another one. */
function isReplyAddress(text: string): boolean {
	return isEmailAddress(text) && !text.includes('=?');
}

export function envelopeOf(
	identity: MailIdentity,
	{ form, to, key, at }: { form: NotifiedForm; to: string[]; key: string; at: Date },
): Pick<Mail, 'from' | 'to' | 'messageId' | 'date' | 'headers'> {
	const wrong = to.find((mailbox) => !parseMailboxes(mailbox, 1));
	if (to.length === 0 || wrong !== undefined) throw new Error(`"${wrong ?? ''}" is not a mail address`);
	const host = mailHost(identity);
	return {
		from: identity.from,
		to,
		messageId: `${key}@${host}`,
		date: at,
		headers: {
			// RFC 3834, and its equivalent for Exchange: prevents out-of-office replies.
			'Auto-Submitted': 'auto-generated',
			'X-Auto-Response-Suppress': 'OOF, AutoReply',
			Precedence: 'list',
			// RFC 2919: for filters in mail programs.
			'List-Id': `<${encodeId(form.id)}.forms.${host}>`,
			// Keeps mail programs from threading different submissions with the same subject.
			'X-Entity-Ref-ID': key,
		},
	};
}

/** The domain of message ids: that of the dashboard, else the sender's. */
export function mailHost({ baseUrl, from }: MailIdentity): string {
	const host = URL.parse(baseUrl)?.hostname ?? '';
	if (/^[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z][a-z0-9-]*$/i.test(host)) return host;
	const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
	return URL.parse(`http://${domain}`)?.hostname ?? 'localhost';
}

export function formUrl({ baseUrl }: MailIdentity, formId: number): string {
	return `${baseUrl}/#/forms/${encodeId(formId)}`;
}

function submissionUrl(identity: MailIdentity, ids: { formId: number; submissionId: number }): string {
	return `${formUrl(identity, ids.formId)}/submissions/${encodeId(ids.submissionId)}`;
}
