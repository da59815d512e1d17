/** Pure: the tokens of a submission, which the word models count: words, pairs of words, and what else is telling, in any script. */

import { namedStringValues } from '../../json-string.ts';

/** To be raised with any change of what tokens a text has. */
export const TOKENS_VERSION = 2;
/** What is looked at: so much of the beginning of the JSON text, and so much of the values in it. */
export const TOKENS_JSON_CHARACTERS = 4500;
const MAX_CHARACTERS = 3000;
const MAX_WORD_LENGTH = 30;
/** Numbers up to this length are also tokens as they are, such as a year or a price. */
const MAX_NUMBER_LENGTH = 5;
const MAX_HOST_LABELS = 5;
const MAX_PUNCTUATION = 6;
/** A value up to this length is a name or a subject rather than a message: its words say more, so they count once more as such. */
const MAX_SHORT_VALUE = 100;

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

/**
 * Each token once, as a person may read it.
 * @param data The JSON text of a submission's fields, or as much of its beginning as {@link TOKENS_JSON_CHARACTERS}
 */
export function tokensOf(data: string): Set<string> {
	const tokens = new Set<string>();
	let left = MAX_CHARACTERS;
	for (const { name, value } of namedStringValues(data.slice(0, TOKENS_JSON_CHARACTERS))) {
		addValue(tokens, { name, value: value.slice(0, left) });
		left -= value.length;
		if (left <= 0) break;
	}
	return tokens;
}

function addValue(tokens: Set<string>, { name, value }: { name: string; value: string }): void {
	let links = 0;
	let text = value;
	if (text.includes('://') || /www\./i.test(text)) {
		text = text.replace(LINK, (_, host: string, path: string) => {
			links++;
			addLink(tokens, host.toLowerCase(), path.toLowerCase());
			return ` ${LINK_MARK} `;
		});
	}
	if (text.includes('@')) {
		text = text.replace(ADDRESS, (_, domain: string) => {
			addDomain(tokens, '@', domain.toLowerCase());
			return ` ${ADDRESS_MARK} `;
		});
	}
	addShape(tokens, value, links);
	addWords(
		tokens,
		ASCII.test(text) ? text.toLowerCase() : text.normalize('NFKC').toLowerCase(),
		value.length <= MAX_SHORT_VALUE ? name.slice(0, MAX_WORD_LENGTH) : undefined,
	);
}

function addWords(tokens: Set<string>, text: string, shortField: string | undefined): void {
	const add = (token: string) => {
		tokens.add(token);
		if (shortField !== undefined) tokens.add(`${shortField}: ${token}`);
	};
	let before = '';
	for (const word of text.match(WORDS) ?? []) {
		const isAscii = word.charCodeAt(0) < 0x80 && ASCII.test(word);
		if (!isAscii && UNSPACED.test(word)) {
			addTriples(add, word);
			before = '';
			continue;
		}
		const isPunctuation = PUNCTUATION.test(word);
		const token = isPunctuation ? word.slice(0, MAX_PUNCTUATION) : wordToken(add, word, isAscii ? ASCII_DIGIT : DIGIT);
		if (isPunctuation) {
			add(token);
			if (!SAID.test(token)) continue;
		}
		if (before) tokens.add(`${before} ${token}`);
		before = token;
	}
}

/** Adds a word; returns what stands for it in pairs. */
function wordToken(add: (token: string) => void, word: string, digit: RegExp): string {
	if (word === LINK_MARK) return '[link]';
	if (word === ADDRESS_MARK) return '[address]';
	const short = word.length > MAX_WORD_LENGTH ? word.slice(0, MAX_WORD_LENGTH) : word;
	const shape = short.replace(digit, '#');
	if (shape !== short && word.length <= MAX_NUMBER_LENGTH) add(short);
	add(shape);
	return shape;
}

/** Threes alone: pairs and single characters would say the same again, and make a verdict too certain. */
function addTriples(add: (token: string) => void, run: string): void {
	const characters = [...run];
	if (characters.length < 3) add(run);
	for (let at = 0; at + 3 <= characters.length; at++) add(characters.slice(at, at + 3).join(''));
}

function addLink(tokens: Set<string>, host: string, path: string): void {
	addDomain(tokens, 'link ', host.replace(/^www\./, '').replace(/:\d*$/, ''));
	for (const [word] of path.matchAll(PATH_WORD)) tokens.add(`link /${word}`);
}

/** A domain and those above it, as in `shop.example.com`, `example.com`, `.com`. */
function addDomain(tokens: Set<string>, kind: string, domain: string): void {
	const labels = domain.split('.').slice(-MAX_HOST_LABELS);
	for (let at = 0; at < labels.length - 1; at++) tokens.add(kind + labels.slice(at).join('.'));
	tokens.add(`${kind}.${labels.at(-1)}`);
}

/** How the text looks, in coarse steps. */
function addShape(tokens: Set<string>, text: string, links: number): void {
	tokens.add(`[length ${Math.round(2 * Math.log2(text.length + 1))}]`);
	if (links > 0) tokens.add(`[links ${Math.min(links, 5)}]`);
	let capitals = 0;
	let letters = 0;
	let digits = 0;
	for (let at = 0; at < text.length; at++) {
		const code = text.charCodeAt(at);
		if (code >= 0x61 && code <= 0x7a) letters++;
		else if (code >= 0x41 && code <= 0x5a) capitals++;
		else if (code >= 0x30 && code <= 0x39) digits++;
	}
	if (capitals + letters > 8) tokens.add(`[capitals ${Math.round((8 * capitals) / (capitals + letters))}/8]`);
	if (digits > 0) tokens.add(`[digits ${Math.min(6, Math.round(Math.log2(digits + 1)))}]`);
}
