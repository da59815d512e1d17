/** The rule for words that spam has far more often than genuine messages. */

import { lazy } from '../../tasks/lazy.ts';
import type { SpamReason } from '../verdict.ts';
import { describeDivisor, divisorOf, type Message } from './message.ts';
import type * as Offers from './offer-phrases.ts';
import type * as Signals from './signal-words.ts';

/** Only so many of the words count, those with the most points; in longer texts they count for less. */
const MAX_SIGNALS = 15;
const MAX_POINTS = 6;
const MIN_LENGTH = 3;
/** Chinese is written without blanks: two or three characters count as a word. */
const IDEOGRAPHS = /^[\u4e00-\u9fff]+$/;

const pointsOf: () => ReadonlyMap<string, number> = lazy(() => {
	const { SIGNAL_WORDS } = require('./signal-words.ts') as typeof Signals;
	return new Map(SIGNAL_WORDS.flatMap(([points, words]) => words.split(/,\s+/).map((word) => [word, points] as const)));
});

/** Phrases by their first word, the longest first. */
const phrasesOf: () => ReadonlyMap<string, readonly Phrase[]> = lazy(() => {
	const { OFFER_PHRASES } = require('./offer-phrases.ts') as typeof Offers;
	const all = OFFER_PHRASES.flatMap(([points, texts]) =>
		texts.split(/,\s+/).map((text) => ({ text, words: text.split(' '), points })),
	);
	return Map.groupBy(
		all.sort((a, b) => b.words.length - a.words.length),
		({ words }) => words[0] as string,
	);
});

interface Phrase {
	text: string;
	words: readonly string[];
	points: number;
}

/** Finds phrases, and returns the words with an empty one in the place of each phrase: its words say nothing more. */
function takePhrases(words: readonly string[], found: Map<string, number>): readonly string[] {
	const known = phrasesOf();
	const rest: string[] = [];
	for (let at = 0; at < words.length; at++) {
		const word = words[at] as string;
		const phrase = known.get(word)?.find((one) => one.words.every((said, i) => words[at + i] === said));
		if (phrase) {
			found.set(phrase.text, phrase.points);
			at += phrase.words.length - 1;
		}
		rest.push(phrase ? '' : word);
	}
	return rest;
}

export function judgeWords({ words, count }: Message): SpamReason | null {
	const found = new Map<string, number>();
	const known = pointsOf();
	const look = (word: string) => {
		const points = known.get(word);
		if (points !== undefined) found.set(word, points);
	};
	let before = '';
	let size = count;
	for (const word of takePhrases(words, found)) {
		if (IDEOGRAPHS.test(word)) {
			for (let i = 0; i + 2 <= word.length; i++) {
				look(word.slice(i, i + 2));
				look(word.slice(i, i + 3));
			}
			size += Math.max(0, (word.length >> 1) - 1);
			before = '';
			continue;
		}
		if (word.length >= MIN_LENGTH) look(word);
		if (before !== '' && word.length > 1) look(`${before} ${word}`);
		before = word;
	}
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
