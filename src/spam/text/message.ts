/** Pure: a submission as the rules of its text read it, in one pass over its characters. */

import { stringValues } from '../../text/json-string.ts';
import {
	AT,
	CAPITAL,
	CATEGORY,
	CURRENCY,
	DIGIT,
	EXCLAMATION,
	JOINER,
	KINDS,
	kindOf,
	LATIN,
	LETTER,
	MARK,
	SCRIPT_SHIFT,
	SCRIPTS,
	SPACE,
} from './characters.ts';

/** Maximum part of a submission that is read. */
export const MAX_CHARACTERS = 8192;
const PRIME = 0x01000193;
const SEED = 0x2f9e5c1;
const COLON = 0x3a;
const DOT = 0x2e;
const LINE_FEED = 0x0a;
const BLANK = 0x20;
const LATIN_LETTER = (LATIN << SCRIPT_SHIFT) + LETTER;
const LATIN_CAPITAL = (LATIN << SCRIPT_SHIFT) + CAPITAL;
/** The only character that is two in lower case. */
const DOTTED = 'İ';

/** The words of a message, without those of addresses: where they are in `lower`. Good until the next message is read. */
export interface Words {
	length: number;
	/** 0 for what ends a sentence or a text, or stands between words: no word, of no length. */
	hashes: Int32Array;
	starts: Int32Array;
	ends: Int32Array;
}

export interface Message {
	/** The texts that were sent, without the names of their fields, one after the other. */
	text: string;
	/** The same in lower case. */
	lower: string;
	/** The longest of the texts, and where it is in `lower`. */
	longest: string;
	longestStart: number;
	longestEnd: number;
	words: Words;
	/** How many words it has. */
	count: number;
	letters: number;
	capitals: number;
	exclamations: number;
	digits: number;
	/** True if it may name sums of money. */
	hasSums: boolean;
	/** How many characters of each of the scripts it has. */
	scripts: readonly number[];
}

const made = 2 * MAX_CHARACTERS + 2;
const words: Words = {
	length: 0,
	hashes: new Int32Array(made),
	starts: new Int32Array(made),
	ends: new Int32Array(made),
};
/** How many characters of each kind there are. */
const seen = new Int32Array(KINDS);

/** @param data The JSON text of the fields. */
export function readMessage(data: string): Message {
	const texts = textsOf(data.slice(0, MAX_CHARACTERS));
	let longest = '';
	let start = 0;
	let next = 0;
	for (const text of texts) {
		if (text.length > longest.length) {
			longest = text;
			start = next;
		}
		next += text.length + 1;
	}
	// A space at the end ends the last word.
	const text = `${texts.join('\n')}\n`;
	const plain = withoutDotted(text);
	const lower = plain.toLowerCase();
	const longestStart = plain.length === text.length ? start : withoutDotted(text.slice(0, start)).length;
	const reader = new Reader(plain, lower);
	reader.read();
	let count = 0;
	for (let at = 0; at < words.length; at++) if (words.ends[at] !== words.starts[at]) count++;
	const scripts = SCRIPTS.map(() => 0);
	let letters = 0;
	for (let script = 0; script < SCRIPTS.length; script++) {
		const first = script << SCRIPT_SHIFT;
		for (let category = 0; category <= CATEGORY; category++)
			(scripts[script] as number) += seen[first + category] as number;
		letters += (seen[first + LETTER] as number) + (seen[first + CAPITAL] as number);
	}
	let capitals = plain.length - text.length;
	for (let script = 0; script < SCRIPTS.length; script++)
		capitals += seen[(script << SCRIPT_SHIFT) + CAPITAL] as number;
	return {
		text,
		lower,
		longest,
		longestStart,
		longestEnd: longestStart + (plain.length === text.length ? longest : withoutDotted(longest)).length,
		words,
		count,
		letters,
		capitals,
		exclamations: seen[EXCLAMATION] as number,
		digits: seen[DIGIT] as number,
		hasSums: reader.hasSums,
		scripts,
	};
}

/** The texts that were sent, without the names of their fields. @param data JSON text, or the beginning of one. */
export function textsOf(data: string): string[] {
	return stringValues(data).filter((text) => text !== '');
}

const withoutDotted = (text: string): string => (text.includes(DOTTED) ? text.replaceAll(DOTTED, 'i\u0307') : text);

/** The hash of a part of a text, as of a word. */
export function hashOf(text: string, start = 0, end = text.length): number {
	let hash = SEED;
	for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), PRIME);
	return hash;
}

/**
 * Sets the words and counts the kinds of characters. Web and mail addresses are no words: `http://` or `www.` up to the next space,
 * and what stands before an @, from a space or another @ on, with the host behind it.
 */
class Reader {
	hasSums = false;
	private digitsEnd = -2;
	/** Where an address may have begun, with the number of words before; -1 behind another. */
	private runStart = 0;
	private runLength = 0;
	/** The next @ of an address that was found ahead. */
	private nextAddress = -1;

	constructor(
		private readonly text: string,
		private readonly lower: string,
	) {}

	read(): void {
		words.length = 0;
		seen.fill(0);
		const { text } = this;
		for (let at = 0; at < text.length; ) {
			const code = text.codePointAt(at) as number;
			if (code === BLANK) {
				this.runStart = ++at;
				this.runLength = words.length;
			} else {
				at = isOfWord(code) ? this.readWord(at) : this.readOther(at, code);
			}
		}
	}

	/** Each of these returns the index at which reading goes on. */
	private readWord(start: number): number {
		const { text, lower } = this;
		let hash = SEED;
		let at = start;
		let code = text.charCodeAt(at);
		for (;;) {
			// Nearly all letters are these, whose lower case is one bit.
			const first = at;
			let capitals = 0;
			for (let small = code | 0x20; small >= 0x61 && small <= 0x7a; small = code | 0x20) {
				hash = Math.imul(hash ^ small, PRIME);
				if (small !== code) capitals++;
				code = text.charCodeAt(++at);
			}
			(seen[LATIN_LETTER] as number) += at - first - capitals;
			(seen[LATIN_CAPITAL] as number) += capitals;
			if (code < 0x80 || !isOfWord(text.codePointAt(at) as number)) break;
			const other = text.codePointAt(at) as number;
			(seen[kindOf(other)] as number)++;
			hash = Math.imul(hash ^ lower.charCodeAt(at++), PRIME);
			if (other > 0xffff) hash = Math.imul(hash ^ lower.charCodeAt(at++), PRIME);
			code = text.charCodeAt(at);
		}
		addWord(hash, start, at);
		if (start <= this.digitsEnd + 1) this.hasSums = true;
		return code === COLON || code === DOT ? this.readLink(at) : at;
	}

	/** If the last word begins a link, which goes on at `at`: takes it away, and passes over the link. */
	private readLink(at: number): number {
		const link = startOfLink(this.lower, at);
		if (link === -1) return at;
		if (this.runStart !== -1 && link > this.runStart) {
			if (this.nextAddress < at) this.nextAddress = addressAfter(this.text, at);
			if (this.nextAddress >= at) return at;
		}
		const start = words.starts[--words.length] as number;
		if (link > start) addWord(hashOf(this.lower, start, link), start, link);
		addBreak(at);
		this.runStart = -1;
		return this.passOver(at, (code) => kindOf(code) !== SPACE);
	}

	private readOther(at: number, code: number): number {
		const kind = kindOf(code);
		const category = kind & CATEGORY;
		if (category === AT && this.runStart !== -1 && at > this.runStart && isOfHost(this.text.charCodeAt(at + 1))) {
			words.length = this.runLength;
			addBreak(at);
			this.runStart = -1;
			return this.passOver(at + 1, isOfHost);
		}
		(seen[kind] as number)++;
		if (category === DIGIT) this.digitsEnd = at + 1;
		else if (category === CURRENCY) this.hasSums = true;
		if (category !== JOINER && (category !== SPACE || code === LINE_FEED)) addBreak(at);
		if (category === SPACE || category === AT) {
			this.runStart = at + 1;
			this.runLength = words.length;
		}
		return code > 0xffff ? at + 2 : at + 1;
	}

	/** Counts the characters of an address, which are not read. */
	private passOver(from: number, isWithin: (code: number) => boolean): number {
		const digits = seen[DIGIT] as number;
		let at = from;
		for (let code = this.text.codePointAt(at) as number; isWithin(code); code = this.text.codePointAt(at) as number) {
			(seen[kindOf(code)] as number)++;
			at += code > 0xffff ? 2 : 1;
		}
		if ((seen[DIGIT] as number) > digits) this.hasSums = true;
		return at;
	}
}

function isOfWord(code: number): boolean {
	const category = kindOf(code) & CATEGORY;
	return category >= LETTER && category <= MARK;
}

function addWord(hash: number, start: number, end: number): void {
	const at = words.length++;
	words.hashes[at] = hash;
	words.starts[at] = start;
	words.ends[at] = end;
}

/** One is enough between two words. */
function addBreak(at: number): void {
	const last = words.length - 1;
	if (last < 0 || words.starts[last] !== words.ends[last]) addWord(0, at, at);
}

/** Where a link begins whose `http:` or `www.` has its end at the character `at`, if anything follows. */
function startOfLink(lower: string, at: number): number {
	let start = -1;
	let after = at + 1;
	if (lower.charCodeAt(at) === DOT) {
		if (lower.startsWith('www', at - 3)) start = at - 3;
	} else if (lower.startsWith('//', at + 1)) {
		after = at + 3;
		if (lower.startsWith('http', at - 4)) start = at - 4;
		else if (lower.startsWith('https', at - 5)) start = at - 5;
	}
	return start < 0 || kindOf(lower.charCodeAt(after)) === SPACE ? -1 : start;
}

/** The @ of an address that goes on at `from`, without a space; -1 if there is none. */
function addressAfter(text: string, from: number): number {
	for (let at = from; ; at++) {
		const kind = kindOf(text.charCodeAt(at));
		if (kind === SPACE) return -1;
		if (kind === AT) return isOfHost(text.charCodeAt(at + 1)) ? at : -1;
	}
}

/** Letters without accents, digits, and `_.-`. */
function isOfHost(code: number): boolean {
	return (
		(code >= 0x61 && code <= 0x7a) ||
		(code >= 0x41 && code <= 0x5a) ||
		(code >= 0x2d && code <= 0x39 && code !== 0x2f) ||
		code === 0x5f
	);
}

/** The divisor of counts that grow with the text by chance: the hundreds of its words. */
export function divisorOf(count: number): number {
	return Math.max(1, Math.round(count / 10) / 10);
}

/** How the detail of a reason says so. */
export function describeDivisor(count: number): string {
	const divisor = divisorOf(count);
	return divisor > 1 ? `; divided by ${divisor}, for ${count} words` : '';
}
