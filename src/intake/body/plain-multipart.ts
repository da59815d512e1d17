/** The fast path for multipart bodies of usual forms: text fields with distinct names. */

import { decodeUtf8 } from './utf8.ts';

const CRLF = '\r\n';
const BOUNDARY = /^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/;
/** Blanks before, between and after the parts; real clients send a few. */
export const MAX_BLANKS = 1024;

/** The text between a boundary and the name of a text field, as browsers write it. */
const BEFORE_NAME = `${CRLF}Content-Disposition: form-data; name="`;
const AFTER_NAME = `"${CRLF}${CRLF}`;
/** Names with escapes or line ends, and names that an object would sort first. */
const UNUSUAL_NAME = /[%\r\n]|^\d/;

/** The values by name; `undefined` for every other body, valid or not, which is for the parser. */
export function readPlainMultipart(body: Uint8Array, boundary: string): Record<string, string> | undefined {
	const source = isBoundary(boundary) ? decodeUtf8(body) : undefined;
	const delimiter = `${CRLF}--${boundary}`;
	if (!source?.startsWith(delimiter.slice(CRLF.length))) return undefined;
	const values = Object.create(null) as Record<string, string>;
	let at = delimiter.length - CRLF.length;
	while (source.startsWith(BEFORE_NAME, at)) {
		const nameStart = at + BEFORE_NAME.length;
		const nameEnd = source.indexOf('"', nameStart);
		const start = nameEnd + AFTER_NAME.length;
		const end = source.indexOf(delimiter, start - CRLF.length);
		if (nameEnd === -1 || end === -1 || !source.startsWith(AFTER_NAME, nameEnd)) return undefined;
		const name = source.slice(nameStart, nameEnd);
		if (UNUSUAL_NAME.test(name) || name in values) return undefined;
		values[name] = source.slice(start, end);
		at = end + delimiter.length;
	}
	const isAtEnd = source.startsWith('--', at) && isBlank(source, at + 2);
	return isAtEnd ? values : undefined;
}

function isBlank(source: string, start: number): boolean {
	if (source.length - start > MAX_BLANKS) return false;
	for (let at = start; at < source.length; at++) {
		if (!' \t\r\n'.includes(source.charAt(at))) return false;
	}
	return true;
}

/** Returns whether a multipart body may have this boundary. */
export function isBoundary(boundary: string | undefined): boundary is string {
	return boundary !== undefined && BOUNDARY.test(boundary);
}
