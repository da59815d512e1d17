/** The fast path for JSON bodies: a flat object of plain ASCII strings, checked byte by byte. */

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const FIRST_PRINTABLE = 0x20;
const LAST_PRINTABLE = 0x7e;

/** A bound, because each name is compared with all previous ones. */
const MAX_NAMES = 16;

const decoder = new TextDecoder('latin1');

/**
 * Accepts `{"name":"text",…}` in printable ASCII, without blanks between tokens, without escapes, with distinct names.
 * Such a body can be stored unchanged.
 * @returns the body as text, and its names; `undefined` for every other body, valid or not
 */
export function readPlainJson(body: Uint8Array): { text: string; names: string[] } | undefined {
	if (body[0] !== OPEN_OBJECT) return undefined;
	/** The start and end of each name. */
	const places: number[] = [];
	let at = 0;
	do {
		const nameEnd = plainEnd(body, at + 1);
		if (nameEnd === -1 || body[nameEnd + 1] !== COLON || places.length === 2 * MAX_NAMES) return undefined;
		places.push(at + 2, nameEnd);
		const valueEnd = plainEnd(body, nameEnd + 2);
		if (valueEnd === -1) return undefined;
		at = valueEnd + 1;
	} while (body[at] === COMMA);
	if (body[at] !== CLOSE_OBJECT || at + 1 !== body.length) return undefined;
	const text = decoder.decode(body);
	const names: string[] = [];
	for (let i = 0; i < places.length; i += 2) {
		const name = text.slice(places[i], places[i + 1]);
		if (names.includes(name)) return undefined;
		names.push(name);
	}
	return { text, names };
}

/** The closing quote of the plain string at `start`; -1 if there is none. */
function plainEnd(body: Uint8Array, start: number): number {
	if (body[start] !== QUOTE) return -1;
	for (let at = start + 1; at < body.length; at++) {
		const byte = body[at] as number;
		if (byte === QUOTE) return at;
		if (byte < FIRST_PRINTABLE || byte > LAST_PRINTABLE || byte === BACKSLASH) return -1;
	}
	return -1;
}
