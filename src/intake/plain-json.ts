/** The fast path for JSON bodies: a flat object of plain ASCII strings, checked byte by byte. */

import { NOTHING_SPECIAL, type SpecialFields, USUAL_NAMES } from './special-fields.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const FIRST_PRINTABLE = 0x20;
const LAST_PRINTABLE = 0x7e;

/** For each byte, 1 if it stands for itself in a JSON string. */
const IS_PLAIN = new Uint8Array(256).fill(1, FIRST_PRINTABLE, LAST_PRINTABLE + 1);
IS_PLAIN[QUOTE] = IS_PLAIN[BACKSLASH] = 0;

interface PlainContent {
	special: SpecialFields;
	names: readonly string[];
	/** The body as text. */
	data: string;
}

/** A bound, because each name is compared with all previous ones. */
const MAX_NAMES = 16;
/** The maximum size of the cache of name lists, which is then cleared. */
const MAX_KEPT = 200;
const MAX_KEPT_BYTES = 500;

/** The start and end of each name in the body that is being read. */
const places = new Uint32Array(2 * MAX_NAMES);

/** Lists of names by their fingerprint, because a form sends the same ones each time, and cutting them from each body is slow. */
const nameLists = new Map<number, readonly string[]>();

/**
 * Accepts `{"name":"text",…}` in printable ASCII, without blanks between tokens, without escapes, with distinct names, none
 * of them usually special. Such a body can be stored unchanged.
 * @returns its content; `undefined` for every other body, valid or not
 */
export function readPlainJson(body: Uint8Array): PlainContent | undefined {
	if (body[0] !== OPEN_OBJECT) return undefined;
	let count = 0;
	let fingerprint = 0;
	let at = 0;
	do {
		const start = at + 2;
		const end = plainEnd(body, at + 1);
		if (end === -1 || body[end + 1] !== COLON || count === places.length) return undefined;
		places[count++] = start;
		places[count++] = end;
		fingerprint = (Math.imul(fingerprint, 31) + ((end - start) << 8) + (body[start] as number)) | 0;
		const valueEnd = plainEnd(body, end + 2);
		if (valueEnd === -1) return undefined;
		at = valueEnd + 1;
	} while (body[at] === COMMA);
	if (body[at] !== CLOSE_OBJECT || at + 1 !== body.length) return undefined;
	const known = nameLists.get(fingerprint);
	const names = known && isAtPlaces(known, body, count) ? known : readNames(body, { count, fingerprint });
	return names && { special: NOTHING_SPECIAL, names, data: latin1Text(body, 0, body.length) };
}

function latin1Text(bytes: Uint8Array, start?: number, end?: number): string {
	return Buffer.prototype.latin1Slice.call(bytes, start, end);
}

/** The closing quote of the plain string at `start`; -1 if there is none. */
function plainEnd(body: Uint8Array, start: number): number {
	if (body[start] !== QUOTE) return -1;
	const { length } = body;
	let at = start + 1;
	while (at < length && IS_PLAIN[body[at] as number] === 1) at++;
	return body[at] === QUOTE ? at : -1;
}

/** The names at the places, which are kept; `undefined` if one repeats or is usually special. */
function readNames(
	body: Uint8Array,
	{ count, fingerprint }: { count: number; fingerprint: number },
): readonly string[] | undefined {
	const names: string[] = [];
	for (let i = 0; i < count; i += 2) names.push(latin1Text(body, places[i], places[i + 1]));
	if (new Set(names).size < names.length || names.some((name) => USUAL_NAMES.has(name))) return undefined;
	if (nameLists.size >= MAX_KEPT) nameLists.clear();
	if (names.join('').length <= MAX_KEPT_BYTES) nameLists.set(fingerprint, names);
	return names;
}

/** Returns whether these are the names at the places. */
function isAtPlaces(names: readonly string[], body: Uint8Array, count: number): boolean {
	if (2 * names.length !== count) return false;
	for (let i = 0; i < names.length; i++) {
		const name = names[i] as string;
		const start = places[2 * i] as number;
		if (start + name.length !== places[2 * i + 1]) return false;
		for (let j = 0; j < name.length; j++) {
			if (body[start + j] !== name.charCodeAt(j)) return false;
		}
	}
	return true;
}
