/** A submission, or a digest of many, as a mail: who it is from and to, its subject and headers. */

import { isEmailAddress } from '../email-address.ts';
import { encodeId } from '../ids.ts';
import { type Body, renderDigestBody, renderSubmissionBody } from './email-body.ts';
import { type Field, type ReadingBounds, readFields } from './fields.ts';
import { fillSubject, tidySubject } from './subject.ts';

/**
 * What is read of a submission: its mail shows less, but the subject and the address for answers may come from a field
 * behind a long one.
 */
export const NOTIFICATION_READS = { textMax: 2 ** 20, valueMax: 250_000 } as const satisfies ReadingBounds;
/** A digest shows one line of each, but many fields may be empty. */
export const DIGEST_READS = { textMax: 100_000, valueMax: 4_000 } as const satisfies ReadingBounds;

const OWN_ADDRESS = /^[^\s@,;<>"\p{Cc}]{1,64}@[^\s@,;<>"\p{Cc}]{1,253}$/u;

export interface Mailbox {
	name: string;
	address: string;
}

/** A mail ready to be sent; every address in it has been checked. */
export interface Mail extends Body {
	from: Mailbox;
	to: string[];
	replyTo: string | null;
	subject: string;
	/** Without angle brackets. The same at every attempt, so that a receiver can fold doubles. */
	messageId: string;
	date: Date;
	headers: Record<string, string>;
}

/** What all mails of this server share. */
export interface MailIdentity {
	from: Mailbox;
	/** Public address of the dashboard, without a slash at the end. */
	baseUrl: string;
}

export interface NotifiedForm {
	id: number;
	name: string;
}

export interface NotifiedSubmission {
	id: number;
	receivedAt: Date;
	/** JSON text, as stored, or as much of its beginning as is read. */
	data: string;
	/** What the sender's `_subject` and `_replyto` asked for. */
	subject: string | null;
	replyTo: string | null;
}

/** The mail that tells about one submission. */
export function renderNotification(
	identity: MailIdentity,
	{ form, submission, to }: { form: NotifiedForm; submission: NotifiedSubmission; to: string[] },
): Mail {
	const fields = readFields(submission.data, NOTIFICATION_READS);
	const wanted = fillSubject(submission.subject ?? '', fields);
	return {
		...envelopeOf(identity, { form, to, key: encodeId(submission.id), at: submission.receivedAt }),
		replyTo: replyToOf(submission, fields),
		subject: wanted || tidySubject(`New submission: ${form.name}`),
		...renderSubmissionBody({
			formName: form.name,
			heading: wanted || 'New submission',
			fields,
			receivedAt: submission.receivedAt,
			url: submissionUrl(identity, { formId: form.id, submissionId: submission.id }),
			settingsUrl: formUrl(identity, form.id),
		}),
	};
}

/**
 * The one mail that stands for all submissions above the form's hourly ceiling.
 * @param total how many there are; `latest` need not hold them all
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
		...renderDigestBody({
			formName: form.name,
			heading,
			total,
			entries: latest.map((submission) => ({
				fields: readFields(submission.data, DIGEST_READS),
				receivedAt: submission.receivedAt,
				url: submissionUrl(identity, { formId: form.id, submissionId: submission.id }),
			})),
			url: formUrl(identity, form.id),
		}),
	};
}

/**
 * Reads the operator's own `address` or `Name <address>`; `undefined` if that is not one mailbox. Its domain may be
 * a single word, such as `localhost`.
 */
export function parseMailbox(text: string): Mailbox | undefined {
	const [, name = '', bracketed] = /^([^<>\p{Cc}]*)<([^<>]+)>$/u.exec(text.trim()) ?? [];
	const address = (bracketed ?? text).trim();
	if (!OWN_ADDRESS.test(address)) return undefined;
	return { name: name.trim().replace(/^"(.*)"$/, '$1'), address };
}

function replyToOf(submission: NotifiedSubmission, fields: Field[]): string | null {
	const email = fields.find(({ name, isCut }) => !isCut && name.toLowerCase() === 'email');
	const candidates = [submission.replyTo, email?.text];
	return candidates.map((text) => text?.trim()).find((text) => text && isReplyAddress(text)) ?? null;
}

/** What looks like an encoded word is an address by the letter, and something else to some mail programs. */
function isReplyAddress(text: string): boolean {
	return isEmailAddress(text) && !text.includes('=?');
}

export function envelopeOf(
	identity: MailIdentity,
	{ form, to, key, at }: { form: NotifiedForm; to: string[]; key: string; at: Date },
): Pick<Mail, 'from' | 'to' | 'messageId' | 'date' | 'headers'> {
	const wrong = to.find((address) => !isEmailAddress(address));
	if (to.length === 0 || wrong !== undefined) throw new Error(`"${wrong ?? ''}" is not a mail address`);
	const host = mailHost(identity);
	return {
		from: identity.from,
		to,
		messageId: `${key}@${host}`,
		date: at,
		headers: {
			// RFC 3834, and what Exchange reads instead: no out-of-office answers to a machine.
			'Auto-Submitted': 'auto-generated',
			'X-Auto-Response-Suppress': 'OOF, AutoReply',
			Precedence: 'list',
			// RFC 2919: what mail programs filter by.
			'List-Id': `<${encodeId(form.id)}.forms.${host}>`,
			// Keeps mail programs from folding different submissions with the same subject into one thread.
			'X-Entity-Ref-ID': key,
		},
	};
}

/** A name of our own for the right side of identifiers: where the dashboard is, else the sender's domain. */
function mailHost({ baseUrl, from }: MailIdentity): string {
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
