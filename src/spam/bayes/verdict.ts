/**
 * Pure: what a word model says of a submission. Naive Bayes on the presence of tokens, careful where it has seen little, of each part of
 * the submission by itself; docs/spam-figures.md has the formula in words.
 */

import type { KindCounts, Model } from './counts.ts';
import { TEXT_PART } from './tokens.ts';

/** Fewer submissions of either kind teach too little. */
const MIN_MARKS = 20;
export const MAX_POINTS = 3;
/** Weight of the prior: imagined submissions, half of each kind, in which each token is as frequent as in all. */
const PRIOR = 3;
/** Against tokens that one kind never had. */
const FLOOR = 0.1;
/** The least divisor, so that a part of few and doubtful words gets no more evidence than they give. */
const MIN_CERTAINTY = 0.5;
/** Limit of a part's evidence, either way: a long text repeats itself, and the other parts count beside it. */
const MAX_EVIDENCE = 6;
const POINTS_PER_EVIDENCE = 1.2;

export interface WordVerdict {
	/** Rounded to a tenth. */
	points: number;
	/** The sum of the parts, rounded to a hundredth. */
	evidence: number;
	/**
	 * For each part with known tokens: their weights, each times its certainty, divided by the square root of all certainty; rounded to a
	 * hundredth.
	 */
	parts: Map<string, number>;
	/** Weight of each token, in the order of the buckets: above zero for spam, below for others, zero if unknown. */
	weights: number[];
}

interface Sum {
	weight: number;
	certainty: number;
}

export const isTrained = ({ spam, ham }: KindCounts): boolean => spam >= MIN_MARKS && ham >= MIN_MARKS;

/**
 * `null` if the model has too little to say anything.
 * @param partOf To which part each of the buckets belongs, in the same order.
 */
export function wordVerdict(model: Model, buckets: readonly number[], partOf: readonly string[]): WordVerdict | null {
	if (!isTrained(model)) return null;
	const weightOf = createWeights(model);
	const sums = new Map<string, Sum>();
	let part = '';
	let sum: Sum = { weight: 0, certainty: 0 };
	const weights: number[] = [];
	for (let at = 0; at < buckets.length; at++) {
		// Those of a part mostly follow one another.
		if (partOf[at] !== part) {
			part = partOf[at] as string;
			sum = sums.get(part) ?? { weight: 0, certainty: 0 };
			sums.set(part, sum);
		}
		const weight = weightOf(buckets[at] as number, part === TEXT_PART);
		weights.push(weight);
		if (weight === 0) continue;
		const certainty = Math.tanh(Math.abs(weight) / 2);
		sum.weight += certainty * weight;
		sum.certainty += certainty;
	}
	const parts = new Map<string, number>();
	let evidence = 0;
	for (const [name, { weight, certainty }] of sums) {
		if (certainty === 0) continue;
		const said = round(bound(weight / Math.sqrt(Math.max(MIN_CERTAINTY, certainty)), MAX_EVIDENCE), 100);
		parts.set(name, said);
		evidence += said;
	}
	evidence = round(evidence, 100);
	return { points: round(bound(POINTS_PER_EVIDENCE * evidence, MAX_POINTS), 10), evidence, parts, weights };
}

const bound = (value: number, most: number): number => Math.max(-most, Math.min(most, value));
const round = (value: number, steps: number): number => Math.round(steps * value) / steps;

/** How much each bucket says: above zero for spam, below for others. */
function createWeights(model: Model): (bucket: number, isOfText: boolean) => number {
	const { spam, ham, tokens } = model;
	const looked = { spam: 0, ham: 0 };
	const whole = 2 * FLOOR + PRIOR;
	const base = Math.log((ham + whole) / (spam + whole));
	// The kind with the longer texts has more of any word.
	const lengths = Math.log((tokens.ham + 1) / ham / ((tokens.spam + 1) / spam));
	return (bucket, isOfText) => {
		model.look(bucket, looked);
		const { spam: inSpam, ham: inHam } = looked;
		const seen = inSpam + inHam;
		if (seen === 0) return 0;
		const share = FLOOR + (PRIOR * seen) / (spam + ham);
		return (seen / (seen + 1)) * (Math.log((inSpam + share) / (inHam + share)) + base + (isOfText ? lengths : 0));
	};
}
