/** Sentences on the terms of a form: who may send what, and when. */

import { labelOf } from '../../../../field-rules/rules.ts';
import { isStored, specialNamesWith } from '../../../../form-values/aliases.ts';
import { CAPTCHAS } from '../../../../form-values/captchas.ts';
import { roughSize } from '../../../../text/byte-sizes.ts';
import { formatCount, plural } from '../../../../text/plural.ts';
import type { Form } from '../../api-types.ts';
import { absoluteTime } from '../../format.ts';

/** Returns a function that tells whether a field of this name is stored, that is, does not control the submission. */
export function isStoredIn({ spam, aliases }: Form): (name: string) => boolean {
	const special = specialNamesWith(spam.honeypot, aliases);
	return (name) => isStored(special.get(name));
}

/** The reason why it accepts no submission now; `undefined` if it does. */
export function closedSentence(form: Form, now: number): string | undefined {
	const { isActive, opensAt, closesAt, maxSubmissions, submissionCount } = form;
	if (!isActive) return 'The form is paused. Activate it in its settings, and it accepts submissions again.';
	if (opensAt !== null && Date.parse(opensAt) > now)
		return `The form is not open yet: it opens on ${absoluteTime(opensAt)}.`;
	if (closesAt !== null && Date.parse(closesAt) <= now)
		return `The form has been closed since ${absoluteTime(closesAt)}.`;
	if (maxSubmissions === null || submissionCount < maxSubmissions) return undefined;
	return `The form is full: it takes ${plural(maxSubmissions, 'submission')}. Delete some, or give it more places.`;
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
	const who =
		allowedDomains.length === 0
			? 'Any website may post to it.'
			: `Only pages of ${allowedDomains.join(', ')} may post to it, those of subdomains included.`;
	if (allowedDomains.length === 0 && captcha === null) return [who];
	const human = captcha && `Visitors have to pass ${CAPTCHAS[captcha].label}.`;
	return [who, ...(human ? [human] : []), 'A server needs a key with the permission submit instead.'];
}

function fieldTerms(form: Form): string[] {
	const { unknownFields } = form;
	const fields = form.fields?.filter(({ name }) => isStoredIn(form)(name));
	if (!fields) return ['Fields may have any name; each becomes a column.'];
	const names = fields.map(({ name }) => name).join(', ');
	const required = fields.filter((rule) => rule.required).map(labelOf);
	const bounds = required.length > 0 ? [`Required: ${required.join(', ')}.`] : [];
	if (unknownFields === 'keep') return ['Fields must follow its rules; others may have any name.', ...bounds];
	if (unknownFields === 'drop') return [`Only these fields are kept, others are dropped: ${names}.`, ...bounds];
	return [`Only these fields may be sent: ${names}.`, ...bounds];
}

/** Returns whether a file can be sent in a field of any name. */
export const takesFilesAnywhere = ({ files, fields, unknownFields }: Form) =>
	files !== null && (fields === null || unknownFields === 'keep');

function fileTerm(form: Form): string {
	const { files, fields } = form;
	const hasField = takesFilesAnywhere(form) || fields?.some(({ type }) => type === 'file');
	if (!files || !hasField) return 'It does not accept files.';
	const { maxFiles, maxBytes, types, onRefused } = files;
	const kinds = types.length > 0 ? `: ${types.join(', ')}` : ' of any type';
	return `It takes ${plural(maxFiles, 'file')} of up to ${roughSize(maxBytes)}${maxFiles > 1 ? ' each' : ''}${kinds}.${onRefused === 'drop' ? ' Others are left out.' : ''}`;
}

function timeTerms(form: Form, now: number): string[] {
	const { closesAt, maxSubmissions, submissionCount } = form;
	if (closedSentence(form, now)) return [];
	const until = closesAt === null ? [] : [`It closes on ${absoluteTime(closesAt)}.`];
	if (maxSubmissions === null) return until;
	return [...until, `It takes ${plural(maxSubmissions, 'submission')} and has ${formatCount(submissionCount)}.`];
}
