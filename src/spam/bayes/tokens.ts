/**
 * Pure: the tokens of a submission, which the word models count: words, pairs of words, and what else is telling, in any script. Each
 * belongs to a part of the submission.
 */

import { namedStringValues } from '../../text/json-string.ts';
import { normalized } from '../../text/normalized.ts';
import {
	after,
	CLASS_SHIFT,
	DECIMAL,
	factsAt,
	KIND,
	MARK,
	NUMBER,
	OF_WORD,
	RARE,
	SPACE,
	UNSPACED,
} from '../text/characters.ts';
import { bucketOf } from './counts.ts';
import type { KeyedHash } from './keyed-hash.ts';

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

/** The numbers of tokens, from 1 on, each at the first free place from that of its hash on: twice as many places as tokens. */
const places = new Int16Array(4096);

/** The tokens of a submission, each once, in order. */
export class Tokens {
	/** Where the models count each. */
	readonly buckets: number[] = [];
	/** The part of each. */
	readonly partOf: string[] = [];
	private readonly hashes: number[] = [];
	/** Two texts are a token with a blank between. */
	private readonly firsts: string[] = [];
	private readonly seconds: (string | undefined)[] = [];

	constructor(private readonly hash: KeyedHash) {
		places.fill(0);
	}

	/** Adds a token to a part, unless it is in one already or there are enough. */
	add(part: string, first: string, second?: string): void {
		const hash = this.hash(first, second) | 0;
		let place = hash & (places.length - 1);
		for (let known = places[place] as number; known !== 0; known = places[place] as number) {
			if (this.hashes[known - 1] === hash && this.isAt(known - 1, first, second)) return;
			place = (place + 1) & (places.length - 1);
		}
		if (this.hashes.length >= MAX_TOKENS) return;
		places[place] = this.hashes.push(hash);
		this.buckets.push(bucketOf(hash));
		this.partOf.push(part);
		this.firsts.push(first);
		this.seconds.push(second);
	}

	private isAt(at: number, first: string, second: string | undefined): boolean {
		return (this.firsts[at] === first && this.seconds[at] === second) || this.textAt(at) === textOf(first, second);
	}

	/** A token as a person may read it. */
	textAt(at: number): string {
		return textOf(this.firsts[at] as string, this.seconds[at]);
	}
}

const textOf = (first: string, second: string | undefined): string =>
	second === undefined ? first : `${first} ${second}`;

type Add = (first: string, second?: string) => void;

const LINK = /(?:https?:\/\/|www\.)([^\s/?#<>"'()[\]{}|\\^`]+)([^\s<>"'()[\]{}|\\^`]*)/giu;
const MAX_LOCAL_PART = 64;
/** Characters before the @ of an address, beside letters and numbers. */
const OF_LOCAL_PART = ".!#$%&'*+/=?^_{|}~-";
const MAIL_DOMAIN = /[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/uy;
const IN_WORD = OF_WORD | NUMBER;
/** Where links and addresses were; characters that no text has after normalisation to words. */
const LINK_MARK = '\u{F0000}';
const ADDRESS_MARK = '\u{F0001}';
/** Punctuation that is said like a word, and so stands in pairs. */
const SAID = /^[\p{Sc}%!?]/u;
const DIGIT = /\p{Nd}/gu;
const ASCII = /^[\0-\x7f]*$/;
const PATH_WORD = /\p{L}{3,20}/gu;

/** @param data The JSON text of a submission's fields, or as much of its beginning as {@link TOKENS_JSON_CHARACTERS} */
export function tokensOf(data: string, hash: KeyedHash): Tokens {
	const tokens = new Tokens(hash);
	const values = valuesOf(data);
	const filled = new Set(values.filter(({ value }) => value.trim() !== '').map(({ name }) => name));
	if (filled.size > 0) tokens.add(FIELDS_PART, `[fields ${[...filled].sort().join(', ').slice(0, MAX_FIELDS_LENGTH)}]`);
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

const addTo =
	(tokens: Tokens, part: string): Add =>
	(first, second) =>
		tokens.add(part, first, second);

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
		const add = addTo(tokens, ADDRESSES_PART);
		text = withoutAddresses(text, (domain) => addDomain(add, '@', domain.toLowerCase()));
	}
	const addToText = addTo(tokens, TEXT_PART);
	addShape(addToText, value, links);
	const plain = ASCII.test(text) ? text.toLowerCase() : compatible(text).toLowerCase();
	if (value.length > MAX_SHORT_VALUE) {
		addWords(plain, { add: addToText, addPair: addToText });
		return;
	}
	const addToField = addTo(tokens, isMain ? TEXT_PART : partOf(name));
	const addShort = (token: string) => addToField(`${name}:`, token);
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

/** Puts a mark in the place of each address. It looks at each character once: what stands before an @ is read from there. */
function withoutAddresses(text: string, addDomainOf: (domain: string) => void): string {
	let without = '';
	let from = 0;
	for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
		MAIL_DOMAIN.lastIndex = at + 1;
		const start = startOfLocalPart(text, from, at);
		const domain = start < at && MAIL_DOMAIN.exec(text)?.[0];
		if (!domain) continue;
		addDomainOf(domain);
		without += `${text.slice(from, start)} ${ADDRESS_MARK} `;
		from = at + 1 + domain.length;
	}
	return without + text.slice(from);
}

/** Where the part of an address before its @ begins. */
function startOfLocalPart(text: string, from: number, end: number): number {
	let start = end;
	for (let count = 0; start > from && count < MAX_LOCAL_PART; count++) {
		const at = start - 2 >= from && after(text, start - 2) === start ? start - 2 : start - 1;
		const facts = factsAt(text, at);
		if (!isLetter(facts) && !(facts & NUMBER) && !OF_LOCAL_PART.includes(text.charAt(at))) break;
		start = at;
	}
	return start;
}

/** A character may be eighteen in this form; of no text that people write does it make two of each. */
const compatible = (text: string) => normalized(text, 'NFKC').slice(0, 2 * MAX_CHARACTERS);

interface Adding {
	add: Add;
	addPair: Add;
	/** Adds the tokens of a short value that count only with its field. */
	addShort?: Add;
}

function addWords(text: string, adding: Adding): void {
	let before = '';
	for (let at = 0; at < text.length; ) {
		const start = at;
		const mark = markAt(text, at);
		at = mark === undefined ? endOfRun(text, at) : after(text, at);
		const token = mark ?? addRun(text.slice(start, at), adding);
		if (token === undefined) continue;
		if (before && token) adding.addPair(before, token);
		before = token;
	}
}

/** Adds a word, punctuation or blanks. Returns what stands for it in pairs: nothing if they stand apart, `undefined` if it is passed over. */
function addRun(run: string, { add, addShort }: Adding): string | undefined {
	const facts = factsAt(run, 0);
	if (isSpace(facts)) return undefined;
	const all = factsOfAll(run);
	if (all & UNSPACED) {
		addNeighbours(add, run, 3);
		if (addShort) addNeighbours(addShort, run, 2);
		return '';
	}
	if (facts & IN_WORD) return addWord(add, run, (all & DECIMAL) !== 0);
	const token = run.slice(0, MAX_PUNCTUATION);
	add(token);
	return SAID.test(token) ? token : undefined;
}

const isSpace = (facts: number): boolean => ((facts >>> CLASS_SHIFT) & KIND) === SPACE;
const isLetter = (facts: number): boolean => (facts & OF_WORD) !== 0 && ((facts >>> CLASS_SHIFT) & KIND) !== MARK;
const isApostrophe = (code: number): boolean => code === 0x27 || code === 0x2019;

/** The name by which pairs have a link or an address that was at a place. */
function markAt(text: string, at: number): string | undefined {
	if (!(factsAt(text, at) & RARE)) return undefined;
	if (text.startsWith(LINK_MARK, at)) return '[link]';
	return text.startsWith(ADDRESS_MARK, at) ? '[address]' : undefined;
}

/** The end of a word, with what follows an apostrophe, of a run of punctuation, or of a blank. */
function endOfRun(text: string, start: number): number {
	const inWord = factsAt(text, start) & IN_WORD;
	let end = after(text, start);
	if (isSpace(factsAt(text, start))) return end;
	if (!inWord) {
		while (end < text.length && isPunctuation(text, end)) end = after(text, end);
		return end;
	}
	while (end < text.length && factsAt(text, end) & IN_WORD) end = after(text, end);
	if (!isApostrophe(text.charCodeAt(end))) return end;
	let letters = end + 1;
	while (letters < text.length && isLetter(factsAt(text, letters))) letters = after(text, letters);
	return letters > end + 1 ? letters : end;
}

function isPunctuation(text: string, at: number): boolean {
	const facts = factsAt(text, at);
	return !(facts & IN_WORD) && !isSpace(facts) && markAt(text, at) === undefined;
}

function factsOfAll(text: string): number {
	let all = 0;
	for (let at = 0; at < text.length; at = after(text, at)) all |= factsAt(text, at);
	return all;
}

/** Adds a word; returns what stands for it in pairs. */
function addWord(add: Add, word: string, hasDigits: boolean): string {
	const short = word.length > MAX_WORD_LENGTH ? word.slice(0, MAX_WORD_LENGTH) : word;
	const shape = hasDigits ? short.replace(DIGIT, '#') : short;
	if (shape !== short && word.length <= MAX_NUMBER_LENGTH) add(short);
	add(shape);
	return shape;
}

/**
 * Neighbours of so many characters, or all if there are fewer. Of a text threes alone: pairs would say the same again, and make a verdict
 * too certain. A subject is too short for threes alone.
 */
function addNeighbours(add: Add, word: string, length: number): void {
	let start = 0;
	let end = 0;
	for (let count = 1; end < word.length; count++) {
		end = after(word, end);
		if (count < length) continue;
		add(word.slice(start, end));
		start = after(word, start);
	}
	if (start === 0) add(word);
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
