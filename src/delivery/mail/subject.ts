/** Pure: builds a mail's subject and introduction from untrusted text: values are one line that every mail program shows alike. */

import { fillPlaceholders, type PlaceholderValues, placeholdersIn } from '../../text/placeholders.ts';

const SUBJECT_MAX = 200;
/** Many times the length of a subject, because consecutive blanks become one. */
const VALUE_IN_SUBJECT_MAX = 4_000;
const FILLED_MAX = 400_000;
const VALUE_IN_INTRO_MAX = 500;
const INTRO_MAX = 20_000;
/** Control characters, line separators and bidirectional overrides. */
const UNFIT_FOR_SUBJECT = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;
/** RFC 2047. */
const ENCODED_WORD = /=\?([\w-]{1,40})(?:\*[\w-]{1,40})?\?([bq])\?([^?\s]*)\?=/gi;
const BETWEEN_ENCODED_WORDS = /(\?=)\s+(?==\?)/g;
/** Depth of nested encoded words: no mail program decodes deeper. */
const DECODED_AT_MOST = 3;

/** @returns one line of at most 200 characters, possibly empty */
export function fillSubject(template: string, values: PlaceholderValues): string {
	return tidySubject(fillPlaceholders(template, values, { valueMax: VALUE_IN_SUBJECT_MAX, totalMax: FILLED_MAX }));
}

/** The owner's lines, with each value as a part of its line. */
export function fillIntro(template: string, { fields = [], ...values }: PlaceholderValues): string {
	const names = new Set(placeholdersIn(template));
	const lines = fields
		.filter(({ name }) => names.has(name))
		.map(({ name, text }) => ({ name, text: onOneLine(text.slice(0, VALUE_IN_SUBJECT_MAX)) }));
	return fillPlaceholders(
		template,
		{ ...values, fields: lines },
		{ valueMax: VALUE_IN_INTRO_MAX, totalMax: INTRO_MAX },
	).toWellFormed();
}

/**
 * Decodes encoded words first, as mail programs would, so that their content is tidied too. If the result still looks
 * like an encoded word, the sender has to encode it.
 */
export function tidySubject(text: string): string {
	let line = onOneLine(text);
	for (let times = 0; times < DECODED_AT_MOST; times++) line = onOneLine(decodeWords(line));
	const characters = Array.from(line.slice(0, 2 * SUBJECT_MAX + 2));
	return characters.length <= SUBJECT_MAX ? line : `${characters.slice(0, SUBJECT_MAX - 1).join('')}…`;
}

function onOneLine(text: string): string {
	return text.toWellFormed().replace(UNFIT_FOR_SUBJECT, ' ').replace(/ {2,}/g, ' ').trim();
}

function decodeWords(text: string): string {
	if (!text.includes('=?')) return text;
	return text
		.replace(BETWEEN_ENCODED_WORDS, '$1')
		.replace(ENCODED_WORD, (word, charset: string, encoding: string, content: string) => {
			try {
				const bytes = encoding.toLowerCase() === 'b' ? Buffer.from(content, 'base64') : fromQ(content);
				return new TextDecoder(charset).decode(bytes);
			} catch {
				return word;
			}
		});
}

function fromQ(content: string): Buffer {
	const escaped = content.replaceAll('_', ' ').replace(/[^ -~]/g, '?');
	const bytes = escaped.replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
	return Buffer.from(bytes, 'latin1');
}
