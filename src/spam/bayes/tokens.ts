/** Pure: the tokens of a submission, which the word models count: words, pairs of words, and what else is telling, in any script. */

import { stringValues } from '../../json-string.ts';

/** To be raised with any change of what tokens a text has. */
export const TOKENS_VERSION = 1;
/** What is looked at: so much of the beginning of the JSON text, and so much of the values in it. */
export const TOKENS_JSON_CHARACTERS = 4500;
const MAX_CHARACTERS = 3000;
const MAX_WORD_LENGTH = 30;
/** Numbers up to this length are also tokens as they are, such as a year or a price. */
const MAX_NUMBER_LENGTH = 5;
const MAX_HOST_LABELS = 5;

const LINK = /(?:https?:\/\/|www\.)([^\s/?#<>"'()[\]{}|\\^`]+)([^\s<>"'()[\]{}|\\^`]*)/giu;
/** Bounded, so that a long word is not looked through from each of its characters. */
const ADDRESS = /[\p{L}\p{N}.!#$%&'*+/=?^_{|}~-]{1,64}@([\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+)/gu;
/** Where links and addresses were; characters that no text has after normalisation to words. */
const LINK_MARK = '\u{F0000}';
const ADDRESS_MARK = '\u{F0001}';
const WORDS = /[\u{F0000}\u{F0001}]|[\p{L}\p{M}\p{N}]+(?:['’]\p{L}+)?|[\p{Sc}%]|[!?]+/gu;
const DIGIT = /\p{Nd}/gu;
const ASCII = /^[\0-\x7f]*$/;
const ASCII_DIGIT = /[0-9]/g;
/** Scripts without spaces between words: pairs of their characters stand for words. */
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
	for (const value of stringValues(data.slice(0, TOKENS_JSON_CHARACTERS))) {
		addValue(tokens, value.slice(0, left));
		left -= value.length;
		if (left <= 0) break;
	}
	return tokens;
}

function addValue(tokens: Set<string>, value: string): void {
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
	addWords(tokens, ASCII.test(text) ? text.toLowerCase() : text.normalize('NFKC').toLowerCase());
}

function addWords(tokens: Set<string>, text: string): void {
	let before = '';
	for (const word of text.match(WORDS) ?? []) {
		const isAscii = word.charCodeAt(0) < 0x80 && ASCII.test(word);
		if (!isAscii && UNSPACED.test(word)) {
			addPairs(tokens, word);
			before = '';
			continue;
		}
		const token = wordToken(tokens, word, isAscii ? ASCII_DIGIT : DIGIT);
		if (before) tokens.add(`${before} ${token}`);
		before = token;
	}
}

/** Adds a word; returns what stands for it in pairs. */
function wordToken(tokens: Set<string>, word: string, digit: RegExp): string {
	if (word === LINK_MARK) return '[link]';
	if (word === ADDRESS_MARK) return '[address]';
	const short = word.length > MAX_WORD_LENGTH ? word.slice(0, MAX_WORD_LENGTH) : word;
	const shape = short.replace(digit, '#');
	if (shape !== short && word.length <= MAX_NUMBER_LENGTH) tokens.add(short);
	tokens.add(shape);
	return shape;
}

/** Pairs alone: single characters say the same again, and would make a verdict too certain. */
function addPairs(tokens: Set<string>, run: string): void {
	let before = '';
	for (const character of run) {
		if (before) tokens.add(before + character);
		before = character;
	}
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
