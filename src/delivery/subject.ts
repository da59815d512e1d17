/** Pure: a mail's subject from what strangers write, as one line that says in every mail program what it says here. */

import type { NamedText } from './fields.ts';

const SUBJECT_MAX = 200;
/** Many times what a subject shows, because blanks that follow each other become one. */
const VALUE_IN_SUBJECT_MAX = 4_000;
const PLACEHOLDER = /\{\{([^{}]{1,256})\}\}/g;
/** Controls, line separators and marks that turn the direction of writing: none belongs in a subject. */
const UNFIT_FOR_SUBJECT = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;
/** RFC 2047. */
const ENCODED_WORD = /=\?([\w-]{1,40})(?:\*[\w-]{1,40})?\?([bq])\?([^?\s]*)\?=/gi;
const BETWEEN_ENCODED_WORDS = /(\?=)\s+(?==\?)/g;
/** Encoded words that hold encoded words, and so on: more often no mail program looks. */
const DECODED_AT_MOST = 3;

/**
 * Puts fields into the places `{{name}}` of a subject; a name that was not submitted leaves nothing.
 * @returns one line of at most 200 characters, possibly empty
 */
export function fillSubject(template: string, fields: readonly NamedText[]): string {
	const texts = new Map(fields.map(({ name, text }) => [name, text]));
	const beginning = (name: string) => texts.get(name.trim())?.slice(0, VALUE_IN_SUBJECT_MAX) ?? '';
	return tidySubject(template.replace(PLACEHOLDER, (_, name: string) => beginning(name)));
}

/**
 * Encoded words are decoded, because mail programs would do it: what they hide is tidied as well. What still looks like
 * one afterwards has to be encoded itself when it is sent.
 */
export function tidySubject(text: string): string {
	let line = tidyLine(text);
	for (let times = 0; times < DECODED_AT_MOST; times++) line = tidyLine(decodeWords(line));
	const characters = Array.from(line.slice(0, 2 * SUBJECT_MAX + 2));
	return characters.length <= SUBJECT_MAX ? line : `${characters.slice(0, SUBJECT_MAX - 1).join('')}…`;
}

function tidyLine(text: string): string {
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
