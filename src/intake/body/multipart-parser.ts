/** Parses a multipart/form-data body (RFC 7578) as it arrives, strictly: one invalid part rejects the whole body. */

import { AppError } from '../../errors.ts';
import type { ByteQueue } from './byte-queue.ts';
import { type FieldLimits, tooManyFields } from './field-limits.ts';
import { type PartHeaders, readPartHeaders } from './part-headers.ts';
import { isBoundary, MAX_BLANKS } from './plain-multipart.ts';
import { decodeUtf8 } from './utf8.ts';

export interface TextLimits extends FieldLimits {
	/** Total of the values of all text parts. */
	maxTextBytes: number;
}

/** Signals that more bytes must arrive first. */
export const MORE = Symbol('more');

/** A find of the parser. The bytes belong to the file that began last, and are valid until the parser goes on. */
export type PartEvent =
	| { kind: 'text'; name: string; value: string }
	| { kind: 'file'; field: string; filename: string; claimedType: string }
	| { kind: 'bytes'; bytes: Uint8Array }
	| { kind: 'end' };

type Parsing<T> = Generator<PartEvent | typeof MORE, T, void>;

const CRLF = Buffer.from('\r\n');
const BLANK_LINE = Buffer.from('\r\n\r\n');
const DASHES = Buffer.from('--');
const PADDING = Buffer.from(' \t');
const BLANKS = Buffer.from(' \t\r\n');
const MAX_HEADER_CHARACTERS = 8192;
const MAX_HEADER_BYTES = 4 * MAX_HEADER_CHARACTERS;
/** Allowance for the headers of a part, more than browsers write; the excess counts as text. */
const HEADERS_BYTES = 256;

/**
 * Takes the body from `input`, to which the caller appends whenever the parser yields {@link MORE}. An unused file input,
 * an empty file without a name, is skipped.
 * @throws {AppError} INVALID_BODY, UNSUPPORTED_MEDIA_TYPE (a part's charset), PAYLOAD_TOO_LARGE naming the limit
 */
export function* parseMultipart(input: ByteQueue, boundary: string | undefined, limits: TextLimits): Parsing<void> {
	if (!isBoundary(boundary)) throw invalid('the Content-Type needs a boundary of 1 to 70 characters');
	const delimiter = Buffer.from(`\r\n--${boundary}`);
	let parts = 0;
	let textBytes = 0;
	const countText = (bytes: number) => {
		if (textBytes + bytes > limits.maxTextBytes) throw tooMuchText(limits);
	};

	yield* passOpening(input, delimiter.subarray(CRLF.length));
	while (!(yield* isClosing(input))) {
		parts++;
		if (parts > limits.maxFields) throw tooManyFields(limits);
		yield* passLineEnd(input);
		const { headers, bytes } = yield* readHeaders(input);
		const excess = Math.max(0, bytes - HEADERS_BYTES);
		countText(excess);
		textBytes += excess;
		if (headers.filename === undefined) {
			const value = yield* readText(input, delimiter, countText);
			textBytes += value.length;
			yield { kind: 'text', name: headers.name, value: decode(value) };
		} else {
			yield* readFile(input, delimiter, { ...headers, filename: headers.filename });
		}
	}
	yield* passClosing(input);
}

/** Waits for so many bytes; there are fewer if the body ends before. */
function* need(input: ByteQueue, bytes: number): Parsing<void> {
	while (input.length() < bytes && !input.isEnded()) yield MORE;
}

/**
 * The place of the text; -1 if the body ends without it.
 * @param check Called with the number of bytes that are certain to come before it.
 */
function* find(input: ByteQueue, text: Buffer, check: (before: number) => void): Parsing<number> {
	let seen = 0;
	for (;;) {
		const at = input.indexOf(text, seen);
		seen = Math.max(0, input.length() - text.length + 1);
		check(at === -1 ? seen : at);
		if (at !== -1 || input.isEnded()) return at;
		yield MORE;
	}
}

/** The first boundary; empty lines may come before it. */
function* passOpening(input: ByteQueue, opening: Buffer): Parsing<void> {
	for (let blanks = 0; blanks < MAX_BLANKS; blanks += CRLF.length) {
		if (input.length() < CRLF.length) yield* need(input, CRLF.length);
		if (!input.startsWith(CRLF)) break;
		input.take(CRLF.length);
	}
	yield* need(input, opening.length);
	if (!input.startsWith(opening)) throw invalid('it does not start with the boundary');
	input.take(opening.length);
}

/** Returns whether the boundary is the last one. */
function* isClosing(input: ByteQueue): Parsing<boolean> {
	yield* need(input, DASHES.length);
	return input.startsWith(DASHES);
}

/** The rest of the line of a boundary, which may only be padding. */
function* passLineEnd(input: ByteQueue): Parsing<void> {
	let padding = input.countLeading(PADDING);
	while (input.length() < padding + CRLF.length && padding <= MAX_BLANKS && !input.isEnded()) {
		yield MORE;
		padding = input.countLeading(PADDING);
	}
	if (padding > MAX_BLANKS || !input.startsWith(CRLF, padding)) {
		throw invalid('a boundary is not followed by the end of its line');
	}
	input.take(padding + CRLF.length);
}

/** Leaves the second half of the blank line, which can be the line end before a delimiter. */
function* readHeaders(input: ByteQueue): Parsing<{ headers: PartHeaders; bytes: number }> {
	const bytes = yield* find(input, BLANK_LINE, (before) => {
		if (before > MAX_HEADER_BYTES) throw headersTooLong();
	});
	if (bytes === -1) throw invalid('a part has no blank line after its headers');
	const raw = input.take(bytes);
	const text = decodeUtf8(raw);
	if ((text?.length ?? bytes) > MAX_HEADER_CHARACTERS) throw headersTooLong();
	const headers = text === undefined ? decodeHeaders(raw) : readPartHeaders(text);
	input.take(CRLF.length);
	return { headers, bytes };
}

/** Decodes the headers of a part with a byte that is not UTF-8: only its names must be. */
function decodeHeaders(raw: Buffer): PartHeaders {
	const { name, filename, ...others } = readPartHeaders(raw.toString('latin1'));
	const decodeName = (latin1: string) => decode(Buffer.from(latin1, 'latin1'));
	return { ...others, name: decodeName(name), ...(filename !== undefined && { filename: decodeName(filename) }) };
}

/** The value of a text part. An empty part may omit the line end before the delimiter (RFC 2046, body-part). */
function* readText(input: ByteQueue, delimiter: Buffer, check: (bytes: number) => void): Parsing<Buffer> {
	const end = yield* find(input, delimiter, (before) => check(before - CRLF.length));
	if (end === -1) throw unended();
	const whole = input.take(end);
	input.take(delimiter.length);
	return whole.subarray(CRLF.length);
}

function* readFile(
	input: ByteQueue,
	delimiter: Buffer,
	{ name: field, filename, contentType: claimedType = '' }: PartHeaders & { filename: string },
): Parsing<void> {
	yield* need(input, CRLF.length + delimiter.length);
	if (input.length() < CRLF.length + delimiter.length) throw unended();
	// An empty part may omit the line end before the delimiter.
	if (!input.startsWith(delimiter)) input.take(CRLF.length);
	const isUnused = filename === '' && input.startsWith(delimiter);
	if (!isUnused) yield { kind: 'file', field, filename, claimedType };
	for (;;) {
		const end = input.indexOf(delimiter);
		const count = end === -1 ? input.length() - input.countBegun(delimiter) : end;
		if (count > 0) yield { kind: 'bytes', bytes: input.take(count) };
		if (end !== -1) break;
		if (input.isEnded()) throw unended();
		yield MORE;
	}
	input.take(delimiter.length);
	if (!isUnused) yield { kind: 'end' };
}

/** The last boundary has been passed but for its dashes; blanks may follow. */
function* passClosing(input: ByteQueue): Parsing<void> {
	input.take(DASHES.length);
	for (;;) {
		const length = input.length();
		if (length > MAX_BLANKS || input.countLeading(BLANKS) < length)
			throw invalid('something follows the final boundary');
		if (input.isEnded()) return;
		yield MORE;
	}
}

function decode(bytes: Uint8Array): string {
	const text = decodeUtf8(bytes);
	if (text === undefined) throw invalid('a part is not valid UTF-8');
	return text;
}

function invalid(what: string): AppError {
	return new AppError('INVALID_BODY', `The multipart body is not valid: ${what}.`);
}

function unended(): AppError {
	return invalid('the last part is not ended by the boundary');
}

function headersTooLong(): AppError {
	const message = `The headers of one part may have at most ${MAX_HEADER_CHARACTERS} characters.`;
	return new AppError('PAYLOAD_TOO_LARGE', message);
}

function tooMuchText({ maxTextBytes }: TextLimits): AppError {
	const message = `The text fields of a multipart body may have at most ${maxTextBytes} bytes together.`;
	return new AppError('PAYLOAD_TOO_LARGE', message);
}
