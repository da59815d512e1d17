/** The rule for words that spam has far more often than genuine messages. */

import { lazy } from '../../tasks/lazy.ts';
import type { SpamReason } from '../verdict.ts';
import { describeDivisor, divisorOf, hashOf, type Message } from './message.ts';
import type * as Offers from './offer-phrases.ts';
import type * as Signals from './signal-words.ts';

/** Only so many of the words count, those with the most points; in longer texts they count for less. */
const MAX_SIGNALS = 15;
const MAX_POINTS = 6;
const MIN_LENGTH = 3;
const PAIR_FACTOR = 0x9e3779b1;

interface Phrase {
	text: string;
	hashes: readonly number[];
	points: number;
}

/** A word, a pair of words, or a run of Chinese characters. */
interface Entry {
	text: string;
	/** By itself. */
	points: number;
	/** Those that begin with a pair, the longest first, or are one word. */
	phrases: Phrase[];
}

const pairOf = (first: number, second: number): number => Math.imul(first, PAIR_FACTOR) ^ second;

/** Several times as many places as entries, so most words that are none are told from them by one look. */
const PLACES = 1 << 14;
/** The first of a pair. */
const IS_FIRST = 1;
/** With points or phrases. */
const HAS_TEXT = 2;

/** Entries by their hashes: each at the first free place from its own on. */
class Table {
	/** The kinds of entry at each place; 0 for none. */
	readonly flags = new Uint8Array(PLACES);
	private readonly hashes = new Int32Array(PLACES);
	private readonly entries = new Array<Entry | undefined>(PLACES);

	constructor() {
		const { SIGNAL_WORDS } = require('./signal-words.ts') as typeof Signals;
		const { OFFER_PHRASES } = require('./offer-phrases.ts') as typeof Offers;
		for (const [points, words] of SIGNAL_WORDS)
			for (const text of words.split(/,\s+/)) this.beginningOf(text).points = points;
		for (const [points, phrases] of OFFER_PHRASES) {
			for (const text of phrases.split(/,\s+/)) {
				const hashes = text.split(' ').map((word) => hashOf(word));
				this.beginningOf(text).phrases.push({ text, hashes, points });
			}
		}
		for (const entry of this.entries) entry?.phrases.sort((a, b) => b.hashes.length - a.hashes.length);
	}

	/** The place of an entry, or that which it would have. */
	placeOf(hash: number): number {
		const { hashes } = this;
		let place = hash & (PLACES - 1);
		while (hashes[place] !== hash && hashes[place] !== 0) place = (place + 1) & (PLACES - 1);
		return place;
	}

	entryAt(place: number): Entry | undefined {
		return (this.flags[place] as number) & HAS_TEXT ? this.entries[place] : undefined;
	}

	/** The entry of the first one or two words. */
	private beginningOf(text: string): Entry {
		const [first = '', second] = text.split(' ');
		const hash = hashOf(first);
		if (second === undefined) return this.add(text, hash);
		const place = this.placeOf(hash);
		this.hashes[place] = hash;
		(this.flags[place] as number) |= IS_FIRST;
		return this.add(`${first} ${second}`, pairOf(hash, hashOf(second)));
	}

	private add(text: string, hash: number): Entry {
		const place = this.placeOf(hash);
		this.hashes[place] = hash;
		(this.flags[place] as number) |= HAS_TEXT;
		this.entries[place] ??= { text, points: 0, phrases: [] };
		return this.entries[place];
	}
}

const tableOf = lazy(() => new Table());

/** Finds the words, pairs and phrases of a message. */
class Finder {
	/** With their points. Phrases first: their words say nothing more. */
	readonly found = new Map<string, number>();
	readonly words: Entry[] = [];
	/** How many words it has, Chinese ones counted as well. */
	size: number;
	private readonly table = tableOf();

	constructor(private readonly message: Message) {
		this.size = message.count;
		const { table } = this;
		const { plain, length, hashes, starts, ends } = message;
		// The pair of the word before and this one.
		let pair: Entry | undefined;
		for (let at = 0; at < length; at++) {
			const start = starts[at] as number;
			const end = ends[at] as number;
			const before = pair;
			pair = undefined;
			if (start === end) continue;
			const hash = hashes[at] as number;
			const place = table.placeOf(hash);
			const entry = table.entryAt(place);
			if ((table.flags[place] as number) & IS_FIRST)
				pair = table.entryAt(table.placeOf(pairOf(hash, hashes[at + 1] as number)));
			const phrase = (pair && this.phraseAt(at, pair)) ?? (entry && this.phraseAt(at, entry));
			if (phrase) {
				this.found.set(phrase.text, phrase.points);
				at += phrase.hashes.length - 1;
				pair = undefined;
			} else if (isChinese(plain, start, end)) {
				this.findChinese(start, end);
				pair = undefined;
			} else {
				if (entry && end - start >= MIN_LENGTH) this.take(entry, at, at);
				if (before && end - start > 1) this.take(before, at - 1, at);
			}
		}
	}

	/** Takes an entry if it has points and the text of the words, as their hashes said. */
	private take(entry: Entry, first: number, last: number): void {
		if (entry.points > 0 && this.textOf(first, last) === entry.text) this.words.push(entry);
	}

	/** Words in lower case: none that is looked for has the Greek letter whose lower case follows from those around it. */
	private textOf(first: number, last: number): string {
		const { plain, starts, ends } = this.message;
		let text = plain.slice(starts[first], ends[first]);
		for (let at = first + 1; at <= last; at++) text += ` ${plain.slice(starts[at], ends[at])}`;
		return text.toLowerCase();
	}

	/** It is written without blanks: two or three characters count as a word. */
	private findChinese(start: number, end: number): void {
		const { plain } = this.message;
		for (let at = start; at + 2 <= end; at++) {
			for (let length = 2; length <= 3 && at + length <= end; length++) {
				const entry = this.table.entryAt(this.table.placeOf(hashOf(plain, at, at + length)));
				if (entry && entry.points > 0 && plain.slice(at, at + length) === entry.text) this.words.push(entry);
			}
		}
		this.size += Math.max(0, ((end - start) >> 1) - 1);
	}

	private phraseAt(at: number, { phrases }: Entry): Phrase | undefined {
		const { length, hashes } = this.message;
		for (const phrase of phrases) {
			const last = at + phrase.hashes.length - 1;
			const isLike = last < length && phrase.hashes.every((hash, i) => hashes[at + i] === hash);
			if (isLike && this.textOf(at, last) === phrase.text) return phrase;
		}
		return undefined;
	}
}

function isChinese(text: string, start: number, end: number): boolean {
	for (let at = start; at < end; at++) {
		const code = text.charCodeAt(at);
		if (code < 0x4e00 || code > 0x9fff) return false;
	}
	return true;
}

export function judgeWords(message: Message): SpamReason | null {
	const { found, words, size } = new Finder(message);
	for (const { text, points } of words) found.set(text, points);
	if (found.size === 0) return null;
	const counted = [...found].sort(([, a], [, b]) => b - a).slice(0, MAX_SIGNALS);
	const sum = counted.reduce((total, [, points]) => total + points, 0);
	const divided = sum / divisorOf(size);
	const points = Math.min(MAX_POINTS, Math.round(divided * 10) / 10);
	if (points === 0) return null;
	const list = counted.map(([word, points]) => `“${word}” ${points}`).join(', ');
	const bound = divided > MAX_POINTS ? `; at most ${MAX_POINTS}` : '';
	return { rule: 'words', points, detail: list + describeDivisor(size) + bound };
}
