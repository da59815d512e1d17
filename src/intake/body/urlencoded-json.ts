/** The fast path for application/x-www-form-urlencoded bodies: writes them as a JSON object in one pass over the bytes. */

import { decodeUtf8 } from './utf8.ts';

const SPACE = 0x20;
const QUOTE = 0x22;
const PERCENT = 0x25;
const AMPERSAND = 0x26;
const PLUS = 0x2b;
const COMMA = 0x2c;
const COLON = 0x3a;
const EQUALS = 0x3d;
const OPEN = 0x7b;
const CLOSE = 0x7d;

const LONGEST_ESCAPE = 6;
/** Quotes, colon and comma. */
const AROUND_A_PAIR = 6;

/**
 * Makes a writer for bodies of at most `maxBytes`, with one reused buffer. It returns the JSON text, in which repeated
 * names stay repeated; `undefined` if the body is longer or not UTF-8.
 */
export function createUrlencodedWriter(maxBytes: number): (body: Uint8Array) => string | undefined {
	const escapes = jsonEscapes();
	const bytes = new Uint8Array(maxBytes * Math.max(LONGEST_ESCAPE, AROUND_A_PAIR + 1) + AROUND_A_PAIR);
	let length = 0;

	function put(byte: number): void {
		const escaped = byte < escapes.length ? escapes[byte] : undefined;
		if (!escaped) {
			bytes[length++] = byte;
			return;
		}
		bytes.set(escaped, length);
		length += escaped.length;
	}

	/** Writes the byte at `at`, which may be an escape. Returns its last place in the body. */
	function putAt(body: Uint8Array, at: number): number {
		const byte = body[at] as number;
		const escaped = byte === PERCENT ? escapedByte(body, at) : -1;
		if (escaped >= 0) {
			put(escaped);
			return at + 2;
		}
		put(byte === PLUS ? SPACE : byte);
		return at;
	}

	/** Writes a pair. Returns its end: an ampersand or the end of the body. */
	function putPair(body: Uint8Array, start: number): number {
		let at = start;
		let isName = true;
		bytes[length++] = QUOTE;
		for (; at < body.length && body[at] !== AMPERSAND; at++) {
			if (isName && body[at] === EQUALS) {
				putBetween();
				isName = false;
			} else {
				at = putAt(body, at);
			}
		}
		if (isName) putBetween();
		bytes[length++] = QUOTE;
		return at;
	}

	function putBetween(): void {
		bytes[length++] = QUOTE;
		bytes[length++] = COLON;
		bytes[length++] = QUOTE;
	}

	return (body) => {
		if (body.length > maxBytes) return undefined;
		length = 0;
		bytes[length++] = OPEN;
		for (let at = 0; at < body.length; at++) {
			if (body[at] === AMPERSAND) continue;
			if (length > 1) bytes[length++] = COMMA;
			at = putPair(body, at);
		}
		bytes[length++] = CLOSE;
		return decodeUtf8(bytes.subarray(0, length));
	};
}

/** By code, the escapes of the characters that JSON strings cannot contain. */
function jsonEscapes(): (Uint8Array | undefined)[] {
	return Array.from({ length: 128 }, (_, code) => {
		const text = JSON.stringify(String.fromCharCode(code)).slice(1, -1);
		return text.length > 1 ? Buffer.from(text) : undefined;
	});
}

/** The byte of the escape at `at`; -1 if it is not an escape. */
export function escapedByte(body: Uint8Array, at: number): number {
	if (at + 2 >= body.length) return -1;
	const high = hexDigit(body[at + 1] as number);
	const low = hexDigit(body[at + 2] as number);
	return high < 0 || low < 0 ? -1 : high * 16 + low;
}

function hexDigit(code: number): number {
	if (code >= 0x30 && code <= 0x39) return code - 0x30;
	const lower = code | 0x20;
	return lower >= 0x61 && lower <= 0x66 ? lower - 0x61 + 10 : -1;
}
