/** Pure: the mails that a form sends to its visitors, and the field that has the address. For browsers too. */

import { isEmailAddress } from '../text/email-address.ts';
import { parseExact } from '../text/exact-json.ts';

/** A mail to the visitor, in the words of the owner. */
export interface VisitorMail {
	/** The field with the address. */
	field: string;
	/** `null`: ours, as `text`. */
	subject: string | null;
	text: string | null;
}

/** The automatic response, so many minutes after the submission. */
export interface Autoresponder extends VisitorMail {
	delayMinutes: number;
}

/** The mail with the link by which a visitor confirms that an address is theirs. */
export type ConfirmationMail = VisitorMail;

type AsSent<Mail> = { [Member in keyof Mail]?: Mail[Member] | null };
export type AutoresponderInput = AsSent<Autoresponder>;
export type ConfirmationInput = AsSent<ConfirmationMail>;

/** How long a submission waits for its confirmation. */
export const CONFIRMATION_DAYS = 7;

export const VISITOR_MAIL_MAX = { field: 200, subject: 200, text: 2000, delayMinutes: 10_080 } as const;

/**
 * The one address in a field of a submission. An encoded word can be a valid address, but some mail programs would decode it into
 * another one.
 * @param data The JSON text of the fields
 */
export function addressIn(data: string, field: string): string | undefined {
	const fields = parseExact(data) as Record<string, unknown>;
	const value = Object.hasOwn(fields, field) ? fields[field] : undefined;
	const text = typeof value === 'string' ? value.trim() : '';
	return isEmailAddress(text) && !text.includes('=?') ? text : undefined;
}
