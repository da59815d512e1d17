/**
 * Pure: the tokens of a submission, which the word models count: words, pairs of words, and what else is telling, in any script. Each
 * belongs to a part of the submission.
 */

import { namedStringValues } from '../../text/json-string.ts';

/** Version, raised with any change of the tokens or of stored rows: all is learnt anew then. */
export const TOKENS_VERSION = 6;
/** Limits of what is read: so much of the beginning of the JSON text, and so much of the values in it. */
export const TOKENS_JSON_CHARACTERS = 4500;
const MAX_CHARACTERS = 3000;
/** More than a text of so many characters has in scripts with spaces: a verdict takes as long as it has tokens. */
const MAX_TOKENS = 2000;
const MAX_WORD_LENGTH = 30;
/** Numbers up to this length are also tokens as they are, such as a year or a price. */
const MAX_NUMBER_LENGTH = 5;
const MAX_HOST_LABELS = 5;
const MAX_PUNCTUATION = 6;
/** A value up to this length is a name or a subject rather than a message: its words say more, so they count once more as such. */
const MAX_SHORT_VALUE = 100;
const MAX_FIELDS_LENGTH = 300;

/** Parts that every submission has; the others are its short values, by the names of their fields. */
export const TEXT_PART = 'text';
const LINKS_PART = 'links';
const ADDRESSES_PART = 'addresses';
const FIELDS_PART = 'fields';
const partOf = (field: string) => `“${field}”`;

/** Each token, as a person may read it, with its part. */
export type Tokens = Map<string, string>;
type Add = (token: string) => void;

const LINK = /(?:https?:\/\/|www\.)([^\s/?#<>"'()[\]{}|\\^`]+)([^\s<>"'()[\]{}|\\^`]*)/giu;
/** Bounded, so that a long word is not looked through from each of its characters. */
const ADDRESS = /[\p{L}\p{N}.!#$%&'*+/=?^_{|}~-]{1,64}@([\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+)/gu;
/** Where links and addresses were; characters that no text has after normalisation to words. */
const LINK_MARK = '\u{F0000}';
const ADDRESS_MARK = '\u{F0001}';
const WORDS = /[\u{F0000}\u{F0001}]|[\p{L}\p{M}\p{N}]+(?:['’]\p{L}+)?|[^\p{L}\p{M}\p{N}\s\u{F0000}\u{F0001}]+/gu;
const PUNCTUATION = /^[^\p{L}\p{M}\p{N}\u{F0000}\u{F0001}]/u;
/** Punctuation that is said like a word, and so stands in pairs. */
const SAID = /^[\p{Sc}%!?]/u;
const DIGIT = /\p{Nd}/gu;
const ASCII = /^[\0-\x7f]*$/;
const ASCII_DIGIT = /[0-9]/g;
/** Scripts without spaces between words: three neighbouring characters stand for a word. */
const UNSPACED =
	/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const PATH_WORD = /\p{L}{3,20}/gu;

/** @param data The JSON text of a submission's fields, or as much of its beginning as {@link TOKENS_JSON_CHARACTERS} */
export function tokensOf(data: string): Tokens {
	const tokens: Tokens = new Map();
	const values = valuesOf(data);
	const filled = new Set(values.filter(({ value }) => value.trim() !== '').map(({ name }) => name));
	if (filled.size > 0) tokens.set(`[fields ${[...filled].sort().join(', ').slice(0, MAX_FIELDS_LENGTH)}]`, FIELDS_PART);
	// The short ones first: of a long text not all may count.
	values.sort((a, b) => a.value.length - b.value.length);
	for (const value of values) addValue(tokens, value, value === values.at(-1));
	return tokens;
}

interface Value {
	name: string;
	value: string;
}

function valuesOf(data: string): Value[] {
	const values: Value[] = [];
	let left = MAX_CHARACTERS;
	for (const { name, value } of namedStringValues(data.slice(0, TOKENS_JSON_CHARACTERS))) {
		values.push({ name: name.slice(0, MAX_WORD_LENGTH), value: value.slice(0, left) });
		left -= value.length;
		if (left <= 0) break;
	}
	return values;
}

/** Adds a token to a part, unless it is in one already or there are enough. */
function addTo(tokens: Tokens, part: string): Add {
	return (token) => {
		if (tokens.size < MAX_TOKENS && !tokens.has(token)) tokens.set(token, part);
	};
}

/** @param isMain Of the longest value: it is the text, however short. */
function addValue(tokens: Tokens, { name, value }: Value, isMain: boolean): void {
	let links = 0;
	let text = value;
	if (text.includes('://') || /www\./i.test(text)) {
		text = text.replace(LINK, (_, host: string, path: string) => {
			links++;
			addLink(addTo(tokens, LINKS_PART), host.toLowerCase(), path.toLowerCase());
			return ` ${LINK_MARK} `;
		});
	}
	if (text.includes('@')) {
		text = text.replace(ADDRESS, (_, domain: string) => {
			addDomain(addTo(tokens, ADDRESSES_PART), '@', domain.toLowerCase());
			return ` ${ADDRESS_MARK} `;
		});
	}
	const addToText = addTo(tokens, TEXT_PART);
	addShape(addToText, value, links);
	const plain = ASCII.test(text) ? text.toLowerCase() : text.normalize('NFKC').toLowerCase();
	if (value.length > MAX_SHORT_VALUE) {
		addWords(plain, { add: addToText, addPair: addToText });
		return;
	}
	const addToField = addTo(tokens, isMain ? TEXT_PART : partOf(name));
	const addShort = (token: string) => addToField(`${name}: ${token}`);
	addShort(lengthOf(value));
	addWords(plain, {
		add(token) {
			addToText(token);
			addShort(token);
		},
		addPair: addToText,
		addShort,
	});
}

interface Adding {
	add: Add;
	addPair: Add;
	/** Adds the tokens of a short value that count only with its field. */
	addShort?: Add;
}

function addWords(text: string, { add, addPair, addShort }: Adding): void {
	let before = '';
	for (const word of text.match(WORDS) ?? []) {
		const isAscii = word.charCodeAt(0) < 0x80 && ASCII.test(word);
		if (!isAscii && UNSPACED.test(word)) {
			const characters = [...word];
			addRuns(add, characters, 3);
			if (addShort) addRuns(addShort, characters, 2);
			before = '';
			continue;
		}
		const isPunctuation = PUNCTUATION.test(word);
		const token = isPunctuation ? word.slice(0, MAX_PUNCTUATION) : wordToken(add, word, isAscii ? ASCII_DIGIT : DIGIT);
		if (isPunctuation) {
			add(token);
			if (!SAID.test(token)) continue;
		}
		if (before) addPair(`${before} ${token}`);
		before = token;
	}
}

/** Adds a word; returns what stands for it in pairs. */
function wordToken(add: Add, word: string, digit: RegExp): string {
	if (word === LINK_MARK) return '[link]';
	if (word === ADDRESS_MARK) return '[address]';
	const short = word.length > MAX_WORD_LENGTH ? word.slice(0, MAX_WORD_LENGTH) : word;
	const shape = short.replace(digit, '#');
	if (shape !== short && word.length <= MAX_NUMBER_LENGTH) add(short);
	add(shape);
	return shape;
}

/**
 * Neighbours of so many characters, or all if there are fewer. Of a text threes alone: pairs would say the same again, and make a verdict
 * too certain. A subject is too short for threes alone.
 */
function addRuns(add: Add, characters: readonly string[], length: number): void {
	if (characters.length < length) add(characters.join(''));
	for (let at = 0; at + length <= characters.length; at++) add(characters.slice(at, at + length).join(''));
}

function addLink(add: Add, host: string, path: string): void {
	const domain = host.replace(/^www\./, '').replace(/:\d*$/, '');
	addDomain(add, 'link ', domain);
	for (const [word] of (domain.split('.').at(-2) ?? '').matchAll(PATH_WORD)) add(`link ${word}`);
	for (const [word] of path.matchAll(PATH_WORD)) add(`link /${word}`);
}

/** A domain and those above it, as in `shop.example.com`, `example.com`, `.com`. */
function addDomain(add: Add, kind: string, domain: string): void {
	const labels = domain.split('.').slice(-MAX_HOST_LABELS);
	for (let at = 0; at < labels.length - 1; at++) add(kind + labels.slice(at).join('.'));
	add(`${kind}.${labels.at(-1)}`);
}

const lengthOf = (text: string) => `[length ${Math.round(2 * Math.log2(text.length + 1))}]`;

/** How the text looks, in coarse steps. */
function addShape(add: Add, text: string, links: number): void {
	add(lengthOf(text));
	if (links > 0) add(`[links ${Math.min(links, 5)}]`);
	let capitals = 0;
	let letters = 0;
	let digits = 0;
	for (let at = 0; at < text.length; at++) {
		const code = text.charCodeAt(at);
		if (code >= 0x61 && code <= 0x7a) letters++;
		else if (code >= 0x41 && code <= 0x5a) capitals++;
		else if (code >= 0x30 && code <= 0x39) digits++;
	}
	if (capitals + letters > 8) add(`[capitals ${Math.round((8 * capitals) / (capitals + letters))}/8]`);
	if (digits > 0) add(`[digits ${Math.min(6, Math.round(Math.log2(digits + 1)))}]`);
}
