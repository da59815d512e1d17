/**
 * Half of a set of submissions teaches what the other half needs, in any script. The sets are made here; what public ones show
 * stands in docs/spam-figures.md, measured by bench/spam.ts.
 */

import { expect, test } from 'bun:test';
import { type Marked, measure, percent } from './corpus.ts';

const MESSAGES = 2000;
const SPAM_SHARE = 0.3;

/** A generator of numbers from 0 to 1, always the same. */
function createRandom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
		return state / 2 ** 32;
	};
}

interface Script {
	syllables: string[];
	/** Syllables of a word. */
	length: number;
	/** Between words. */
	space: string;
}

/** Phrases of a language that never was: two or three words of syllables of its script. */
function phrases({ syllables, length, space }: Script, { count, random }: { count: number; random: () => number }) {
	const pick = () => syllables[Math.floor(random() * syllables.length)] as string;
	const word = () => Array.from({ length }, pick).join('');
	return Array.from({ length: count }, () => Array.from({ length: random() < 0.5 ? 2 : 3 }, word).join(space));
}

/** Both kinds share a third of their phrases; each has some of its own, and now and then one of the other. */
function makeSet(script: Script, seed: number): Marked[] {
	const random = createRandom(seed);
	const [common, spam, ham] = [200, 150, 150].map((count) => phrases(script, { count, random }));
	const pick = (from: string[] = []) => from[Math.floor(random() ** 2 * from.length)] as string;
	return Array.from({ length: MESSAGES }, () => {
		const isSpam = random() < SPAM_SHARE;
		const [own, other] = isSpam ? [spam, ham] : [ham, spam];
		const message = Array.from({ length: 10 + Math.floor(14 * random()) }, () => {
			const chance = random();
			if (chance < 0.35) return pick(common);
			return pick(chance < 0.98 ? own : other);
		});
		return { spam: isSpam, data: { message: message.join(script.space) } };
	});
}

const spaced = (syllables: string): Script => ({ syllables: syllables.split(' '), length: 3, space: ' ' });
const unspaced: Script = {
	syllables: Array.from({ length: 300 }, (_, i) => String.fromCodePoint(0x4e00 + 7 * i)),
	length: 2,
	space: '',
};

const SETS: Record<string, Marked[]> = {
	Latin: makeSet(spaced('ba der kon ti lu mar sche pro vi ent gra no'), 1),
	Cyrillic: makeSet(spaced('ба дер кон ти лу мар ще про ви ент гра но'), 2),
	Arabic: makeSet(spaced('با در كن تي لو مر شي بر في نت قر نو'), 3),
	Chinese: makeSet(unspaced, 4),
};

test.each(Object.entries(SETS))(
	'%s: what half of it taught finds 97 of 100, and takes none for spam that is none',
	(_name, set) => {
		const { before, after } = measure(set);
		expect(before.ham.found).toBe(0);
		expect(percent(after.spam)).toBeGreaterThanOrEqual(97);
		expect(percent(after.ham)).toBeLessThanOrEqual(0.2);
	},
	30_000,
);
