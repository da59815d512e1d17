/** Watches a multipart body while it arrives, so that no more of it is read than could be stored. */

import { AppError } from '../errors.ts';
import { type FieldLimits, tooManyFields } from './field-limits.ts';
import { fileRefused } from './multipart-fields.ts';
import { type PartHeaders, readPartHeaders } from './part-headers.ts';

export interface TextLimits extends FieldLimits {
	/** Of the values of all parts that are no files. */
	maxTextBytes: number;
}

const CRLF = '\r\n';
const BLANK_LINE = CRLF + CRLF;
/** The headers of a part, more than browsers write; what is over counts as text. */
const HEADERS_BYTES = 256;

/**
 * @returns what has to be called with all that has arrived, each time that more has. It throws {AppError} PAYLOAD_TOO_LARGE as
 * soon as the text parts are too large or too many, FILES_NOT_SUPPORTED as soon as there is a file, and what
 * {@link readPartHeaders} throws. Everything else that is wrong with a body is for its reader. A body no larger than its text
 * may be is not looked at.
 */
export function createMultipartWatch(boundary: string | undefined, limits: TextLimits): (soFar: Uint8Array) => void {
	const delimiter = `${CRLF}--${boundary}`;
	/** The part whose content begins at `at`; `undefined` while headers do. */
	let part: PartHeaders | undefined;
	let at = -1;
	/** Up to where the end of it was looked for in vain. */
	let seen = 0;
	let parts = 0;
	/** Before `at`. */
	let textBytes = 0;

	function begin(body: Buffer): void {
		const opening = delimiter.slice(CRLF.length);
		const found = body.indexOf(opening);
		at = found === -1 ? 0 : found + opening.length;
		seen = at;
	}

	/** Goes on to the next content or headers; `false` if they are not there yet. */
	function advance(body: Buffer): boolean {
		const ending = part ? delimiter : BLANK_LINE;
		const end = body.indexOf(ending, seen);
		// The last bytes may be the beginning of the end.
		const known = end === -1 ? Math.max(at, body.length - ending.length) : end;
		count(Math.max(0, known - at), end !== -1);
		seen = Math.max(seen, known);
		if (end === -1) return false;
		part = part ? undefined : readHeaders(body.toString('utf8', at, end));
		at = end + ending.length;
		// An empty part may do without the line end in front of the delimiter.
		seen = part ? at - CRLF.length : at;
		return true;
	}

	function count(bytes: number, isComplete: boolean): void {
		if (part?.filename !== undefined && bytes > 0) throw fileRefused(part.name);
		const text = textBytes + (part ? bytes : Math.max(0, bytes - HEADERS_BYTES));
		if (text > limits.maxTextBytes) throw tooMuchText(limits);
		if (isComplete) textBytes = text;
	}

	function readHeaders(text: string): PartHeaders {
		parts++;
		if (parts > limits.maxFields) throw tooManyFields(limits);
		// What is left of the boundary's own line comes before them.
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
