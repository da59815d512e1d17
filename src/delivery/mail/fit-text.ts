/** Pure: submitted text made fit for a mail: what is invisible becomes visible, and what is long is cut. */

import { cutText } from '../../text/cut-text.ts';
import { escapeHtml } from '../../text/html.ts';
import type { FieldText, NamedText } from '../fields.ts';

/** Maximum submitted content in a mail, in bytes of HTML; the link leads to the rest. */
const CONTENT_MAX_BYTES = 100_000;
const SPACE = 0x20;
const DELETE = 0x7f;
const CONTROL_PICTURES = 0x2400;

/** As many fields as fit, made safe for a mail; a value that is too long is cut. */
export function cutFields(fields: FieldText[]): { shown: NamedText[]; isCut: boolean } {
	let left = CONTENT_MAX_BYTES;
	const shown: NamedText[] = [];
	for (const field of fields) {
		const name = tidyLine(prefix(field.name, left));
		left -= sizeInMail(name);
		const text = cutToFit(tidy(prefix(field.text, left)), left);
		left -= sizeInMail(text.fitting);
		if (left <= 0 || text.isCut || field.isCut) {
			if (text.fitting !== '') shown.push({ name, text: `${text.fitting} …` });
			return { shown, isCut: true };
		}
		shown.push({ name, text: text.fitting });
	}
	return { shown, isCut: false };
}

/**
 * A prefix long enough to show whether the whole text fits into `bytes` once it is tidied. Tidying shortens only line
 * ends, from two characters to one.
 */
function prefix(text: string, bytes: number): string {
	return text.slice(0, 2 * Math.max(0, bytes) + 2);
}

function cutToFit(text: string, maxBytes: number): { fitting: string; isCut: boolean } {
	if (sizeInMail(text) <= maxBytes) return { fitting: text, isCut: false };
	let used = 0;
	let end = 0;
	for (const character of text) {
		used += sizeInMail(character);
		if (used > maxBytes) break;
		end += character.length;
	}
	return { fitting: text.slice(0, end), isCut: true };
}

function sizeInMail(text: string): number {
	return Buffer.byteLength(escapeHtml(text));
}

/**
 * Makes text safe for a mail: one kind of line end, lone surrogates replaced, and other control characters as
 * Unicode's control pictures, so that no terminal interprets them.
 */
export function tidy(text: string): string {
	return text
		.toWellFormed()
		.replace(/\r\n?/g, '\n')
		.replace(/\p{Cc}/gu, visibleControl);
}

export function tidyLine(text: string): string {
	return tidy(text).replaceAll('\n', ' ');
}

function visibleControl(control: string): string {
	const code = control.charCodeAt(0);
	if (control === '\n' || control === '\t') return control;
	if (code === DELETE) return '\u2421';
	return code < SPACE ? String.fromCharCode(CONTROL_PICTURES + code) : '\ufffd';
}

/** The fields that are filled in, in one line of at most so many characters. */
export function summarize(fields: Iterable<NamedText>, max: number): string {
	let line = '';
	for (const { name, text } of fields) {
		if (line.length > 4 * max) break;
		if (text === '') continue;
		line = tidyLine(`${line}${line && ' · '}${name}: ${text.slice(0, 4 * max)}`).replace(/\s+/g, ' ');
	}
	return cutText(line, max);
}
