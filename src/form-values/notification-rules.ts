/** Pure: what the mails of a form say, who gets them, and the routes by which submissions choose among addresses of the owner. */

import { formatMailbox, type Mailbox, parseMailboxes } from '../text/email-address.ts';
import { type Condition, type FieldTexts, matches } from './conditions.ts';

/** The words and copies of the mails of a form, beside `notificationEmail`, which is their `to`. Addresses are as in a header. */
export interface NotificationRules {
	cc: string | null;
	bcc: string | null;
	/** With placeholders, as `intro`. */
	subject: string | null;
	intro: string | null;
	/** The names of the fields that a mail shows, in their order. */
	fields: 'all' | string[];
	/** An address, or the name of the field that has one; `null`: what the submission says. */
	replyTo: string | null;
	fromName: string | null;
}

/** As clients read it. */
export type Notification = NotificationRules & { to?: string | null };

type Addresses = 'to' | 'cc' | 'bcc';
/** As clients send it. Without `to`, `notificationEmail` stays. */
export type NotificationInput = {
	[Name in keyof Notification]?: Notification[Name] | (Name extends Addresses ? string[] : never) | null;
};

export interface MailRoute {
	where: Condition[];
	to: string;
}

export type MailRouteInput = Omit<MailRoute, 'to'> & { to: string | string[] };

export const DEFAULT_NOTIFICATION: NotificationRules = {
	cc: null,
	bcc: null,
	subject: null,
	intro: null,
	fields: 'all',
	replyTo: null,
	fromName: null,
};

/** Addresses of `to`, `cc` and `bcc` together; those of all routes together. */
export const ADDRESSES_MAX = 10;
export const ROUTED_MAX = 20;

/** The settings of a form that say who gets its mails. */
interface Addressed {
	notificationEmail: string | null;
	notification: NotificationRules | null;
	routes: readonly MailRoute[];
}

/** Who gets one mail; those of `bcc` do not show. */
export interface Recipients {
	to: Mailbox[];
	cc: Mailbox[];
	bcc: Mailbox[];
}

const mailboxesOf = (text: string | null | undefined) =>
	text ? (parseMailboxes(text, Number.POSITIVE_INFINITY) ?? []) : [];

/**
 * Every route whose conditions hold; without one, `notificationEmail`. Those of `cc` and `bcc` get each mail that goes to any of
 * these. No address gets a mail twice.
 * @returns `undefined` if there is no mail
 */
export function recipientsOf(form: Addressed, texts: FieldTexts): Recipients | undefined {
	const routed = form.routes.filter(({ where }) => matches(where, texts)).flatMap(({ to }) => mailboxesOf(to));
	const known = new Set<string>();
	const fresh = (mailboxes: Mailbox[]) =>
		mailboxes.filter(({ address }) => known.size < known.add(address.toLowerCase()).size);
	const to = fresh(routed.length > 0 ? routed : mailboxesOf(form.notificationEmail));
	if (to.length === 0) return undefined;
	return { to, cc: fresh(mailboxesOf(form.notification?.cc)), bcc: fresh(mailboxesOf(form.notification?.bcc)) };
}

/** All that may get a mail: those that see each other, and those that do not. */
export function addressesOf({ notificationEmail, notification, routes }: Addressed) {
	const shown = [notificationEmail, notification?.cc].filter((text) => text !== null && text !== undefined);
	const seen = new Set(shown.flatMap(mailboxesOf).map(({ address }) => address));
	const hidden = [notification?.bcc, ...routes.map(({ to }) => to)].flatMap(mailboxesOf).map(({ address }) => address);
	return { shown: shown.join(', '), hidden: [...new Set(hidden)].filter((address) => !seen.has(address)) };
}

const HEADERS = { cc: 'Cc: ', bcc: 'Bcc: ' } as const;

/** As one text: the addresses of `to`, and a line for each of the others. A name contains no line end. */
export function formatRecipients({ to, cc, bcc }: Recipients): string {
	const line = (prefix: string, mailboxes: Mailbox[]) =>
		mailboxes.length === 0 ? [] : [prefix + mailboxes.map(formatMailbox).join(', ')];
	return [...line('', to), ...line(HEADERS.cc, cc), ...line(HEADERS.bcc, bcc)].join('\n');
}

/** `undefined` unless all are valid. */
export function parseRecipients(text: string): Recipients | undefined {
	const [first = '', ...others] = text.split('\n');
	const found: Partial<Recipients> = { to: parseMailboxes(first, Number.POSITIVE_INFINITY), cc: [], bcc: [] };
	for (const name of ['cc', 'bcc'] as const) {
		const line = others.find((other) => other.startsWith(HEADERS[name]));
		if (line) found[name] = parseMailboxes(line.slice(HEADERS[name].length), Number.POSITIVE_INFINITY);
	}
	const { to, cc, bcc } = found;
	return to && cc && bcc && { to, cc, bcc };
}
