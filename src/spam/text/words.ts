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
	/** True if it is the first of a pair. */
	isFirst: boolean;
	/** Those that begin with a pair, the longest first, or are one word. */
	phrases: Phrase[];
}

const pairOf = (first: number, second: number): number => Math.imul(first, PAIR_FACTOR) ^ second;

/** All entries by their hashes, and a bit for the lower half of each hash: most words are looked for no further. */
const tableOf = lazy(() => {
	const { SIGNAL_WORDS } = require('./signal-words.ts') as typeof Signals;
	const { OFFER_PHRASES } = require('./offer-phrases.ts') as typeof Offers;
	const entries = new Map<number, Entry>();
	const bits = new Uint8Array(0x2000);

	function entryOf(text: string, hash = hashOf(text)): Entry {
		const entry = entries.get(hash) ?? { text, points: 0, isFirst: false, phrases: [] };
		entries.set(hash, entry);
		(bits[(hash & 0xffff) >> 3] as number) |= 1 << (hash & 7);
		return entry;
	}

	/** The entry of the first one or two words. */
	function beginningOf(text: string): Entry {
		const [first = '', second] = text.split(' ');
		if (second === undefined) return entryOf(text);
		entryOf(first).isFirst = true;
		return entryOf(`${first} ${second}`, pairOf(hashOf(first), hashOf(second)));
	}

	for (const [points, words] of SIGNAL_WORDS) for (const text of words.split(/,\s+/)) beginningOf(text).points = points;
	for (const [points, phrases] of OFFER_PHRASES) {
		for (const text of phrases.split(/,\s+/)) {
			const hashes = text.split(' ').map((word) => hashOf(word));
			beginningOf(text).phrases.push({ text, hashes, points });
		}
	}
	for (const { phrases } of entries.values()) phrases.sort((a, b) => b.hashes.length - a.hashes.length);
	return { entries, bits };
});

/** Finds the words, pairs and phrases of a message. */
class Finder {
	/** Phrases first: their words say nothing more. */
	readonly phrases = new Map<string, number>();
	readonly words: Entry[] = [];
	/** How many words it has, Chinese ones counted as well. */
	size: number;
	private readonly table = tableOf();

	constructor(private readonly message: Message) {
		this.size = message.count;
		const { lower } = message;
		const { length, hashes, starts, ends } = message.words;
		// The pair of the word before and this one.
		let pair: Entry | undefined;
		for (let at = 0; at < length; at++) {
			const start = starts[at] as number;
			const end = ends[at] as number;
			const before = pair;
			pair = undefined;
			if (start === end) continue;
			const entry = this.find(hashes[at] as number);
			const next = entry?.isFirst ? this.find(pairOf(hashes[at] as number, hashes[at + 1] as number)) : undefined;
			const phrase = (next && this.phraseAt(at, next)) ?? (entry && this.phraseAt(at, entry));
			if (phrase) {
				this.phrases.set(phrase.text, phrase.points);
				at += phrase.hashes.length - 1;
			} else if (isChinese(lower, start, end)) {
				this.findChinese(start, end);
			} else {
				if (entry && end - start >= MIN_LENGTH) this.take(entry, this.wordAt(at));
				if (before && end - start > 1) this.take(before, `${this.wordAt(at - 1)} ${this.wordAt(at)}`);
				pair = next;
			}
		}
	}

	private find(hash: number): Entry | undefined {
		const { entries, bits } = this.table;
		return ((bits[(hash & 0xffff) >> 3] as number) >> (hash & 7)) & 1 ? entries.get(hash) : undefined;
	}

	private wordAt(at: number): string {
		const { lower, words } = this.message;
		return lower.slice(words.starts[at], words.ends[at]);
	}

	/** Takes an entry with points if it has the text, as its hash said. */
	private take(entry: Entry, text: string): void {
		if (entry.points > 0 && entry.text === text) this.words.push(entry);
	}

	/** It is written without blanks: two or three characters count as a word. */
	private findChinese(start: number, end: number): void {
		const { lower } = this.message;
		for (let at = start; at + 2 <= end; at++) {
			for (let length = 2; length <= 3 && at + length <= end; length++) {
				const entry = this.find(hashOf(lower, at, at + length));
				if (entry) this.take(entry, lower.slice(at, at + length));
			}
		}
		this.size += Math.max(0, ((end - start) >> 1) - 1);
	}

	private phraseAt(at: number, { phrases }: Entry): Phrase | undefined {
		const { length, hashes } = this.message.words;
		for (const phrase of phrases) {
			const isLike = at + phrase.hashes.length <= length && phrase.hashes.every((hash, i) => hashes[at + i] === hash);
			if (isLike && phrase.hashes.map((_, i) => this.wordAt(at + i)).join(' ') === phrase.text) return phrase;
		}
		return undefined;
	}
}

function isChinese(lower: string, start: number, end: number): boolean {
	for (let at = start; at < end; at++) {
		const code = lower.charCodeAt(at);
		if (code < 0x4e00 || code > 0x9fff) return false;
	}
	return true;
}

export function judgeWords(message: Message): SpamReason | null {
	const { phrases: found, words, size } = new Finder(message);
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
