/** Every mail of this server: its sender, recipients, subject, headers and content. */

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
import { cutFields, summarize, tidy, tidyLine } from './fit-text.ts';
import { type Body, entryTable, fieldTable, hint, type MailPage, paragraph, renderBody } from './layout.ts';
import { fillSubject, tidySubject } from './subject.ts';

/** More than a mail shows, because the subject and Reply-To may come from a field behind a long one. */
export const NOTIFICATION_READS = { textMax: 2 ** 20, valueMax: 250_000 } as const satisfies ReadingBounds;
/** A digest shows one line of each submission, but its first fields may be empty. */
export const DIGEST_READS = { textMax: 100_000, valueMax: 4_000 } as const satisfies ReadingBounds;

/** Submissions that a digest shows. */
export const DIGEST_SHOWS = 50;

const LOST = 'This submission can no longer be read: the disk lost it. Restore a backup.';
const FILES = 'Attached files';
const SUMMARY_MAX = 140;
const PREVIEW_MAX = 120;

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

/** A mail about a form that is a delivery of its own; of its `id` and time. */
interface MailAboutForm {
	id: number;
	madeAt: Date;
	form: NotifiedForm;
	to: string[];
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
	const { id, receivedAt, spamReasons = null } = submission;
	const fields = fieldsOf(submission, NOTIFICATION_READS);
	const custom = fillSubject(submission.subject ?? '', { fields });
	const { shown, isCut } = cutFields(labelled(fields, form));
	const files = describeFiles(submission.files ?? [], { ...submission, attachments }).concat(notTaken(submission));
	const spam = describeSpam(spamReasons);
	const reason = `Sent because this address is set for notifications of the form “${tidyLine(form.name)}”.`;
	return mailOf(identity, {
		form,
		to,
		key: encodeId(id),
		at: receivedAt,
		replyTo: replyToOf(submission, fields),
		attachments,
		subject: custom || `New submission: ${form.name}`,
		title: custom || 'New submission',
		preview: summarize(shown, PREVIEW_MAX),
		parts: [
			...(shown.length > 0 ? [fieldTable(shown)] : []),
			...(isCut
				? [hint('This mail contains only the beginning. The whole submission is stored: open it with the link.')]
				: []),
			...(files.length > 0 ? [fieldTable([{ name: FILES, text: tidy(files.join('\n')) }])] : []),
		],
		note: `Received ${formatTime(receivedAt)}`,
		link: { url: submissionUrl(identity, { formId: form.id, submissionId: id }), label: 'Open submission' },
		footer: spam === null ? [reason] : [tidyLine(spam), reason],
		footerLink: { url: formUrl(identity, form.id), label: 'Change it' },
	});
}

/**
 * The digest of the submissions above a form's hourly mail cap.
 * @param total their number; `latest` may hold fewer
 */
export function renderDigest(
	identity: MailIdentity,
	{ id, madeAt, form, to, total, latest }: MailAboutForm & { total: number; latest: NotifiedSubmission[] },
): Mail {
	const title = `${total.toLocaleString('en')} more ${total === 1 ? 'submission' : 'submissions'}`;
	const entries = latest.slice(0, DIGEST_SHOWS).map((submission) => {
		const fields = labelled(fieldsOf(submission, DIGEST_READS), form);
		const files = describeFiles(submission.files ?? [])
			.concat(notTaken(submission))
			.join(', ');
		const nothing = fields.some(({ isCut }) => isCut) ? '…' : '(no fields)';
		return {
			time: formatTime(submission.receivedAt),
			lines: [
				summarize(fields, SUMMARY_MAX) || nothing,
				...(files === '' ? [] : [summarize([{ name: FILES, text: files }], SUMMARY_MAX)]),
			],
			url: submissionUrl(identity, { formId: form.id, submissionId: submission.id }),
		};
	});
	const more = total - entries.length;
	return mailOf(identity, {
		form,
		to,
		key: `digest.${encodeId(id)}`,
		at: madeAt,
		subject: `${title}: ${form.name}`,
		title,
		preview: entries[0]?.lines[0] ?? '',
		parts: [entryTable(entries), ...(more > 0 ? [hint(`and ${more.toLocaleString('en')} more`)] : [])],
		link: { url: formUrl(identity, form.id), label: 'Open all submissions' },
		footer: [
			'This form reached its hourly mail limit, so this digest covers the remaining submissions. All of them are stored.',
		],
	});
}

/** The mail to a form's former notification addresses after a change; it contains no submitted content. */
export function renderAddressNotice(identity: MailIdentity, { id, madeAt, form, to }: MailAboutForm): Mail {
	const title = 'Notification address changed';
	const name = tidySubject(form.name);
	return renderNotice(identity, {
		form,
		to,
		key: `address.${encodeId(id)}`,
		at: madeAt,
		title,
		subject: `${title}: ${form.name}`,
		paragraphs: [
			`The notification addresses of the form "${name}" were changed at ${formatTime(madeAt)}. The former ones: ${to.join(', ')}.`,
			'If you did not expect this, check the settings of the form. The server’s log names the key or session that changed them.',
		],
		link: { url: `${formUrl(identity, form.id)}/settings`, label: 'Open the settings of the form' },
		footer: `Sent because this address received the notifications of ${name} until now.`,
	});
}

/** A mail of a few sentences, without submitted content. */
export interface Notice extends Pick<MailOptions, 'to' | 'key' | 'at' | 'title' | 'link'> {
	/** Without one it is about the server. */
	form?: NotifiedForm;
	/** The title, unless it says more. */
	subject?: string;
	paragraphs: readonly string[];
	footer: string;
}

export function renderNotice(
	identity: MailIdentity,
	{ form, title, subject = title, paragraphs, footer, ...rest }: Notice,
): Mail {
	return mailOf(identity, {
		...rest,
		form: form ?? null,
		subject,
		title,
		preview: paragraphs[0] ?? '',
		parts: paragraphs.map(paragraph),
		footer: [footer],
	});
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

interface MailOptions extends Omit<MailPage, 'formName'>, Partial<Pick<Mail, 'replyTo' | 'attachments'>> {
	/** `null`: about the server. */
	form: NotifiedForm | null;
	to: string[];
	/** The same at every attempt, and only for this mail. */
	key: string;
	at: Date;
	subject: string;
}

function mailOf(
	identity: MailIdentity,
	{ form, to, key, at, subject, replyTo = null, attachments = [], ...page }: MailOptions,
): Mail {
	const wrong = to.find((mailbox) => !parseMailboxes(mailbox, 1));
	if (to.length === 0 || wrong !== undefined) throw new Error(`"${wrong ?? ''}" is not a mail address`);
	const host = mailHost(identity);
	return {
		from: identity.from,
		to,
		replyTo,
		subject: tidySubject(subject),
		messageId: `${key}@${host}`,
		date: at,
		headers: {
			// RFC 3834, and its equivalent for Exchange: prevents out-of-office replies.
			'Auto-Submitted': 'auto-generated',
			'X-Auto-Response-Suppress': 'OOF, AutoReply',
			Precedence: 'list',
			// RFC 2919: for filters in mail programs.
			...(form && { 'List-Id': `<${encodeId(form.id)}.forms.${host}>` }),
			// Keeps mail programs from threading different submissions with the same subject.
			'X-Entity-Ref-ID': key,
		},
		attachments,
		...renderBody({ ...page, title: tidyLine(page.title), formName: tidyLine(form?.name ?? 'formsrv') }),
	};
}

/** The domain of message ids: that of the dashboard, else the sender's. */
function mailHost({ baseUrl, from }: MailIdentity): string {
	const host = URL.parse(baseUrl)?.hostname ?? '';
	if (/^[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z][a-z0-9-]*$/i.test(host)) return host;
	const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
	return URL.parse(`http://${domain}`)?.hostname ?? 'localhost';
}

function formUrl({ baseUrl }: MailIdentity, formId: number): string {
	return `${baseUrl}/#/forms/${encodeId(formId)}`;
}

function submissionUrl(identity: MailIdentity, ids: { formId: number; submissionId: number }): string {
	return `${formUrl(identity, ids.formId)}/submissions/${encodeId(ids.submissionId)}`;
}

function formatTime(time: Date): string {
	return `${time.toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })} UTC`;
}
