/** Every mail of this server: its sender, recipients, subject, headers and content. */

import { labelsOf } from '../../field-rules/rules.ts';
import { describeDropped, parseDropped } from '../../form-values/dropped-files.ts';
import { DEFAULT_NOTIFICATION, type Recipients } from '../../form-values/notification-rules.ts';
import { encodeId } from '../../ids.ts';
import type { Moment, Translation } from '../../languages/translation.ts';
import { inEnglish } from '../../languages/translations.ts';
import { describeReasons, parseReasons, reasonsOfForm } from '../../spam/verdict.ts';
import type { StoredFile, StoredSubmission } from '../../storage/submission.ts';
import type { FormRow } from '../../storage/tables.ts';
import { formatMailbox, isEmailAddress, type Mailbox, parseMailboxes } from '../../text/email-address.ts';
import { SUBMISSION_CREATED } from '../events.ts';
import { DAMAGED, type FieldText, type ReadingBounds, readFields } from '../fields.ts';
import { type Attachment, describeFiles } from './attachments.ts';
import { cutFields, summarize, tidy, tidyLine } from './fit-text.ts';
import { type Body, entryTable, fieldTable, hint, type MailPage, paragraph, renderBody } from './layout.ts';
import { fillIntro, fillSubject, tidySubject } from './subject.ts';

/** More than a mail shows, because the subject and Reply-To may come from a field behind a long one. */
export const NOTIFICATION_READS = { textMax: 2 ** 20, valueMax: 250_000 } as const satisfies ReadingBounds;
/** A digest shows one line of each submission, but its first fields may be empty. */
export const DIGEST_READS = { textMax: 100_000, valueMax: 4_000 } as const satisfies ReadingBounds;

export const DIGEST_SHOWS = 50;

const SUMMARY_MAX = 140;
const PREVIEW_MAX = 120;

/** A mail ready to send; every address in it is valid. */
export interface Mail extends Body {
	from: Mailbox;
	/** Each as `Name <address>`, or the address alone. */
	to: string[];
	cc: string[];
	/** They get it, and stand in no header. */
	bcc: string[];
	replyTo: string | null;
	subject: string;
	/** Without angle brackets. The same at every attempt, so that a receiver can drop duplicates. */
	messageId: string;
	date: Date;
	headers: Record<string, string>;
	attachments: readonly Attachment[];
}

export interface MailIdentity {
	from: Mailbox;
	/** Public address of the dashboard, without a slash at the end. */
	baseUrl: string;
	/** That of moments, unless the form has another; UTC by default. */
	timeZone?: string;
	/** English by default. */
	translation?: Translation;
}

export type MailRecipients = Pick<Mail, 'to'> & Partial<Pick<Mail, 'cc' | 'bcc'>>;
type NotifiedForm = Pick<FormRow, 'id' | 'name'> & Partial<Pick<FormRow, 'fields' | 'notification' | 'timeZone'>>;

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
interface MailAboutForm extends MailRecipients {
	id: number;
	madeAt: Date;
	form: NotifiedForm;
}

export const headerTexts = ({ to, cc, bcc }: Recipients): Required<MailRecipients> => ({
	to: to.map(formatMailbox),
	cc: cc.map(formatMailbox),
	bcc: bcc.map(formatMailbox),
});

export function renderNotification(
	identity: MailIdentity,
	{
		form,
		submission,
		attachments = [],
		...recipients
	}: MailRecipients & { form: NotifiedForm; submission: NotifiedSubmission; attachments?: readonly Attachment[] },
): Mail {
	const { id, receivedAt, spamReasons = null } = submission;
	const translation = identity.translation ?? inEnglish();
	const { say, show } = translation;
	const rules = form.notification ?? DEFAULT_NOTIFICATION;
	const fields = fieldsOf(submission, NOTIFICATION_READS, translation);
	const moment = momentOf(identity, { form, at: receivedAt });
	const url = submissionUrl(identity, { formId: form.id, submissionId: id });
	const values = {
		fields,
		'form.name': form.name,
		'submission.event': SUBMISSION_CREATED,
		'submission.id': encodeId(id),
		'submission.url': url,
		'submission.createdAt': show(moment),
	};
	const custom = fillSubject(rules.subject ?? '', values) || fillSubject(submission.subject ?? '', { fields });
	const intro = fillIntro(rules.intro ?? '', values);
	const { shown, isCut } = cutFields(labelled(fields, form));
	const files = fileLines(submission, translation, attachments);
	const spam = describeSpam(spamReasons);
	const reason = say('mailReason', { form: tidyLine(form.name) });
	return mailOf(identity, {
		...recipients,
		form,
		key: encodeId(id),
		at: receivedAt,
		replyTo: replyToOf(submission, { fields, chosen: rules.replyTo }),
		attachments,
		subject: custom || say('mailSubject', { title: say('mailNew'), form: form.name }),
		title: custom || say('mailNew'),
		preview: summarize(shown, PREVIEW_MAX),
		parts: [
			...(intro === '' ? [] : [paragraph(tidy(intro))]),
			...(shown.length > 0 ? [fieldTable(shown)] : []),
			...(isCut ? [hint(say('mailCut'))] : []),
			...(files.length > 0 ? [fieldTable([{ name: say('mailFiles'), text: tidy(files.join('\n')) }])] : []),
		],
		note: say('mailReceived', { moment }),
		link: { url, label: say('mailOpenSubmission') },
		footer: spam === null ? [reason] : [tidyLine(spam), reason],
		footerLink: { url: settingsUrl(identity, form.id), label: say('mailChange') },
	});
}

/**
 * The digest of the submissions above a form's hourly mail cap.
 * @param total their number; `latest` may hold fewer
 */
export function renderDigest(
	identity: MailIdentity,
	{ id, madeAt, form, total, latest, ...recipients }: MailAboutForm & { total: number; latest: NotifiedSubmission[] },
): Mail {
	const translation = identity.translation ?? inEnglish();
	const { say, show } = translation;
	const title = say('mailMore', { count: total });
	const entries = latest.slice(0, DIGEST_SHOWS).map((submission) => {
		const fields = labelled(fieldsOf(submission, DIGEST_READS, translation), form);
		const files = fileLines(submission, translation).join(', ');
		const nothing = fields.some(({ isCut }) => isCut) ? '…' : say('mailNoFields');
		return {
			time: show(momentOf(identity, { form, at: submission.receivedAt })),
			lines: [
				summarize(fields, SUMMARY_MAX) || nothing,
				...(files === '' ? [] : [summarize([{ name: say('mailFiles'), text: files }], SUMMARY_MAX)]),
			],
			url: submissionUrl(identity, { formId: form.id, submissionId: submission.id }),
		};
	});
	const more = total - entries.length;
	return mailOf(identity, {
		...recipients,
		form,
		key: `digest.${encodeId(id)}`,
		at: madeAt,
		subject: say('mailSubject', { title, form: form.name }),
		title,
		preview: entries[0]?.lines[0] ?? '',
		parts: [entryTable(entries), ...(more > 0 ? [hint(say('mailAndMore', { count: more }))] : [])],
		link: { url: formUrl(identity, form.id), label: say('mailOpenAll') },
		footer: [say('mailDigestReason')],
	});
}

/** The mail to a form's former notification addresses after a change; it contains no submitted content. */
export function renderAddressNotice(identity: MailIdentity, { id, madeAt, form, to }: MailAboutForm): Mail {
	const { say } = identity.translation ?? inEnglish();
	const title = say('mailAddressTitle');
	const name = tidySubject(form.name);
	return renderNotice(identity, {
		form,
		to,
		key: `address.${encodeId(id)}`,
		at: madeAt,
		title,
		subject: say('mailSubject', { title, form: form.name }),
		paragraphs: [
			say('mailAddressText', {
				form: name,
				moment: momentOf(identity, { form, at: madeAt }),
				addresses: to.join(', '),
			}),
			say('mailAddressUnexpected'),
		],
		link: { url: settingsUrl(identity, form.id), label: say('mailOpenSettings') },
		footer: say('mailAddressReason', { form: name }),
	});
}

/** A mail of a few sentences, without submitted content. */
export interface Notice
	extends Pick<MailOptions, 'to' | 'key' | 'at' | 'title' | 'link' | 'footerLink' | 'replyTo' | 'headers'> {
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

function fieldsOf({ data, isDamaged }: NotifiedSubmission, reads: ReadingBounds, { say }: Translation): FieldText[] {
	return isDamaged ? [{ name: DAMAGED, text: say('mailLost'), isCut: false }] : readFields(data, reads);
}

/** Those that mails show, as people know them. */
function labelled(fields: readonly FieldText[], { fields: rules, notification }: NotifiedForm): FieldText[] {
	const labelOf = labelsOf(rules);
	const chosen = notification?.fields ?? 'all';
	const byName = new Map(fields.map((field) => [field.name, field]));
	const shown = chosen === 'all' ? fields : chosen.flatMap((name) => byName.get(name) ?? []);
	return shown.map((field) => ({ ...field, name: labelOf(field.name) }));
}

/** A line for each file, those included that the submission was stored without. */
function fileLines(
	{ files = [], unreadable, meta }: NotifiedSubmission,
	{ say }: Translation,
	attachments?: readonly Attachment[],
): string[] {
	const lines = [...describeFiles(files, { attachments, unreadable }), ...describeDropped(parseDropped(meta))];
	return lines.map((line) => say(...line));
}

/** The receivers are those of one form, and learn nothing of others. */
function describeSpam(reasons: string | null): string | null {
	return reasons && describeReasons(parseReasons(reasonsOfForm(reasons)));
}

/** @param chosen An address of the owner, or the name of a field. */
function replyToOf(
	submission: NotifiedSubmission,
	{ fields, chosen }: { fields: FieldText[]; chosen: string | null },
): string | null {
	const find = (isOne: (name: string) => boolean) => fields.find(({ name, isCut }) => !isCut && isOne(name))?.text;
	const usual = () => [submission.replyTo, find((name) => name.toLowerCase() === 'email')];
	const candidates = chosen === null ? usual() : [chosen.includes('@') ? chosen : find((name) => name === chosen)];
	return candidates.map((text) => text?.trim()).find((text) => text && isReplyAddress(text)) ?? null;
}

/** An encoded word can be a valid address, but some mail programs would decode it into another one. */
function isReplyAddress(text: string): boolean {
	return isEmailAddress(text) && !text.includes('=?');
}

interface MailOptions
	extends Omit<MailPage, 'formName' | 'translation'>,
		MailRecipients,
		Partial<Pick<Mail, 'replyTo' | 'attachments'>> {
	/** `null`: about the server. */
	form: NotifiedForm | null;
	/** The same at every attempt, and only for this mail. */
	key: string;
	at: Date;
	subject: string;
	/** Beside the usual ones, or in place of them. */
	headers?: Record<string, string>;
}

function mailOf(
	identity: MailIdentity,
	{ form, to, cc = [], bcc = [], key, at, subject, replyTo = null, attachments = [], headers, ...page }: MailOptions,
): Mail {
	const wrong = [...to, ...cc, ...bcc].find((mailbox) => !parseMailboxes(mailbox, 1));
	if (to.length === 0 || wrong !== undefined) throw new Error(`"${wrong ?? ''}" is not a mail address`);
	const host = mailHost(identity);
	return {
		from: { ...identity.from, name: form?.notification?.fromName ?? identity.from.name },
		to,
		cc,
		bcc,
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
			...headers,
		},
		attachments,
		...renderBody({
			...page,
			translation: identity.translation ?? inEnglish(),
			title: tidyLine(page.title),
			formName: tidyLine(form?.name ?? 'formsrv'),
		}),
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

function settingsUrl(identity: MailIdentity, formId: number): string {
	return `${formUrl(identity, formId)}/settings?group=notifications`;
}

function submissionUrl(identity: MailIdentity, ids: { formId: number; submissionId: number }): string {
	return `${formUrl(identity, ids.formId)}/submissions/${encodeId(ids.submissionId)}`;
}

function momentOf({ timeZone = 'UTC' }: MailIdentity, { form, at }: { form: NotifiedForm; at: Date }): Moment {
	return { at, timeZone: form.timeZone ?? timeZone };
}
