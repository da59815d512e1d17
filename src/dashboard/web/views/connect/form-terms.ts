/** Sentences on the terms of a form: who may send what, and when. */

import { labelOf } from '../../../../field-rules/rules.ts';
import { isStored, specialNamesWith } from '../../../../form-values/aliases.ts';
import { CAPTCHAS } from '../../../../form-values/captchas.ts';
import { roughSize } from '../../../../text/byte-sizes.ts';
import type { Form } from '../../api-types.ts';
import { absoluteTime } from '../../format.ts';
import * as words from '../../sentences/more-words.ts';

/** Returns a function that tells whether a field of this name is stored, that is, does not control the submission. */
export function isStoredIn({ spam, aliases }: Form): (name: string) => boolean {
	const special = specialNamesWith(spam.honeypot, aliases);
	return (name) => isStored(special.get(name));
}

/** The reason why it accepts no submission now; `undefined` if it does. */
export function closedSentence(form: Form, now: number): string | undefined {
	const { isActive, opensAt, closesAt, maxSubmissions, submissionCount } = form;
	if (!isActive) return words.connect.closed;
	if (opensAt !== null && Date.parse(opensAt) > now) return words.connect.notOpenYet(absoluteTime(opensAt));
	if (closesAt !== null && Date.parse(closesAt) <= now) return words.connect.closedSince(absoluteTime(closesAt));
	if (maxSubmissions === null || submissionCount < maxSubmissions) return undefined;
	return words.connect.full(maxSubmissions);
}

/** The limits of a form, in a sentence for each setting that bounds it. */
export function termsOf(form: Form, now: number): string[] {
	const closed = closedSentence(form, now);
	return [
		...(closed ? [closed] : []),
		...senderTerms(form),
		...fieldTerms(form),
		fileTerm(form),
		...timeTerms(form, now),
	];
}

function senderTerms({ allowedDomains, captcha }: Form): string[] {
	const who = allowedDomains.length === 0 ? words.connect.anyWebsite : words.connect.onlyDomains(allowedDomains);
	if (allowedDomains.length === 0 && captcha === null) return [who];
	const human = captcha && words.connect.captchaNeeded(CAPTCHAS[captcha].label);
	return [who, ...(human ? [human] : []), words.connect.serverNeedsKey];
}

function fieldTerms(form: Form): string[] {
	const { unknownFields } = form;
	const fields = form.fields?.filter(({ name }) => isStoredIn(form)(name));
	if (!fields) return [words.connect.anyFields];
	const names = fields.map(({ name }) => name).join(', ');
	const required = fields.filter((rule) => rule.required).map(labelOf);
	const bounds = required.length > 0 ? [words.connect.requiredFields(required)] : [];
	if (unknownFields === 'keep') return [words.connect.fieldsAndOthers, ...bounds];
	if (unknownFields === 'drop') return [words.connect.fieldsKept(names), ...bounds];
	return [words.connect.onlyFields(names), ...bounds];
}

/** Returns whether a file can be sent in a field of any name. */
export const takesFilesAnywhere = ({ files, fields, unknownFields }: Form) =>
	files !== null && (fields === null || unknownFields === 'keep');

function fileTerm(form: Form): string {
	const { files, fields } = form;
	const hasField = takesFilesAnywhere(form) || fields?.some(({ type }) => type === 'file');
	if (!files || !hasField) return words.connect.noFiles;
	const { maxFiles, maxBytes, types, onRefused } = files;
	return words.connect.files({ maxFiles, size: roughSize(maxBytes), types, isDropped: onRefused === 'drop' });
}

function timeTerms(form: Form, now: number): string[] {
	const { closesAt, maxSubmissions, submissionCount } = form;
	if (closedSentence(form, now)) return [];
	const until = closesAt === null ? [] : [words.connect.closesOn(absoluteTime(closesAt))];
	if (maxSubmissions === null) return until;
	return [...until, words.connect.placesTaken(maxSubmissions, submissionCount)];
}
