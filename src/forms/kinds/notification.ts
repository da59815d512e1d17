/** The kind of the setting of what mails say, and to whom they go; `null` for no mails. On the command line it is JSON. */

import {
	ADDRESSES_MAX,
	DEFAULT_NOTIFICATION,
	type Notification,
	type NotificationInput,
} from '../../form-values/notification-rules.ts';
import { characterCount } from '../../text/character-count.ts';
import { isEmailAddress } from '../../text/email-address.ts';
import { placeholderProblem } from '../../text/placeholders.ts';
import { partialObject, withoutNulls } from './partial.ts';
import { type Check, type Fault, faultOf, type OfKind, type Types, type Words } from './setting.ts';
import { checkMailboxes } from './text.ts';

const SUBJECT_MAX = 200;
const LINES_MAX = 2000;
const NAME_MAX = 200;
const FROM_NAME_MAX = 100;
const FIELDS_MAX = 100;
/** Control characters, line separators and what turns the direction of text. */
const UNFIT_FOR_LINE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
const UNFIT_FOR_TEXT = /[^\P{Cc}\n\t]|[\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
const TAG =
	/<\/?(?:a|b|body|br|center|div|em|font|form|h[1-6]|head|html|i|img|li|ol|p|script|span|strong|style|table|td|tr|u|ul)(?:\s[^<>]*)?\/?>/i;
/** In names of fields, which a placeholder may stand for. */
const NAME = /^[^{}\p{Cc}\u2028\u2029]+$/u;

export type NotificationSetting = OfKind<'notification', Notification | null, NotificationInput>;

export function notification(words: Words<Notification | null>): NotificationSetting {
	const { description } = words;
	return {
		...words,
		kind: 'notification',
		blank: null,
		schema: (types) => types.Type.Object(shownMembers(types), { description }),
		inputSchema(types) {
			const { Type } = types;
			const addresses = Type.Union([Type.String(), Type.Array(Type.String())]);
			const members = { ...membersOf(types), to: addresses, cc: addresses, bcc: addresses };
			return partialObject(types, members, description);
		},
		check: checkNotification,
		format: summaryOf,
		parse: JSON.parse,
		isJson: true,
	};
}

function membersOf({ Type }: Types) {
	return {
		subject: Type.String(),
		intro: Type.String(),
		fields: Type.Union([Type.Literal('all'), Type.Array(Type.String())]),
		replyTo: Type.String(),
		fromName: Type.String(),
	};
}

function shownMembers(types: Types) {
	const { Type, nullable } = types;
	const { fields, ...texts } = { ...membersOf(types), to: Type.String(), cc: Type.String(), bcc: Type.String() };
	const entries = Object.entries(texts).map(([name, schema]) => [name, nullable(schema)]);
	return { ...Object.fromEntries(entries), fields };
}

function summaryOf({ to, ...rules }: Notification): string {
	const others = Object.entries(rules).filter(([, value]) => value !== null && value !== 'all');
	return [...(to ? [`to: ${to}`] : []), ...others.map(([name, value]) => `${name}: ${value}`)].join('; ');
}

/** `to` is in the result only if it was sent. */
function checkNotification(sent: NotificationInput, check: Check): Notification {
	const fault = faultOf(check, 'INVALID_NOTIFICATION');
	const faultOfAddress = faultOf(check, 'INVALID_EMAIL');
	const { to: _, cc, bcc, ...rules } = withoutNulls(sent);

	function addresses(member: 'to' | 'cc' | 'bcc', value: string | string[] | null | undefined): string | null {
		if (value === null || value === undefined) return null;
		const found = checkMailboxes(value, ADDRESSES_MAX);
		if (found === undefined) {
			faultOfAddress(
				member,
				`must be an e-mail address such as ada@example.com or Ada <ada@example.com>, or up to ${ADDRESSES_MAX} of them, written here: no submission adds any`,
			);
		}
		return found ?? null;
	}

	checkSubject(rules.subject, fault);
	checkLines(rules.intro, { member: 'intro', fault });
	checkNames(rules.fields, fault);
	checkReplyTo(rules.replyTo, fault);
	checkFromName(rules.fromName, fault);
	return {
		...DEFAULT_NOTIFICATION,
		...(sent.to !== undefined && { to: addresses('to', sent.to) }),
		...rules,
		...(rules.intro !== undefined && { intro: rules.intro.replaceAll('\r\n', '\n').trim() }),
		cc: addresses('cc', cc),
		bcc: addresses('bcc', bcc),
	};
}

const isText = (text: string, max: number) => text.trim() !== '' && characterCount(text) <= max;

export function checkSubject(subject: string | undefined, fault: Fault): void {
	if (subject === undefined) return;
	if (!isText(subject, SUBJECT_MAX) || UNFIT_FOR_LINE.test(subject))
		fault('subject', `must be one line of 1 to ${SUBJECT_MAX} characters`);
	const problem = placeholderProblem(subject);
	if (problem) fault('subject', problem);
}

/** A text of the owner in a mail. */
export function checkLines(text: string | undefined, { member, fault }: { member: string; fault: Fault }): void {
	if (text === undefined) return;
	if (!isText(text, LINES_MAX) || UNFIT_FOR_TEXT.test(text.replaceAll('\r\n', '\n')))
		fault(member, `must be a text of 1 to ${LINES_MAX} characters`);
	if (TAG.test(text))
		fault(member, 'must be plain text: mails are written from it as text and as HTML, so leave the tags out');
	const problem = placeholderProblem(text);
	if (problem) fault(member, problem);
}

function checkNames(fields: 'all' | string[] | undefined, fault: Fault): void {
	if (fields === undefined || fields === 'all') return;
	if (fields.length > FIELDS_MAX) fault('fields', `must be "all" or at most ${FIELDS_MAX} names of fields`);
	for (const [i, field] of fields.slice(0, FIELDS_MAX).entries())
		if (!isText(field, NAME_MAX)) fault(`fields.${i}`, `must have 1 to ${NAME_MAX} characters`);
	if (new Set(fields).size < fields.length) fault('fields', 'must not name a field twice');
}

/** Returns whether a placeholder could stand for a field of that name. */
export const isFieldName = (name: string): boolean => isText(name, NAME_MAX) && NAME.test(name);

function checkReplyTo(replyTo: string | undefined, fault: Fault): void {
	if (replyTo === undefined) return;
	const isGood = replyTo.includes('@') ? isEmailAddress(replyTo) && !replyTo.includes('=?') : isFieldName(replyTo);
	if (!isGood) fault('replyTo', 'must be one e-mail address, or the name of a field such as email, without braces');
}

function checkFromName(fromName: string | undefined, fault: Fault): void {
	if (fromName === undefined) return;
	if (fromName.includes('{{'))
		fault(
			'fromName',
			'must not have placeholders: a mail with the name of a visitor as its sender would be a forgery; replies go to replyTo',
		);
	else if (!isText(fromName, FROM_NAME_MAX) || UNFIT_FOR_LINE.test(fromName) || /[<>@]|=\?/.test(fromName))
		fault(
			'fromName',
			`must be a name of 1 to ${FROM_NAME_MAX} characters, without an address: mails always come from FORMSRV_MAIL_FROM`,
		);
}
