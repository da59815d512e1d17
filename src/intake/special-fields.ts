/** Separates the special fields from the stored ones. */

import { CAPTCHA_NAMES, CAPTCHAS, type Captcha } from '../captchas.ts';
import { isEmailAddress } from '../email-address.ts';
import type { Field } from './field-list.ts';

/** The values of the special fields; absent, unusable and non-string ones are omitted. */
export interface SpecialFields {
	next?: string;
	/** Without control characters, at most 200 characters. */
	subject?: string;
	/** One valid address. */
	replyTo?: string;
	honeypotFilled: boolean;
	captchaTokens: Partial<Record<Captcha, string>>;
}

const CAPTCHA_FIELDS: ReadonlyMap<string, Captcha> = new Map(CAPTCHA_NAMES.map((name) => [CAPTCHAS[name].field, name]));
const SPECIAL_NAMES = new Set(['_next', '_subject', '_replyto', '_gotcha', ...CAPTCHA_FIELDS.keys()]);

const MAX_NEXT = 2048;
const MAX_SUBJECT = 200;
const MAX_TOKEN = 8192;
/** An empty text or `null`; a form with several honeypots sends their texts as an array. */
const UNFILLED = /^(?:""|null|\[""(?:,"")+\])$/;
const CONTROLS = /[\p{Cc}\u2028\u2029]/gu;
const TRAILING_HIGH_SURROGATE = /[\ud800-\udbff]$/;

/** Whether a field of this name is special; names are compared exactly. */
export function isSpecialName(name: string): boolean {
	return SPECIAL_NAMES.has(name);
}

/**
 * Takes out the special fields, with any values (`_next[]` is an ordinary field). `fields` is the same array if there are
 * none.
 */
export function splitSpecialFields(fields: Field[]): { special: SpecialFields; fields: Field[] } {
	const special: SpecialFields = { honeypotFilled: false, captchaTokens: {} };
	const rest: Field[] = [];
	for (const field of fields) {
		if (isSpecialName(field.name)) applySpecial(field, special);
		else rest.push(field);
	}
	return { special, fields: rest.length === fields.length ? fields : rest };
}

/** The JSON object that is stored and returned. */
export function dataJson(fields: Field[]): string {
	let json = '{';
	for (const { name, json: value } of fields) {
		if (json.length > 1) json += ',';
		json += `${JSON.stringify(name)}:${value}`;
	}
	return `${json}}`;
}

function applySpecial(field: Field, special: SpecialFields): void {
	if (field.name === '_gotcha') {
		special.honeypotFilled = !UNFILLED.test(field.json);
		return;
	}
	if (!field.json.startsWith('"')) return;
	const text = JSON.parse(field.json) as string;
	const captcha = CAPTCHA_FIELDS.get(field.name);
	if (captcha) {
		if (text !== '' && text.length <= MAX_TOKEN) special.captchaTokens[captcha] = text;
	} else if (field.name === '_next') {
		if (text !== '' && text.length <= MAX_NEXT) special.next = text;
	} else if (field.name === '_subject') {
		const subject = cleanSubject(text);
		if (subject !== '') special.subject = subject;
	} else {
		const address = text.trim();
		if (isEmailAddress(address)) special.replyTo = address;
	}
}

function cleanSubject(text: string): string {
	const clean = text.replace(CONTROLS, '').trim();
	if (clean.length <= MAX_SUBJECT) return clean;
	return clean.slice(0, MAX_SUBJECT).replace(TRAILING_HIGH_SURROGATE, '').trimEnd();
}
