/** Parses the headers of one part of a multipart body: its field name, and name and type of its file. */

import { AppError } from '../../errors.ts';
import { isUtf8Charset, parseParameters } from './header-parameters.ts';

export interface PartHeaders {
	name: string;
	/** Present, even if empty, when the part comes from a file input. */
	filename?: string;
	/** Content type of a file, as sent. */
	contentType?: string;
}

const MAX_LINES = 16;
/** The header of every text field of a browser. */
const PLAIN_FIELD = /^Content-Disposition: form-data; name="([^"\r\n]*)"$/i;
const HEADER = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*([^\r\n]*)$/;
const DISPOSITION = /^form-data(?![^ \t;])/i;
const EXTENDED = /^utf-8'[^']*'(.*)$/i;
const VERBATIM_ENCODING = /^(?:7bit|8bit|binary)$/i;

/** Makes the text of a name of what stands in the headers. */
type DecodeName = (name: string) => string;

/**
 * @param text the headers without the blank line that ends them
 * @throws {AppError} INVALID_BODY, UNSUPPORTED_MEDIA_TYPE (charset), PAYLOAD_TOO_LARGE (too many lines), and what `decode` throws
 */
export function readPartHeaders(text: string, decode: DecodeName = (name) => name): PartHeaders {
	const decodeName: DecodeName = (name) => unescapeName(decode(name));
	const plain = PLAIN_FIELD.exec(text);
	if (plain) return { name: decodeName(plain[1] as string) };
	const headers = parseHeaders(text);
	const encoding = headers.get('content-transfer-encoding');
	if (encoding !== undefined && !VERBATIM_ENCODING.test(encoding)) {
		throw invalid('its Content-Transfer-Encoding must be 7bit, 8bit or binary');
	}
	const part = readDisposition(headers.get('content-disposition'), decodeName);
	const contentType = headers.get('content-type');
	if (part.filename === undefined) checkCharset(contentType);
	else if (contentType !== undefined) part.contentType = contentType;
	return part;
}

function parseHeaders(text: string): Map<string, string> {
	const lines = text.split('\r\n', MAX_LINES + 1);
	if (lines.length > MAX_LINES) {
		throw new AppError('PAYLOAD_TOO_LARGE', `One part may have at most ${MAX_LINES} lines of headers.`);
	}
	const headers = new Map<string, string>();
	for (const line of lines) {
		const match = HEADER.exec(line);
		if (!match) throw invalid('a line of its headers cannot be read');
		const name = (match[1] as string).toLowerCase();
		if (headers.has(name)) throw invalid('one of its headers comes twice');
		headers.set(name, (match[2] as string).trimEnd());
	}
	return headers;
}

function checkCharset(contentType: string | undefined): void {
	const semicolon = contentType?.indexOf(';') ?? -1;
	if (contentType === undefined || semicolon === -1) return;
	const parameters = parseParameters(contentType.slice(semicolon));
	if (!parameters) throw invalid('its Content-Type cannot be read');
	if (isUtf8Charset(parameters.get('charset'))) return;
	throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Every part of the multipart body must be in UTF-8.');
}

function readDisposition(disposition: string | undefined, decodeName: DecodeName): PartHeaders {
	const type = disposition === undefined ? null : DISPOSITION.exec(disposition);
	const parameters = type && disposition ? parseParameters(disposition.slice(type[0].length)) : undefined;
	if (!parameters && disposition?.includes('\\"')) throw invalid('a quote in a name must be written as %22');
	const name = parameters?.get('name');
	if (!parameters || name === undefined) {
		throw invalid('it needs a header such as Content-Disposition: form-data; name="email"');
	}
	const extended = parameters.get('filename*');
	const plain = parameters.get('filename') ?? extended;
	const filename = decodeExtended(extended) ?? (plain === undefined ? undefined : decodeName(plain));
	return { name: decodeName(name), ...(filename !== undefined && { filename }) };
}

/** Decodes `utf-8''%e2%82%ac.pdf` (RFC 5987), which some programs send though RFC 7578 forbids it; `undefined` for anything else. */
function decodeExtended(value = ''): string | undefined {
	try {
		const encoded = EXTENDED.exec(value)?.[1];
		return encoded && decodeURIComponent(encoded);
	} catch {
		return undefined;
	}
}

/** Decodes the three escapes of the HTML standard; any other `%` belongs to the name. */
function unescapeName(name: string): string {
	if (!name.includes('%')) return name;
	return name.replaceAll('%22', '"').replaceAll('%0D', '\r').replaceAll('%0A', '\n');
}

function invalid(what: string): AppError {
	return new AppError('INVALID_BODY', `A part of the multipart body is not valid: ${what}.`);
}
