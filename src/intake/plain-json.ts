/** Reads the plainest of JSON bodies by its bytes: a flat object of texts, with nothing in them that would need an escape. */

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const FIRST_PRINTABLE = 0x20;
const LAST_PRINTABLE = 0x7e;

/** Each name is compared with those before it. */
const MAX_NAMES = 16;

const decoder = new TextDecoder('latin1');

/**
 * Takes `{"name":"text",…}` in printable ASCII, without blanks between the tokens, without escapes, and with different
 * names. Such a body is exact as it stands, so nothing has to be parsed.
 * @returns the body as text, and its names; `undefined` for every other body, valid or not
 */
export function readPlainJson(body: Uint8Array): { text: string; names: string[] } | undefined {
	if (body[0] !== OPEN_OBJECT) return undefined;
	/** Where each name begins and ends. */
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

/** Where the closing quote of a plain string stands that starts at `start`; -1 if there is none. */
function plainEnd(body: Uint8Array, start: number): number {
	if (body[start] !== QUOTE) return -1;
	for (let at = start + 1; at < body.length; at++) {
		const byte = body[at] as number;
		if (byte === QUOTE) return at;
		if (byte < FIRST_PRINTABLE || byte > LAST_PRINTABLE || byte === BACKSLASH) return -1;
	}
	return -1;
}
