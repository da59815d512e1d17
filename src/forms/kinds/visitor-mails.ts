/** The kind of the settings of mails to visitors; `null` for none. On the command line they are JSON. */

import {
	type Autoresponder,
	type AutoresponderInput,
	type ConfirmationInput,
	type ConfirmationMail,
	VISITOR_MAIL_MAX,
	type VisitorMail,
} from '../../form-values/visitor-mails.ts';
import { checkLines, checkSubject, isFieldName } from './notification.ts';
import { partialObject, withoutNulls } from './partial.ts';
import { type Check, type Fault, faultOf, type OfKind, type Types, type Words } from './setting.ts';

const FIELD = 'email';

export type AutoresponderSetting = OfKind<'autoresponder', Autoresponder | null, AutoresponderInput>;

export function autoresponder(words: Words<Autoresponder | null>): AutoresponderSetting {
	const { description } = words;
	return {
		...words,
		kind: 'autoresponder',
		blank: null,
		schema: (types) => types.Type.Object({ ...shownTexts(types), delayMinutes: types.Type.Integer() }, { description }),
		inputSchema: (types) =>
			partialObject(types, { ...textsOf(types), delayMinutes: types.Type.Integer() }, description),
		check: checkAutoresponder,
		format: formatMail,
		parse: JSON.parse,
		isJson: true,
	};
}

export type ConfirmationSetting = OfKind<'confirmation', ConfirmationMail | null, ConfirmationInput>;

export function confirmation(words: Words<ConfirmationMail | null>): ConfirmationSetting {
	const { description } = words;
	return {
		...words,
		kind: 'confirmation',
		blank: null,
		schema: (types) => types.Type.Object(shownTexts(types), { description }),
		inputSchema: (types) => partialObject(types, textsOf(types), description),
		check: checkConfirmation,
		format: formatMail,
		parse: JSON.parse,
		isJson: true,
	};
}

function formatMail({ field, subject, delayMinutes = 0 }: VisitorMail & Partial<Autoresponder>): string {
	return `to ${field}${subject === null ? '' : `: ${subject}`}${delayMinutes ? `, after ${delayMinutes} min` : ''}`;
}

function shownTexts({ Type, nullable }: Types) {
	return { field: Type.String(), subject: nullable(Type.String()), text: nullable(Type.String()) };
}

function textsOf({ Type }: Types) {
	return { field: Type.String(), subject: Type.String(), text: Type.String() };
}

function checkAutoresponder(sent: AutoresponderInput, check: Check): Autoresponder {
	const fault = faultOf(check, 'INVALID_AUTORESPONDER');
	const { delayMinutes = 0, ...texts } = withoutNulls(sent);
	if (!(Number.isInteger(delayMinutes) && delayMinutes >= 0 && delayMinutes <= VISITOR_MAIL_MAX.delayMinutes))
		fault('delayMinutes', `must be a whole number of minutes from 0 to ${VISITOR_MAIL_MAX.delayMinutes}`);
	return { ...checkTexts(texts, fault), delayMinutes };
}

function checkConfirmation(sent: ConfirmationInput, check: Check): ConfirmationMail {
	return checkTexts(withoutNulls(sent), faultOf(check, 'INVALID_CONFIRMATION'));
}

/** The same of every mail to visitors. */
function checkTexts(
	{ field = FIELD, subject, text }: Partial<Record<keyof VisitorMail, string>>,
	fault: Fault,
): VisitorMail {
	if (!isFieldName(field)) fault('field', 'must be the name of the field with the address, such as email');
	checkSubject(subject, fault);
	checkLines(text, { member: 'text', fault });
	return { field, subject: subject?.trim() ?? null, text: text?.replaceAll('\r\n', '\n').trim() ?? null };
}
