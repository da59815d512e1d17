/**
 * Pure: what a word model says of a submission. Naive Bayes on the presence of tokens, careful where it has seen little; docs/spam.md
 * has the formula in words.
 */

import type { Counts } from './counts.ts';

/** Fewer submissions of either kind teach too little. */
export const MIN_MARKS = 20;
export const MAX_POINTS = 3;
/** So many more submissions, half of each kind, are imagined in which each token is as frequent as in all. */
const PRIOR = 10;
/** Against tokens that one kind never had. */
const FLOOR = 0.1;
const POINTS_PER_EVIDENCE = 2 / 3;

export interface WordVerdict {
	/** Rounded to a tenth. */
	points: number;
	/** The weights of the known tokens, added up and divided by the square root of their number; rounded to a hundredth. */
	evidence: number;
	/** Of each token, in the order of the buckets: above zero for spam, below for others, zero if unknown. */
	weights: number[];
}

export const isTrained = ({ spam, ham }: Pick<Counts, 'spam' | 'ham'>): boolean =>
	spam >= MIN_MARKS && ham >= MIN_MARKS;

/** `null` if the model has too little to say anything. */
export function wordVerdict(counts: Counts, buckets: readonly number[]): WordVerdict | null {
	if (!isTrained(counts)) return null;
	const weights = buckets.map((bucket) => weightOf(counts, bucket));
	let sum = 0;
	let known = 0;
	for (const weight of weights) {
		if (weight === 0) continue;
		sum += weight;
		known++;
	}
	const evidence = known === 0 ? 0 : Math.round((100 * sum) / Math.sqrt(known)) / 100;
	const points = Math.max(-MAX_POINTS, Math.min(MAX_POINTS, POINTS_PER_EVIDENCE * evidence));
	return { points: Math.round(10 * points) / 10, evidence, weights };
}

function weightOf({ spam, ham, buckets }: Counts, bucket: number): number {
	const inSpam = buckets[2 * bucket] as number;
	const inHam = buckets[2 * bucket + 1] as number;
	const seen = inSpam + inHam;
	if (seen === 0) return 0;
	const share = FLOOR + (PRIOR * seen) / (spam + ham);
	const whole = 2 * FLOOR + PRIOR;
	const odds = (inSpam + share) / (spam + whole) / ((inHam + share) / (ham + whole));
	return (seen / (seen + 1)) * Math.log(odds);
}
