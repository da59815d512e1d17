/** Parses a multipart/form-data body (RFC 7578) strictly: one invalid part rejects the whole body. */

import { AppError } from '../errors.ts';
import { type FieldLimits, quoteName, tooManyFields } from './field-limits.ts';
import { createFieldList, type Field } from './field-list.ts';
import { readPartHeaders } from './part-headers.ts';
import { decodeUtf8 } from './utf8.ts';

const BOUNDARY = /^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/;
const CRLF = '\r\n';
const MAX_HEADER_CHARACTERS = 8192;
/** Blanks before, between and after the parts; real clients send a few. */
const MAX_BLANKS = 1024;

/** The text between a boundary and the name of a text field, as browsers write it. */
const BEFORE_NAME = `${CRLF}Content-Disposition: form-data; name="`;
const AFTER_NAME = `"${CRLF}${CRLF}`;
/** Names with escapes or line ends, and names that an object would sort first. */
const UNUSUAL_NAME = /[%\r\n]|^\d/;

/**
 * The fast path for usual forms: text fields with distinct names. `undefined` for every other body, valid or not, which
 * {@link readMultipartFields} handles.
 */
export function readPlainMultipart(body: Uint8Array, boundary: string): Record<string, string> | undefined {
	const source = BOUNDARY.test(boundary) ? decodeUtf8(body) : undefined;
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

/**
 * Parses the parts as fields. An unused file input, an empty file without a name, is skipped.
 * @throws {AppError} INVALID_BODY, UNSUPPORTED_MEDIA_TYPE (a part's charset), PAYLOAD_TOO_LARGE naming the limit,
 * FILES_NOT_SUPPORTED naming the field
 */
export function readMultipartFields(body: Uint8Array, boundary: string | undefined, limits: FieldLimits): Field[] {
	if (boundary === undefined || !BOUNDARY.test(boundary)) {
		throw invalid('the Content-Type needs a boundary of 1 to 70 characters');
	}
	// A body with files is not UTF-8 as a whole: it is read as Latin-1, and each part decoded.
	const whole = decodeUtf8(body);
	const source = whole ?? Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1');
	const decode = (part: string) => (whole === undefined ? decodeBytes(part) : part);
	const delimiter = `${CRLF}--${boundary}`;
	const list = createFieldList(limits);

	let parts = 0;
	let at = firstPart(source, delimiter);
	while (!source.startsWith('--', at)) {
		parts++;
		if (parts > limits.maxFields) throw tooManyFields(limits);
		const headersStart = lineEnd(source, at);
		const headersEnd = blankLine(source, headersStart);
		const headers = readPartHeaders(source.slice(headersStart, headersEnd));
		const name = decode(headers.name);
		const start = headersEnd + 2 * CRLF.length;
		// An empty part may omit the line end before the delimiter (RFC 2046, body-part).
		const end = source.indexOf(delimiter, start - CRLF.length);
		if (end === -1) throw invalid('the last part is not ended by the boundary');
		if (headers.filename === undefined) list.add(name, decode(source.slice(start, end)));
		else if (headers.filename !== '' || end > start) throw fileRejected(name);
		at = end + delimiter.length;
	}
	if (!isBlank(source, at + 2)) throw invalid('something follows the final boundary');
	return list.fields();
}

/** The place after the first boundary; empty lines may come before it. */
function firstPart(source: string, delimiter: string): number {
	let at = 0;
	while (at < MAX_BLANKS && source.startsWith(CRLF, at)) at += CRLF.length;
	const opening = delimiter.slice(CRLF.length);
	if (!source.startsWith(opening, at)) throw invalid('it does not start with the boundary');
	return at + opening.length;
}

/** The start of the line after a boundary; only padding may follow the boundary. */
function lineEnd(source: string, start: number): number {
	let at = start;
	while (at - start < MAX_BLANKS && (source[at] === ' ' || source[at] === '\t')) at++;
	if (!source.startsWith(CRLF, at)) throw invalid('a boundary is not followed by the end of its line');
	return at + CRLF.length;
}

/** The start of the blank line that ends a part's headers. */
function blankLine(source: string, start: number): number {
	const end = source.indexOf(CRLF + CRLF, start);
	if (end === -1) throw invalid('a part has no blank line after its headers');
	if (end - start > MAX_HEADER_CHARACTERS) {
		const message = `The headers of one part may have at most ${MAX_HEADER_CHARACTERS} characters.`;
		throw new AppError('PAYLOAD_TOO_LARGE', message);
	}
	return end;
}

function isBlank(source: string, start: number): boolean {
	if (source.length - start > MAX_BLANKS) return false;
	for (let at = start; at < source.length; at++) {
		if (!' \t\r\n'.includes(source.charAt(at))) return false;
	}
	return true;
}

function decodeBytes(part: string): string {
	const text = decodeUtf8(Buffer.from(part, 'latin1'));
	if (text === undefined) throw invalid('a part is not valid UTF-8');
	return text;
}

export function fileRejected(name: string): AppError {
	return new AppError(
		'FILES_NOT_SUPPORTED',
		`This form takes no files; the field ${quoteName(name)} holds one. Leave the file out and send the rest.`,
	);
}

function invalid(what: string): AppError {
	return new AppError('INVALID_BODY', `The multipart body is not valid: ${what}.`);
}
