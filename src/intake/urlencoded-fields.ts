/** Reads an application/x-www-form-urlencoded body as the URL standard does, but refuses what is not UTF-8. */

import { AppError } from '../errors.ts';
import type { FieldLimits } from './field-limits.ts';
import { createFieldList } from './field-list.ts';
import type { Field } from './read-fields.ts';
import { decodeUtf8 } from './utf8.ts';

const PERCENT = 0x25;

/**
 * Reads pairs; a `%` that starts no escape stays as it is (https://url.spec.whatwg.org/#urlencoded-parsing).
 * @throws {AppError} INVALID_BODY when an escape is not UTF-8, PAYLOAD_TOO_LARGE naming the limit
 */
export function readUrlencodedFields(body: string, limits: FieldLimits): Field[] {
	const list = createFieldList(limits);
	const text = body.replaceAll('+', ' ');
	let start = 0;
	while (start < text.length) {
		const separator = text.indexOf('&', start);
		const end = separator === -1 ? text.length : separator;
		if (end > start) {
			list.count();
			const pair = text.slice(start, end);
			const equals = pair.indexOf('=');
			const nameEnd = equals === -1 ? pair.length : equals;
			list.add(decodeComponent(pair.slice(0, nameEnd)), decodeComponent(pair.slice(nameEnd + 1)));
		}
		start = end + 1;
	}
	return list.fields();
}

function decodeComponent(text: string): string {
	if (!text.includes('%')) return text;
	try {
		return decodeURIComponent(text);
	} catch {
		return decodePercents(text);
	}
}

/** Decodes escapes byte by byte: needed for a `%` that starts none, which decodeURIComponent refuses. */
function decodePercents(text: string): string {
	const source = Buffer.from(text);
	const bytes = new Uint8Array(source.length);
	let length = 0;
	for (let at = 0; at < source.length; at++) {
		const high = source[at] === PERCENT ? hexDigit(source[at + 1]) : -1;
		const low = high < 0 ? -1 : hexDigit(source[at + 2]);
		bytes[length++] = low < 0 ? (source[at] as number) : high * 16 + low;
		if (low >= 0) at += 2;
	}
	const decoded = decodeUtf8(bytes.subarray(0, length));
	if (decoded === undefined) throw new AppError('INVALID_BODY', 'A percent escape in the body is not valid UTF-8.');
	return decoded;
}

function hexDigit(code: number | undefined): number {
	if (code === undefined) return -1;
	return '0123456789abcdef'.indexOf(String.fromCharCode(code | 0x20));
}
