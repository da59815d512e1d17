/**
 * Pure: what a word model says of a submission. Naive Bayes on the presence of tokens, careful where it has seen little; docs/spam.md
 * has the formula in words.
 */

import type { Counts } from './counts.ts';

/** Fewer submissions of either kind teach too little. */
export const MIN_MARKS = 20;
export const MAX_POINTS = 3;
/** So many more submissions, half of each kind, are imagined in which each token is as frequent as in all. */
const PRIOR = 3;
/** Against tokens that one kind never had. */
const FLOOR = 0.1;
/** A submission of few and doubtful words has no more evidence than they give. */
const MIN_CERTAINTY = 0.5;
const POINTS_PER_EVIDENCE = 5 / 4;

export interface WordVerdict {
	/** Rounded to a tenth. */
	points: number;
	/** The weights of the known tokens, each times its certainty, divided by the square root of all certainty; rounded to a hundredth. */
	evidence: number;
	/** Of each token, in the order of the buckets: above zero for spam, below for others, zero if unknown. */
	weights: number[];
}

export const isTrained = ({ spam, ham }: Pick<Counts, 'spam' | 'ham'>): boolean =>
	spam >= MIN_MARKS && ham >= MIN_MARKS;

/** `null` if the model has too little to say anything. */
export function wordVerdict(counts: Counts, buckets: readonly number[]): WordVerdict | null {
	if (!isTrained(counts)) return null;
	const weightOf = createWeights(counts);
	const weights = buckets.map(weightOf);
	let sum = 0;
	let certainty = 0;
	for (const weight of weights) {
		const certain = Math.tanh(Math.abs(weight) / 2);
		sum += certain * weight;
		certainty += certain;
	}
	const evidence = Math.round((100 * sum) / Math.sqrt(Math.max(MIN_CERTAINTY, certainty))) / 100;
	const points = Math.max(-MAX_POINTS, Math.min(MAX_POINTS, POINTS_PER_EVIDENCE * evidence));
	return { points: Math.round(10 * points) / 10, evidence, weights };
}

/** How much each bucket says: above zero for spam, below for others. */
function createWeights({ spam, ham, buckets, tokens }: Counts): (bucket: number) => number {
	const whole = 2 * FLOOR + PRIOR;
	// Of two kinds the one with the longer texts has more of any word.
	const lengths = Math.log((tokens.ham + 1) / ham / ((tokens.spam + 1) / spam));
	const base = lengths - Math.log((spam + whole) / (ham + whole));
	return (bucket) => {
		const inSpam = buckets[2 * bucket] as number;
		const inHam = buckets[2 * bucket + 1] as number;
		const seen = inSpam + inHam;
		if (seen === 0) return 0;
		const share = FLOOR + (PRIOR * seen) / (spam + ham);
		return (seen / (seen + 1)) * (Math.log((inSpam + share) / (inHam + share)) + base);
	};
}
