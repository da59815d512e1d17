/** The kind of a body, and its fields as one exact list. */

import { AppError } from '../../errors.ts';
import type { FieldLimits, Posted } from './fields.ts';
import { isUtf8Charset, parseParameters } from './header-parameters.ts';
import { readJsonFields } from './json-fields.ts';
import { readPlainMultipart } from './plain-multipart.ts';
import { readUrlencodedFields } from './urlencoded-fields.ts';
import { decodeUtf8 } from './utf8.ts';

export interface Media {
	/** `text` must be a JSON object: `fetch` sends text/plain by default. `unknown`, without a Content-Type, is JSON or urlencoded. */
	kind: 'json' | 'urlencoded' | 'multipart' | 'text' | 'unknown';
	boundary?: string;
}

const JSON_MEDIA: Media = { kind: 'json' };
const URLENCODED_MEDIA: Media = { kind: 'urlencoded' };
const UNKNOWN_MEDIA: Media = { kind: 'unknown' };
const BROWSER_MULTIPART = /^multipart\/form-data; boundary=([\w-]{1,70})$/;
const MEDIA_TYPE = /^[ \t]*([!#$%&'*+.^_`|~\w-]+\/[!#$%&'*+.^_`|~\w-]+)/;
const BYTE_ORDER_MARK = 0xfeff;
/** Bytes that are examined to detect the kind of a body. */
const MAX_SNIFFED_BYTES = 1024;
/** Bytes that may come before a JSON object: blanks and a byte order mark. */
const BLANKS_AND_MARK = [0x20, 0x09, 0x0d, 0x0a, 0xef, 0xbb, 0xbf];
const OPEN_OBJECT = 0x7b;

/**
 * The kind of body by Content-Type.
 * @throws {AppError} UNSUPPORTED_MEDIA_TYPE naming what is accepted
 */
export function mediaKind(contentType: string | null): Media {
	if (contentType === 'application/json') return JSON_MEDIA;
	if (contentType === 'application/x-www-form-urlencoded') return URLENCODED_MEDIA;
	if (contentType === null || contentType.trim() === '') return UNKNOWN_MEDIA;
	const boundary = BROWSER_MULTIPART.exec(contentType)?.[1];
	return boundary === undefined ? parseMedia(contentType) : { kind: 'multipart', boundary };
}

function parseMedia(contentType: string): Media {
	const match = MEDIA_TYPE.exec(contentType);
	const parameters = match ? parseParameters(contentType.slice(match[0].length)) : undefined;
	const kind = match && kindOf((match[1] as string).toLowerCase());
	if (!parameters || !kind) throw unsupported();
	if (!isUtf8Charset(parameters.get('charset'))) {
		throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'The body must be in UTF-8; leave charset out or set it to utf-8.');
	}
	const boundary = parameters.get('boundary');
	return kind === 'multipart' && boundary !== undefined ? { kind, boundary } : { kind };
}

function kindOf(type: string): Media['kind'] | undefined {
	if (type === 'application/json' || /^application\/.+\+json$/.test(type)) return 'json';
	if (type === 'application/x-www-form-urlencoded') return 'urlencoded';
	if (type === 'text/plain') return 'text';
	return type === 'multipart/form-data' ? 'multipart' : undefined;
}

function unsupported(): AppError {
	return new AppError(
		'UNSUPPORTED_MEDIA_TYPE',
		'The Content-Type must be application/json, application/x-www-form-urlencoded or multipart/form-data.',
	);
}

/**
 * Parses the fields of a body in the order sent; a repeated name becomes an array, except in JSON, where it is an error. A
 * body that cannot be stored exactly is rejected.
 * @returns `undefined` for a multipart body that is not a usual one, which {@link createMultipartReader} reads.
 * @throws {AppError} INVALID_BODY, PAYLOAD_TOO_LARGE naming the limit, UNSUPPORTED_MEDIA_TYPE for text that is not a JSON object
 */
export function readFields(body: Uint8Array, media: Media, limits: FieldLimits): Posted | undefined {
	if (media.kind === 'multipart') {
		const fields = readPlainMultipart(body, media.boundary, limits);
		return fields && { fields };
	}
	if (isJsonBody(body, media)) {
		const json = jsonText(body);
		return { fields: readJsonFields(json, limits), json };
	}
	if (media.kind === 'text') throw unsupported();
	return { fields: readUrlencodedFields(body, limits) };
}

/** Returns whether a body is JSON, by its first byte if the media type does not tell. */
export function isJsonBody(body: Uint8Array, { kind }: Media): boolean {
	return kind === 'json' || ((kind === 'text' || kind === 'unknown') && beginsAsObject(body));
}

/** The text of a JSON body, without a byte order mark. @throws AppError INVALID_BODY if it is not UTF-8 */
function jsonText(body: Uint8Array): string {
	const text = decodeUtf8(body);
	if (text === undefined) throw new AppError('INVALID_BODY', 'The body is not valid UTF-8.');
	return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
}

function beginsAsObject(body: Uint8Array): boolean {
	return body.subarray(0, MAX_SNIFFED_BYTES).find((byte) => !BLANKS_AND_MARK.includes(byte)) === OPEN_OBJECT;
}
