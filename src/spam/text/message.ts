/** Pure: a submission as the rules of its text read it, in one pass over its characters. */

import { stringValues } from '../../text/json-string.ts';
import {
	AT,
	after,
	BRACKET,
	CAPITAL,
	CLASS_SHIFT,
	CLASSES,
	CURRENCY,
	classOf,
	DIGIT,
	EXCLAMATION,
	factsAt,
	factsOf,
	JOINER,
	KIND,
	LETTER,
	LOWER,
	MARK,
	OF_HOST,
	OF_WORD,
	RARE,
	SCRIPT_NAMES,
	SCRIPT_SHIFT,
	SLASH,
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
/** The only character that is two in lower case. */
const DOTTED = 'İ';
const WWW = /^www$/i;
const SCHEME = /https?$/i;
/** Behind a number, what the name of a currency begins with. */
const BEGINS_CURRENCY = /[uegdpرج元]/i;

const made = 2 * MAX_CHARACTERS + 2;
const hashes = new Int32Array(made);
const starts = new Int32Array(made);
const ends = new Int32Array(made);
/** How many characters of each class there are. */
const seen = new Int32Array(CLASSES);

/**
 * A message. Web and mail addresses are no words: `http://` or `www.` up to the next space, and what stands before an @, from a space or
 * another @ on, with the host behind it.
 */
export class Message {
	/** The texts that were sent, without the names of their fields, one after the other. */
	readonly text: string;
	/** The same, as long as it is in lower case. */
	readonly plain: string;
	/** The longest of the texts, and where it is in `lower`. */
	readonly longest: string = '';
	readonly longestStart: number;
	readonly longestEnd: number;
	/** The words, and where they are in `lower`; good until the next message is read. */
	readonly hashes = hashes;
	readonly starts = starts;
	readonly ends = ends;
	/** How many of them there are, with what ends a sentence or a text, or stands between words: no word, of no length, and with the hash 0. */
	length = 0;
	/** How many words it has. */
	readonly count: number = 0;
	readonly letters: number = 0;
	readonly capitals: number;
	/** How many letters of each of the scripts it has. */
	readonly scripts: number[] = [];
	readonly exclamations: number;
	readonly digits: number;
	/** True if it may name sums of money, have links, or have markup. */
	hasSums = false;
	hasLinks = false;
	readonly hasMarkup: boolean;

	private inLower: string | undefined;
	private digitsEnd = -2;
	/** Where an address may have begun, with the number of words before; -1 behind another. */
	private runStart = 0;
	private runLength = 0;
	/** The next @ of an address that was found ahead. */
	private nextAddress = -1;

	/** @param data The JSON text of the fields. */
	constructor(data: string) {
		const texts = textsOf(data.slice(0, MAX_CHARACTERS));
		let start = 0;
		let next = 0;
		for (const text of texts) {
			if (text.length > this.longest.length) {
				this.longest = text;
				start = next;
			}
			next += text.length + 1;
		}
		// A space at the end ends the last word.
		this.text = `${texts.join('\n')}\n`;
		this.plain = withoutDotted(this.text);
		const isPlain = this.plain === this.text;
		this.longestStart = isPlain ? start : withoutDotted(this.text.slice(0, start)).length;
		this.longestEnd = this.longestStart + (isPlain ? this.longest : withoutDotted(this.longest)).length;
		this.read();
		for (let at = 0; at < this.length; at++) if (ends[at] !== starts[at]) this.count++;
		this.capitals = this.plain.length - this.text.length;
		for (let first = 0; first < SCRIPT_NAMES.length << SCRIPT_SHIFT; first += 1 << SCRIPT_SHIFT) {
			const letters = seen[first + LETTER] as number;
			const capitals = seen[first + CAPITAL] as number;
			this.letters += letters + capitals;
			this.capitals += capitals;
			this.scripts.push((seen[first] as number) + letters + capitals + (seen[first + MARK] as number));
		}
		this.exclamations = seen[EXCLAMATION] as number;
		this.digits = seen[DIGIT] as number;
		this.hasSums ||= (seen[CURRENCY] as number) > 0;
		this.hasMarkup = (seen[BRACKET] as number) > 0;
		this.hasLinks ||= (seen[SLASH] as number) > 0 && this.text.includes('://');
	}

	get lower(): string {
		this.inLower ??= this.plain.toLowerCase();
		return this.inLower;
	}

	private read(): void {
		seen.fill(0);
		const { plain } = this;
		for (let at = 0; at < plain.length; ) {
			if (plain.charCodeAt(at) === BLANK) {
				this.runStart = ++at;
				this.runLength = this.length;
				continue;
			}
			const facts = factsAt(plain, at);
			at = facts & OF_WORD ? this.readWord(at, facts) : this.readOther(at, facts);
		}
	}

	/** Each of these returns the index at which reading goes on. */
	private readWord(start: number, first: number): number {
		const { plain } = this;
		let hash = SEED;
		let at = start;
		let facts = first;
		do {
			const kind = facts >> CLASS_SHIFT;
			const from = at;
			if (facts & RARE) {
				for (const end = after(plain, at); at < end; at++) hash = Math.imul(hash ^ this.lower.charCodeAt(at), PRIME);
				(seen[kind & (CLASSES - 1)] as number)++;
				facts = factsAt(plain, at);
				continue;
			}
			do {
				hash = Math.imul(hash ^ (facts & LOWER), PRIME);
				facts = factsOf(plain.charCodeAt(++at));
			} while (facts >> CLASS_SHIFT === kind);
			(seen[kind & (CLASSES - 1)] as number) += at - from;
			if (facts & RARE) facts = factsAt(plain, at);
		} while (facts & OF_WORD);
		this.addWord(hash, start, at);
		if (start <= this.digitsEnd + 1 && BEGINS_CURRENCY.test(plain.charAt(start))) this.hasSums = true;
		const end = facts & LOWER;
		return end === COLON || end === DOT ? this.readLink(at) : at;
	}

	/** If the last word begins a link, which goes on at `at`: takes it away, and passes over the link. */
	private readLink(at: number): number {
		const link = this.startOfLink(at);
		if (link === -1) return at;
		if (this.runStart !== -1 && link > this.runStart) {
			if (this.nextAddress < at) this.nextAddress = addressAfter(this.plain, at);
			if (this.nextAddress >= at) return at;
		}
		const start = starts[--this.length] as number;
		if (link > start) this.addWord(hashOf(this.lower, start, link), start, link);
		this.addBreak(at);
		this.runStart = -1;
		return this.passOver(at, isNoSpace);
	}

	/** Where a link begins whose `http:` or `www.` has its end at the character `at`, if anything follows. */
	private startOfLink(at: number): number {
		const { plain } = this;
		let start = -1;
		let after = at + 1;
		if (plain.charCodeAt(at) === COLON) {
			if (!plain.startsWith('//', after)) return -1;
			after += 2;
			const scheme = SCHEME.exec(plain.slice(Math.max(0, at - 5), at));
			if (scheme) start = at - scheme[0].length;
		} else if (WWW.test(plain.slice(at - 3, at))) {
			start = at - 3;
			this.hasLinks = true;
		}
		return isNoSpace(plain.charCodeAt(after)) ? start : -1;
	}

	private readOther(at: number, facts: number): number {
		const { plain } = this;
		const kind = (facts >>> CLASS_SHIFT) & KIND;
		if (kind === AT && this.runStart !== -1 && at > this.runStart && isOfHost(plain.charCodeAt(at + 1))) {
			this.length = this.runLength;
			this.addBreak(at);
			this.runStart = -1;
			return this.passOver(at + 1, isOfHost);
		}
		(seen[(facts >>> CLASS_SHIFT) & (CLASSES - 1)] as number)++;
		if (kind === DIGIT) this.digitsEnd = at + 1;
		if (kind !== JOINER && (kind !== SPACE || (facts & LOWER) === LINE_FEED)) this.addBreak(at);
		if (kind === SPACE || kind === AT) {
			this.runStart = at + 1;
			this.runLength = this.length;
		}
		return facts & RARE ? after(plain, at) : at + 1;
	}

	/** Counts the characters of an address, which are not read. */
	private passOver(from: number, isWithin: (code: number) => boolean): number {
		const { plain } = this;
		const digits = seen[DIGIT] as number;
		let at = from;
		while (isWithin(plain.charCodeAt(at))) {
			(seen[(factsAt(plain, at) >>> CLASS_SHIFT) & (CLASSES - 1)] as number)++;
			at = after(plain, at);
		}
		if ((seen[DIGIT] as number) > digits) this.hasSums = true;
		return at;
	}

	private addWord(hash: number, start: number, end: number): void {
		const at = this.length++;
		hashes[at] = hash;
		starts[at] = start;
		ends[at] = end;
	}

	/** One is enough between two words. */
	private addBreak(at: number): void {
		const last = this.length - 1;
		if (last < 0 || starts[last] !== ends[last]) this.addWord(0, at, at);
	}
}

/** The texts that were sent, without the names of their fields. @param data JSON text, or the beginning of one. */
export function textsOf(data: string): string[] {
	return stringValues(data).filter((text) => text !== '');
}

/** The hash of a part of a text in lower case, as of a word. */
export function hashOf(text: string, start = 0, end = text.length): number {
	let hash = SEED;
	for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), PRIME);
	return hash;
}

const withoutDotted = (text: string): string => (text.includes(DOTTED) ? text.replaceAll(DOTTED, 'i\u0307') : text);

const isNoSpace = (code: number): boolean => (classOf(code) & KIND) !== SPACE;

/** The @ of an address that goes on at `from`, without a space; -1 if there is none. */
function addressAfter(text: string, from: number): number {
	for (let at = from; ; at++) {
		const kind = classOf(text.charCodeAt(at)) & KIND;
		if (kind === SPACE) return -1;
		if (kind === AT) return isOfHost(text.charCodeAt(at + 1)) ? at : -1;
	}
}

const isOfHost = (code: number): boolean => (factsOf(code) & OF_HOST) !== 0;

/** The divisor of counts that grow with the text by chance: the hundreds of its words. */
export function divisorOf(count: number): number {
	return Math.max(1, Math.round(count / 10) / 10);
}

/** How the detail of a reason says so. */
export function describeDivisor(count: number): string {
	const divisor = divisorOf(count);
	return divisor > 1 ? `; divided by ${divisor}, for ${count} words` : '';
}
