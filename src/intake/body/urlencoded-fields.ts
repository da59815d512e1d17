/** Parses an application/x-www-form-urlencoded body as in the URL standard, but rejects invalid UTF-8. */

import { AppError } from '../../errors.ts';
import { createFieldList, type FieldLimits, type PostedField, tooManyFields } from './fields.ts';
import { decodeUtf8 } from './utf8.ts';

const SPACE = 0x20;
const PERCENT = 0x25;
const AMPERSAND = 0x26;
const PLUS = 0x2b;
const EQUALS = 0x3d;

/** @throws {AppError} INVALID_BODY when a name or value is not UTF-8, PAYLOAD_TOO_LARGE naming the limit */
export function readUrlencodedFields(body: Uint8Array, limits: FieldLimits): PostedField[] {
	const pairs: Uint8Array[] = [];
	for (let start = 0, end = 0; start < body.length; start = end + 1) {
		end = indexOrEnd(body, AMPERSAND, start);
		if (end === start) continue;
		if (pairs.length === limits.maxFields) throw tooManyFields(limits);
		pairs.push(body.subarray(start, end));
	}
	const room = new Uint8Array(body.length);
	const texts = pairs.map((pair) => {
		const equals = indexOrEnd(pair, EQUALS, 0);
		return [unescaped(pair.subarray(0, equals), room), unescaped(pair.subarray(equals + 1), room)] as const;
	});
	const list = createFieldList(limits);
	for (const [name, value] of texts) list.add(name, value);
	return list.fields();
}

/**
 * A `%` that starts no escape stays unchanged (https://url.spec.whatwg.org/#urlencoded-parsing).
 * @param room Memory that is written over.
 */
function unescaped(source: Uint8Array, room: Uint8Array): string {
	let length = 0;
	for (let at = 0; at < source.length; at++) {
		let byte = source[at] as number;
		if (byte === PLUS) byte = SPACE;
		const escaped = byte === PERCENT ? escapedByte(source, at) : -1;
		if (escaped >= 0) {
			byte = escaped;
			at += 2;
		}
		room[length++] = byte;
	}
	const text = decodeUtf8(room.subarray(0, length));
	if (text === undefined) throw new AppError('INVALID_BODY', 'A name or value in the body is not valid UTF-8.');
	return text;
}

/** The byte of the escape at `at`; -1 if it is not an escape. */
function escapedByte(source: Uint8Array, at: number): number {
	if (at + 2 >= source.length) return -1;
	const high = hexDigit(source[at + 1] as number);
	const low = hexDigit(source[at + 2] as number);
	return high < 0 || low < 0 ? -1 : high * 16 + low;
}

function hexDigit(code: number): number {
	if (code >= 0x30 && code <= 0x39) return code - 0x30;
	const lower = code | 0x20;
	return lower >= 0x61 && lower <= 0x66 ? lower - 0x61 + 10 : -1;
}

function indexOrEnd(bytes: Uint8Array, byte: number, start: number): number {
	const index = bytes.indexOf(byte, start);
	return index === -1 ? bytes.length : index;
}
