/** Inspects a multipart body while it arrives, so that an unacceptable one is rejected early. */

import { AppError } from '../errors.ts';
import { type FieldLimits, tooManyFields } from './field-limits.ts';
import { fileRejected } from './multipart-fields.ts';
import { type PartHeaders, readPartHeaders } from './part-headers.ts';

export interface TextLimits extends FieldLimits {
	/** Total of the values of all text parts. */
	maxTextBytes: number;
}

const CRLF = '\r\n';
const BLANK_LINE = CRLF + CRLF;
/** Allowance for the headers of a part, more than browsers write; the excess counts as text. */
const HEADERS_BYTES = 256;

/**
 * @returns a function to call with all bytes so far whenever more arrive. It throws {AppError} PAYLOAD_TOO_LARGE as soon
 * as the text parts are too large or too many, FILES_NOT_SUPPORTED as soon as there is a file, and the errors of
 * {@link readPartHeaders}. The parser finds all other errors. A body within the text limit is not inspected.
 */
export function createMultipartWatch(boundary: string | undefined, limits: TextLimits): (soFar: Uint8Array) => void {
	const delimiter = `${CRLF}--${boundary}`;
	/** The part whose content begins at `at`; `undefined` if headers begin there. */
	let part: PartHeaders | undefined;
	let at = -1;
	/** Up to here the end was not found. */
	let seen = 0;
	let parts = 0;
	/** Text before `at`. */
	let textBytes = 0;

	function begin(body: Buffer): void {
		const opening = delimiter.slice(CRLF.length);
		const found = body.indexOf(opening);
		at = found === -1 ? 0 : found + opening.length;
		seen = at;
	}

	/** Advances to the next content or headers; `false` if they have not arrived yet. */
	function advance(body: Buffer): boolean {
		const ending = part ? delimiter : BLANK_LINE;
		const end = body.indexOf(ending, seen);
		// The last bytes may be the beginning of the ending.
		const known = end === -1 ? Math.max(at, body.length - ending.length) : end;
		count(Math.max(0, known - at), end !== -1);
		seen = Math.max(seen, known);
		if (end === -1) return false;
		part = part ? undefined : readHeaders(body.toString('utf8', at, end));
		at = end + ending.length;
		// An empty part may omit the line end before the delimiter.
		seen = part ? at - CRLF.length : at;
		return true;
	}

	function count(bytes: number, isComplete: boolean): void {
		if (part?.filename !== undefined && bytes > 0) throw fileRejected(part.name);
		const text = textBytes + (part ? bytes : Math.max(0, bytes - HEADERS_BYTES));
		if (text > limits.maxTextBytes) throw tooMuchText(limits);
		if (isComplete) textBytes = text;
	}

	function readHeaders(text: string): PartHeaders {
		parts++;
		if (parts > limits.maxFields) throw tooManyFields(limits);
		// The rest of the boundary's line comes first.
		return readPartHeaders(text.slice(text.indexOf(CRLF) + CRLF.length));
	}

	return (soFar) => {
		if (soFar.length <= limits.maxTextBytes) return;
		const body = Buffer.from(soFar.buffer, soFar.byteOffset, soFar.length);
		if (at === -1) begin(body);
		while (advance(body));
	};
}

function tooMuchText({ maxTextBytes }: TextLimits): AppError {
	const message = `The text fields of a multipart body may have at most ${maxTextBytes} bytes together.`;
	return new AppError('PAYLOAD_TOO_LARGE', message);
}
