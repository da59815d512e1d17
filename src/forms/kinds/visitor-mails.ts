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
import type { Check, Setting, Types, Words } from './setting.ts';

const FIELD = 'email';

export interface AutoresponderSetting extends Setting<Autoresponder | null, AutoresponderInput> {
	kind: 'autoresponder';
}

export function autoresponder(words: Words<Autoresponder | null>): AutoresponderSetting {
	const { description } = words;
	return {
		...words,
		kind: 'autoresponder',
		blank: null,
		schema: (types) => types.Type.Object({ ...shownTexts(types), delayMinutes: types.Type.Integer() }, { description }),
		inputSchema: (types) => partialObject(types, { ...textsOf(types), delayMinutes: types.Type.Number() }, description),
		check: checkAutoresponder,
		format: formatMail,
		parse: JSON.parse,
		isJson: true,
	};
}

export interface ConfirmationSetting extends Setting<ConfirmationMail | null, ConfirmationInput> {
	kind: 'confirmation';
}

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

function checkAutoresponder(sent: AutoresponderInput, { name, report }: Check): Autoresponder {
	const fault = (member: string, rest: string) =>
		report('INVALID_AUTORESPONDER', `${name}.${member} ${rest}.`, `${name}.${member}`);
	const { delayMinutes = 0, ...texts } = withoutNulls(sent);
	if (!(Number.isInteger(delayMinutes) && delayMinutes >= 0 && delayMinutes <= VISITOR_MAIL_MAX.delayMinutes))
		fault('delayMinutes', `must be a whole number of minutes from 0 to ${VISITOR_MAIL_MAX.delayMinutes}`);
	return { ...checkTexts(texts, fault), delayMinutes };
}

function checkConfirmation(sent: ConfirmationInput, { name, report }: Check): ConfirmationMail {
	return checkTexts(withoutNulls(sent), (member, rest) =>
		report('INVALID_CONFIRMATION', `${name}.${member} ${rest}.`, `${name}.${member}`),
	);
}

/** The same of every mail to visitors. */
function checkTexts(
	{ field = FIELD, subject, text }: Partial<Record<keyof VisitorMail, string>>,
	fault: (member: string, rest: string) => void,
): VisitorMail {
	if (!isFieldName(field)) fault('field', 'must be the name of the field with the address, such as email');
	checkSubject(subject, fault);
	checkLines(text, { member: 'text', fault });
	return { field, subject: subject?.trim() ?? null, text: text?.replaceAll('\r\n', '\n').trim() ?? null };
}
