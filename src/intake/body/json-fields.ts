/** Parses a JSON body into fields whose values are the unchanged source text: digits, escapes and order as sent. */

import { AppError } from '../../errors.ts';
import { checkName, type FieldLimits, nameTooLong, type PostedField, quoteName, tooManyFields } from './fields.ts';

const TAB = 0x09;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const UPPER_E = 0x45;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const LOWER_E = 0x65;
const LOWER_U = 0x75;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const LITERALS = ['true', 'false', 'null'];
const ESCAPES = new Set([...'"\\/bfnrt'].map((letter) => letter.charCodeAt(0)));
const FOUR_HEX_DIGITS = /^[0-9a-fA-F]{4}$/;
/** The longest form of one byte of a name is an escape such as \u0061. */
const ESCAPE_LENGTH = 6;

/** The names so far in an open object; `null` for an open array. */
type Container = Set<string> | null;

/**
 * Parses the members of a JSON object (RFC 8259) in one pass, without recursion. Only insignificant blanks are removed;
 * limits and duplicate names are checked before the rest is read.
 * @throws {AppError} INVALID_BODY with the position of the error, PAYLOAD_TOO_LARGE naming the limit
 */
export function readJsonFields(text: string, limits: FieldLimits): PostedField[] {
	const fields: PostedField[] = [];
	/** The body's own object is the first. */
	const open: Container[] = [];
	let nested = 0;
	/** The field that is being read: its value is `json`, and the source from `kept` on. */
	let name = '';
	let json = '';
	let kept = 0;
	let at = blanksEnd(text, 0);

	/** Skips blanks and removes them from the value. */
	function skipBlanks(): void {
		const end = blanksEnd(text, at);
		if (end === at) return;
		json += text.slice(kept, at);
		at = end;
		kept = end;
	}

	function countItem(): void {
		if (open.length === 1) {
			if (fields.length === limits.maxFields) throw tooManyFields(limits);
			return;
		}
		nested++;
		const most = limits.maxFields * 10;
		if (nested > most) throw tooLarge(`A submission may have at most ${most} values inside objects and arrays.`);
	}

	/** Moves to the value of a member or element of the innermost container. */
	function enterItem(): void {
		countItem();
		const names = open.at(-1);
		if (!names) return;
		const end = stringEnd(text, at);
		const own = readName({ text, start: at, end, names, limits });
		at = end;
		skipBlanks();
		if (text.charCodeAt(at) !== COLON) throw expected(text, at, 'a colon');
		at++;
		skipBlanks();
		if (open.length > 1) return;
		name = own;
		json = '';
		kept = at;
	}

	/** Moves into a container. Returns whether it has items. */
	function openContainer(): boolean {
		if (open.length >= limits.maxDepth) {
			throw tooLarge(`Objects and arrays may be nested at most ${limits.maxDepth} levels deep.`);
		}
		const names = text.charCodeAt(at) === OPEN_OBJECT ? new Set<string>() : null;
		open.push(names);
		at++;
		skipBlanks();
		return text.charCodeAt(at) !== closingOf(names);
	}

	/** Moves past a value and out of every container that ends there. Returns whether another item follows. */
	function leaveItem(): boolean {
		for (let names = open.at(-1); names !== undefined; names = open.at(-1)) {
			if (open.length === 1) fields.push({ name, json: json + text.slice(kept, at) });
			skipBlanks();
			const code = text.charCodeAt(at);
			if (code === COMMA) {
				at++;
				skipBlanks();
				return true;
			}
			if (code !== closingOf(names)) {
				throw expected(text, at, names ? 'a comma or a closing brace' : 'a comma or a closing bracket');
			}
			at++;
			open.pop();
		}
		return false;
	}

	if (at === text.length) throw new AppError('INVALID_BODY', 'The body is empty; a JSON object of fields is expected.');
	if (text.charCodeAt(at) !== OPEN_OBJECT) {
		throw new AppError('INVALID_BODY', 'The body must be a JSON object of fields, such as {"email": "…"}.');
	}
	let more = openContainer();
	if (!more) at++;
	while (more) {
		enterItem();
		if (!isContainer(text.charCodeAt(at))) at = scalarEnd(text, at);
		else if (openContainer()) continue;
		more = leaveItem();
	}
	at = blanksEnd(text, at);
	if (at !== text.length) throw expected(text, at, 'nothing more after the closing brace');
	return fields;
}

const isContainer = (code: number) => code === OPEN_OBJECT || code === OPEN_ARRAY;
const closingOf = (names: Container) => (names ? CLOSE_OBJECT : CLOSE_ARRAY);

/** Decodes the name from `start` to `end`, quotes included, and adds it to the names of its object. */
function readName(o: { text: string; start: number; end: number; names: Set<string>; limits: FieldLimits }): string {
	const { text, start, end, names, limits } = o;
	if (end - start - 2 > limits.maxNameBytes * ESCAPE_LENGTH) throw nameTooLong(limits);
	const raw = text.slice(start + 1, end - 1);
	const name = raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
	checkName(name, limits);
	const before = names.size;
	names.add(name);
	if (names.size === before) {
		throw new AppError(
			'INVALID_BODY',
			`The name ${quoteName(name)} occurs twice in one object, at ${position(text, start)}.`,
		);
	}
	return name;
}

function scalarEnd(text: string, at: number): number {
	const code = text.charCodeAt(at);
	if (code === QUOTE) return stringEnd(text, at);
	if (code === MINUS || isDigit(code)) return numberEnd(text, at);
	for (const literal of LITERALS) {
		if (text.startsWith(literal, at)) return at + literal.length;
	}
	throw expected(text, at, 'a value');
}

function blanksEnd(text: string, at: number): number {
	let end = at;
	for (;;) {
		const code = text.charCodeAt(end);
		if (code !== SPACE && code !== NEWLINE && code !== RETURN && code !== TAB) return end;
		end++;
	}
}

function stringEnd(text: string, start: number): number {
	if (text.charCodeAt(start) !== QUOTE) throw expected(text, start, 'a name or a string in double quotes');
	for (let at = start + 1; at < text.length; at++) {
		const code = text.charCodeAt(at);
		if (code === QUOTE) return at + 1;
		if (code === BACKSLASH) at = escapeEnd(text, at) - 1;
		else if (code < SPACE) throw expected(text, at, 'an escape such as \\n instead of a control character');
	}
	throw expected(text, text.length, 'a closing double quote');
}

function escapeEnd(text: string, start: number): number {
	const letter = text.charCodeAt(start + 1);
	if (ESCAPES.has(letter)) return start + 2;
	const end = start + ESCAPE_LENGTH;
	if (letter === LOWER_U && FOUR_HEX_DIGITS.test(text.slice(start + 2, end))) return end;
	throw expected(text, start, 'a valid escape after the backslash');
}

function numberEnd(text: string, start: number): number {
	let at = text.charCodeAt(start) === MINUS ? start + 1 : start;
	at = text.charCodeAt(at) === ZERO ? at + 1 : digitsEnd(text, at);
	if (text.charCodeAt(at) === POINT) at = digitsEnd(text, at + 1);
	const code = text.charCodeAt(at);
	if (code !== LOWER_E && code !== UPPER_E) return at;
	const sign = text.charCodeAt(at + 1);
	return digitsEnd(text, sign === PLUS || sign === MINUS ? at + 2 : at + 1);
}

function digitsEnd(text: string, start: number): number {
	let at = start;
	while (isDigit(text.charCodeAt(at))) at++;
	if (at === start) throw expected(text, at, 'a digit');
	return at;
}

function isDigit(code: number): boolean {
	return code >= ZERO && code <= NINE;
}

function tooLarge(message: string): AppError {
	return new AppError('PAYLOAD_TOO_LARGE', message);
}

function expected(text: string, at: number, what: string): AppError {
	const ending = at >= text.length ? ', where it ends' : '';
	return new AppError('INVALID_BODY', `The JSON is not valid: expected ${what} at ${position(text, at)}${ending}.`);
}

function position(text: string, at: number): string {
	let line = 1;
	let lineStart = 0;
	for (let i = 0; i < at; i++) {
		const code = text.charCodeAt(i);
		if (code !== NEWLINE && (code !== RETURN || text.charCodeAt(i + 1) === NEWLINE)) continue;
		line++;
		lineStart = i + 1;
	}
	return `line ${line}, column ${at - lineStart + 1}`;
}
