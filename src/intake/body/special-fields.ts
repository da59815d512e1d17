/** Separates the special fields from the stored ones. */

import { isStored, type SpecialNames, specialNamesWith } from '../../form-values/aliases.ts';
import type { Captcha } from '../../form-values/captchas.ts';
import type { SpecialRole } from '../../form-values/special-names.ts';
import type { FormRow } from '../../storage/tables.ts';
import { beginningOf } from '../../text/cut-text.ts';
import { isEmailAddress } from '../../text/email-address.ts';
import type { PostedField } from './fields.ts';

/** The values of the special fields; absent, unusable and non-string ones are omitted. */
export interface SpecialFields {
	next?: string;
	/** Without control characters, at most 200 characters. */
	subject?: string;
	/** One valid address. */
	replyTo?: string;
	/** When the form was loaded. */
	stamp?: string;
	/** The page that it came from before it was corrected. */
	page?: string;
	honeypotFilled: boolean;
	captchaTokens: Partial<Record<Captcha, string>>;
}

const namesOfForms = new WeakMap<object, SpecialNames>();

const MAX_NEXT = 2048;
const MAX_SUBJECT = 200;
const MAX_TOKEN = 8192;
const MAX_STAMP = 64;
const MAX_PAGE = 8192;
/** An empty text or `null`; a form with several honeypots sends their texts as an array. */
const UNFILLED = /^(?:""|null|\[""(?:,"")+\])$/;
const CONTROLS = /[\p{Cc}\u2028\u2029]/gu;

/** @param form One object for as long as its settings stay the same. */
export function specialNamesOf(form: Pick<FormRow, 'spam' | 'aliases'>): SpecialNames {
	const known = namesOfForms.get(form);
	if (known) return known;
	const names = specialNamesWith(form.spam.honeypot, form.aliases);
	namesOfForms.set(form, names);
	return names;
}

/**
 * Takes out the special fields, with any values (`_next[]` is an ordinary field). `fields` is the same array if there are
 * none.
 */
export function splitSpecialFields(
	fields: PostedField[],
	names: SpecialNames,
): { special: SpecialFields; fields: PostedField[] } {
	const special: SpecialFields = { honeypotFilled: false, captchaTokens: {} };
	const rest: PostedField[] = [];
	for (const field of fields) {
		const role = names.get(field.name);
		if (role) applySpecial(role, field, special);
		if (isStored(role)) rest.push(field);
	}
	return { special, fields: rest.length === fields.length ? fields : rest };
}

/**
 * The JSON object that is stored and returned.
 * @param sent The JSON text that the fields were read from. Whatever is not stored of it makes it longer: blanks, escapes in names, other
 * fields. One that is no longer is the same text, and made already.
 */
export function dataJson(fields: readonly PostedField[], sent?: string): string {
	if (sent !== undefined && sent.length === leastLength(fields)) return sent;
	let json = '{';
	for (const { name, json: value } of fields) {
		if (json.length > 1) json += ',';
		json += `${JSON.stringify(name)}:${value}`;
	}
	return `${json}}`;
}

/** The length of the JSON object, if no name has to be escaped. */
function leastLength(fields: readonly PostedField[]): number {
	let length = '{'.length;
	for (const { name, json } of fields) length += `"":,`.length + name.length + json.length;
	return length;
}

function applySpecial(role: SpecialRole, { json }: PostedField, special: SpecialFields): void {
	if (role === 'honeypot') special.honeypotFilled ||= !UNFILLED.test(json);
	else if (role === 'honeypotBox') special.honeypotFilled ||= !/^("?)false\1$/.test(json) && !UNFILLED.test(json);
	else if (role !== 'dropped' && json.startsWith('"')) applyText(role, JSON.parse(json) as string, special);
}

type TextRole = Exclude<SpecialRole, 'honeypot' | 'honeypotBox' | 'dropped'>;

function applyText(role: TextRole, text: string, special: SpecialFields): void {
	if (role === 'next') {
		if (text !== '' && text.length <= MAX_NEXT) special.next = text;
	} else if (role === 'subject' || role === 'keptSubject') {
		const subject = cleanSubject(text);
		if (subject !== '') special.subject = subject;
	} else if (role === 'replyTo' || role === 'keptReplyTo') {
		const address = text.trim();
		if (isEmailAddress(address)) special.replyTo = address;
	} else if (role === 'stamp') {
		if (text.length <= MAX_STAMP) special.stamp = text;
	} else if (role === 'page') {
		if (text.length <= MAX_PAGE) special.page = text;
	} else if (text !== '' && text.length <= MAX_TOKEN) special.captchaTokens[role] = text;
}

function cleanSubject(text: string): string {
	const clean = text.replace(CONTROLS, '').trim();
	if (clean.length <= MAX_SUBJECT) return clean;
	return beginningOf(clean, MAX_SUBJECT).trimEnd();
}
