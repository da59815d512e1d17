/** Parses an application/x-www-form-urlencoded body as in the URL standard, but rejects invalid UTF-8. */

import { AppError } from '../../errors.ts';
import { type FieldLimits, tooManyFields } from './field-limits.ts';
import { createFieldList, type Field } from './field-list.ts';
import { decodeUtf8 } from './utf8.ts';

const SPACE = 0x20;
const PERCENT = 0x25;
const AMPERSAND = 0x26;
const PLUS = 0x2b;
const EQUALS = 0x3d;

/**
 * A `%` that starts no escape stays unchanged (https://url.spec.whatwg.org/#urlencoded-parsing).
 * @throws {AppError} INVALID_BODY when a name or value is not UTF-8, PAYLOAD_TOO_LARGE naming the limit
 */
export function readUrlencodedFields(body: Uint8Array, limits: FieldLimits): Field[] {
	const unescaper = createUnescaper(body);
	/** For each pair, the starts of its name and value and its end, in the unescaped text. */
	const cuts: number[] = [];
	let cut = 0;
	let equals = -1;
	for (let start = 0, end = 0; start < body.length; start = end + 1) {
		end = indexOrEnd(body, AMPERSAND, start);
		if (end === start) continue;
		if (cuts.length === limits.maxFields * 3) throw tooManyFields(limits);
		if (equals < start) equals = indexOrEnd(body, EQUALS, start);
		const nameEnd = Math.min(equals, end);
		cuts.push(cut, unescaper.append(start, nameEnd));
		cut = unescaper.append(nameEnd + 1, end);
		cuts.push(cut);
	}
	return cutFields(unescaper.text(), cuts, limits);
}

function cutFields(text: string, cuts: readonly number[], limits: FieldLimits): Field[] {
	const list = createFieldList(limits);
	for (let i = 0; i < cuts.length; i += 3) {
		const valueStart = cuts[i + 1] as number;
		list.add(text.slice(cuts[i], valueStart), text.slice(valueStart, cuts[i + 2]));
	}
	return list.fields();
}

/** Collects the unescaped bytes of all names and values, so that UTF-8 is decoded only once. */
function createUnescaper(source: Uint8Array) {
	const bytes = new Uint8Array(source.length);
	let length = 0;
	/** The length in UTF-16 code units. */
	let units = 0;

	return {
		/** Adds one name or value; returns where it ends in the text, in UTF-16 code units. */
		append(start: number, end: number): number {
			const first = length;
			for (let at = start; at < end; at++) {
				let byte = source[at] as number;
				if (byte === PLUS) byte = SPACE;
				const escaped = byte === PERCENT && at + 2 < end ? escapedByte(source, at) : -1;
				if (escaped >= 0) {
					byte = escaped;
					at += 2;
				}
				bytes[length++] = byte;
				units += byte < 0x80 ? 1 : unitsOf(byte);
			}
			// A character must not span two names or values.
			if (length > first && isContinuation(bytes[first] as number)) throw notUtf8();
			return units;
		},

		text(): string {
			const text = decodeUtf8(bytes.subarray(0, length));
			if (text === undefined) throw notUtf8();
			return text;
		},
	};
}

/** The byte of the escape at `at`; -1 if it is not an escape. */
function escapedByte(source: Uint8Array, at: number): number {
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

function isContinuation(byte: number): boolean {
	return byte >> 6 === 0b10;
}

/** UTF-16 code units of a byte above ASCII: those of the character that it starts; none for a continuation. */
function unitsOf(byte: number): number {
	if (isContinuation(byte)) return 0;
	return byte < 0xf0 ? 1 : 2;
}

function notUtf8(): AppError {
	return new AppError('INVALID_BODY', 'A name or value in the body is not valid UTF-8.');
}
