/** Reads a multipart/form-data body (RFC 7578) as it arrives, strictly: one invalid part rejects the whole body. */

import { AppError } from '../../errors.ts';
import { createByteQueue } from './byte-queue.ts';
import type { BodyReader } from './bytes.ts';
import { createFieldList, type FieldLimits, type PostedField, tooManyFields } from './fields.ts';
import { type PartHeaders, readPartHeaders } from './part-headers.ts';
import { decodeUtf8 } from './utf8.ts';

interface TextLimits extends FieldLimits {
	/** Total of the values of all text parts. */
	maxTextBytes: number;
}

export interface SentFile {
	field: string;
	/** As sent. */
	filename: string;
	claimedType: string;
}

/** Takes the files one after the other. An exception ends the reading. */
export interface FileSink {
	/** @returns the name that stands for the file among the fields */
	begin(file: SentFile): Promise<string>;
	/** The bytes may be used again when this has resolved. */
	write(bytes: Uint8Array): Promise<void>;
	end(): Promise<void>;
}

interface MultipartReader extends BodyReader {
	/** To be called once all of the body was pushed. Returns the fields in the order sent. */
	end(): PostedField[];
}

/** A place in the grammar: reads on, and returns the next place; `undefined` where more bytes must arrive first. */
type Place = () => Place | Promise<Place> | undefined;

const CRLF = Buffer.from('\r\n');
const BLANK_LINE = Buffer.from('\r\n\r\n');
const DASHES = Buffer.from('--');
const PADDING = Buffer.from(' \t');
const BLANKS = Buffer.from(' \t\r\n');
const BOUNDARY = /^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/;
/** Blanks before, between and after the parts; real clients send a few. */
export const MAX_BLANKS = 1024;
const MAX_HEADER_CHARACTERS = 8192;
const MAX_HEADER_BYTES = 4 * MAX_HEADER_CHARACTERS;
/** Allowance for the headers of a part, more than browsers write; the excess counts as text. */
const HEADERS_BYTES = 256;

/**
 * Waits for nothing while there are no files. An unused file input, an empty file without a name, is skipped.
 * Throws the errors of `files`, and AppError INVALID_BODY, UNSUPPORTED_MEDIA_TYPE (a part's charset), PAYLOAD_TOO_LARGE naming
 * the limit.
 */
export function createMultipartReader(
	boundary: string | undefined,
	{ limits, files }: { limits: TextLimits; files: FileSink },
): MultipartReader {
	const input = createByteQueue();
	const list = createFieldList(limits);
	const delimiter = Buffer.from(`\r\n--${boundary}`);
	const opening = delimiter.subarray(CRLF.length);
	let place: Place = atOpening;
	let parts = 0;
	let headers: PartHeaders = { name: '' };
	/** Bytes of the blanks before the first boundary, or after the last one. */
	let blanks = 0;
	/** Bytes that a search has passed in vain. */
	let passed = 0;
	let textBytes = 0;
	let textLength = 0;

	const lacks = (bytes: number) => input.length() < bytes && !input.isEnded();

	/** The place of the text, -1 if it is not there yet: then the next search goes on where this one ended. */
	function find(text: Buffer): number {
		const at = input.indexOf(text, passed);
		passed = at === -1 ? Math.max(0, input.length() - text.length + 1) : 0;
		return at;
	}

	function checkText(bytes: number): void {
		if (textBytes + bytes > limits.maxTextBytes) throw tooMuchText(limits);
	}

	/** The first boundary; empty lines may come before it. */
	function atOpening(): Place | undefined {
		if (!isBoundary(boundary)) throw invalid('the Content-Type needs a boundary of 1 to 70 characters');
		for (; blanks < MAX_BLANKS && input.startsWith(CRLF); blanks += CRLF.length) input.skip(CRLF.length);
		if (lacks(opening.length)) return undefined;
		if (!input.startsWith(opening)) throw invalid('it does not start with the boundary');
		input.skip(opening.length);
		return afterBoundary;
	}

	function afterBoundary(): Place | undefined {
		if (lacks(DASHES.length)) return undefined;
		if (input.startsWith(DASHES)) {
			input.skip(DASHES.length);
			blanks = 0;
			return atClosing;
		}
		parts++;
		if (parts > limits.maxFields) throw tooManyFields(limits);
		return atLineEnd;
	}

	/** The rest of the line of a boundary, which may only be padding. */
	function atLineEnd(): Place | undefined {
		const padding = input.countLeading(PADDING);
		if (padding <= MAX_BLANKS && lacks(padding + CRLF.length)) return undefined;
		if (padding > MAX_BLANKS || !input.startsWith(CRLF, padding)) {
			throw invalid('a boundary is not followed by the end of its line');
		}
		input.skip(padding + CRLF.length);
		return atHeaders;
	}

	/** Leaves the second half of the blank line, which can be the line end before a delimiter. */
	function atHeaders(): Place | undefined {
		const bytes = find(BLANK_LINE);
		if ((bytes === -1 ? passed : bytes) > MAX_HEADER_BYTES) throw headersTooLong();
		if (bytes === -1 && input.isEnded()) throw invalid('a part has no blank line after its headers');
		if (bytes === -1) return undefined;
		headers = readHeaders(input.take(bytes));
		input.skip(CRLF.length);
		const excess = Math.max(0, bytes - HEADERS_BYTES);
		checkText(excess);
		textBytes += excess;
		return headers.filename === undefined ? atText : atFile;
	}

	/** The value of a text part. An empty part may omit the line end before the delimiter (RFC 2046, body-part). */
	function atText(): Place | undefined {
		const end = find(delimiter);
		const bytes = Math.max(0, (end === -1 ? passed : end) - CRLF.length);
		checkText(bytes);
		if (end === -1 && input.isEnded()) throw unended();
		if (end === -1) return undefined;
		input.skip(end - bytes);
		const value = decode(input.take(bytes));
		input.skip(delimiter.length);
		textBytes += bytes;
		textLength += value.length;
		list.add(headers.name, value);
		return afterBoundary;
	}

	function atFile(): Place | Promise<Place> | undefined {
		const { name: field, filename = '', contentType: claimedType = '' } = headers;
		const least = CRLF.length + delimiter.length;
		if (lacks(least)) return undefined;
		if (input.length() < least) throw unended();
		// As with a text.
		if (!input.startsWith(delimiter)) input.skip(CRLF.length);
		if (filename === '' && input.startsWith(delimiter)) {
			input.skip(delimiter.length);
			return afterBoundary;
		}
		return files.begin({ field, filename, claimedType }).then((name) => {
			list.add(field, name);
			return inFile;
		});
	}

	function inFile(): Place | Promise<Place> | undefined {
		const end = input.indexOf(delimiter);
		const bytes = end === -1 ? input.length() - input.countBegun(delimiter) : end;
		if (bytes > 0) return files.write(input.take(bytes)).then(() => inFile);
		if (end === -1 && input.isEnded()) throw unended();
		if (end === -1) return undefined;
		input.skip(delimiter.length);
		return files.end().then(() => afterBoundary);
	}

	/** Behind the last boundary, where blanks may follow. */
	function atClosing(): undefined {
		const length = input.length();
		blanks += length;
		if (blanks > MAX_BLANKS || input.countLeading(BLANKS) < length)
			throw invalid('something follows the final boundary');
		input.skip(length);
	}

	function advance(): void | Promise<void> {
		for (let next = place(); next; next = place()) {
			if (next instanceof Promise) return next.then(advanceFrom);
			place = next;
		}
	}

	function advanceFrom(next: Place): void | Promise<void> {
		place = next;
		return advance();
	}

	return {
		push(chunk) {
			input.append(chunk);
			const advancing = advance();
			return advancing ? advancing.then(input.detach) : input.detach();
		},
		heldBytes: () => input.length() + textLength,
		end() {
			input.finish();
			// A file that is not over by now is an error: nothing is left to wait for.
			void advance();
			return list.fields();
		},
	};
}

export function isBoundary(boundary: string | undefined): boundary is string {
	return boundary !== undefined && BOUNDARY.test(boundary);
}

function readHeaders(raw: Buffer): PartHeaders {
	const text = decodeUtf8(raw);
	if ((text?.length ?? raw.length) > MAX_HEADER_CHARACTERS) throw headersTooLong();
	if (text !== undefined) return readPartHeaders(text);
	// A byte is not UTF-8: only the names must be.
	return readPartHeaders(raw.toString('latin1'), (latin1) => decode(Buffer.from(latin1, 'latin1')));
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
	return new AppError('PAYLOAD_TOO_LARGE', message, { says: ['tooMuch', { size: { bytes: maxTextBytes } }] });
}
