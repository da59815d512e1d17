/** A model is the sum of its lessons: un-learning is the exact reverse of learning, in whatever order. */

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
	addRow,
	bucketOf,
	type Counts,
	createCounts,
	createLesson,
	encodeCounts,
	encodeLesson,
	learn,
} from '../../../src/spam/bayes/counts.ts';
import { wordVerdict as verdictOf } from '../../../src/spam/bayes/verdict.ts';

const bucket = fc.oneof(fc.nat(50), fc.nat({ max: 0xffffffff }).map(bucketOf));
const mark = fc.record({ buckets: fc.array(bucket, { maxLength: 30 }), isSpam: fc.boolean() });

function teach(counts: Counts, { buckets, isSpam }: { buckets: number[]; isSpam: boolean }, times: 1 | -1): void {
	const lesson = createLesson();
	learn(lesson, buckets, { isSpam, times });
	addRow(counts, { ...lesson, counts: encodeLesson(lesson) });
}

describe('the counts of a model', () => {
	test('are byte-identical after learning and un-learning, whatever came between', () => {
		const counts = createCounts();
		fc.assert(
			fc.property(fc.array(mark, { maxLength: 8 }), fc.array(mark, { maxLength: 8 }), (kept, passing) => {
				counts.buckets.fill(0);
				counts.spam = 0;
				counts.ham = 0;
				for (const one of kept) teach(counts, one, 1);
				const before = { ...counts, text: encodeCounts(counts), buckets: undefined };
				for (const one of passing) teach(counts, one, 1);
				for (const one of passing.toReversed()) teach(counts, one, -1);
				expect({ ...counts, text: encodeCounts(counts), buckets: undefined }).toEqual(before);
			}),
			{ numRuns: 20 },
		);
	});

	test('are written in one way, as one lesson or the sum of many', () => {
		const buckets = [1, 5, 524_287, 0, 77];
		const lesson = createLesson();
		learn(lesson, buckets, { isSpam: true, times: 1 });
		learn(lesson, [5, 6], { isSpam: false, times: 1 });
		const sum = createCounts();
		teach(sum, { buckets: [5, 6], isSpam: false }, 1);
		teach(sum, { buckets, isSpam: true }, 1);
		expect(encodeCounts(sum)).toBe(encodeLesson(lesson));
	});

	test('count a submission once in a bucket that several of its tokens share', () => {
		const counts = createCounts();
		teach(counts, { buckets: [3, 3], isSpam: true }, 1);
		expect(counts.buckets[6]).toBe(1);
	});
});

describe('the verdict of a model', () => {
	/** Verdict on a submission that has a text only, unless told otherwise. */
	const wordVerdict = (counts: Counts, buckets: number[], partOf: string[] = buckets.map(() => 'text')) =>
		verdictOf(counts, buckets, partOf);

	/** 40 of spam with the buckets 1 and 2, 60 of others with 2 and 3. */
	function taught(spam = 40, ham = 60): Counts {
		const counts = createCounts();
		for (let i = 0; i < spam; i++) teach(counts, { buckets: [1, 2], isSpam: true }, 1);
		for (let i = 0; i < ham; i++) teach(counts, { buckets: [2, 3], isSpam: false }, 1);
		return counts;
	}

	test('is none below twenty of each kind', () => {
		expect(wordVerdict(taught(19, 60), [1])).toBeNull();
		expect(wordVerdict(taught(40, 19), [1])).toBeNull();
		expect(wordVerdict(taught(20, 20), [1])).not.toBeNull();
	});

	test('is what the formula of the docs says', () => {
		// Each has two tokens, so the lengths say nothing. Bucket 1: seen 40 times, always in spam. Share 0.1 + 3 × 40 / 100 = 1.3.
		const lengths = Math.log(121 / 60 / (81 / 40));
		const weight1 = (40 / 41) * (Math.log(41.3 / 43.2 / (1.3 / 63.2)) + lengths);
		// Bucket 3 is the mirror: share 0.1 + 3 × 60 / 100 = 1.9.
		const weight3 = (60 / 61) * (Math.log(1.9 / 43.2 / (61.9 / 63.2)) + lengths);
		const verdict = wordVerdict(taught(), [1, 3, 9]);
		expect(verdict?.weights[0]).toBeCloseTo(weight1, 10);
		expect(verdict?.weights[1]).toBeCloseTo(weight3, 10);
		expect(verdict?.weights[2]).toBe(0);
		const [certain1, certain3] = [Math.tanh(weight1 / 2), Math.tanh(-weight3 / 2)];
		const evidence = (certain1 * weight1 + certain3 * weight3) / Math.sqrt(certain1 + certain3);
		expect(verdict?.evidence).toBe(Math.round(100 * evidence) / 100);
		expect(verdict?.points).toBe(Math.round(10 * 1.2 * (verdict?.evidence ?? 0)) / 10);
	});

	test('is the sum of its parts, of which the text alone is corrected for its length', () => {
		const counts = createCounts();
		for (let i = 0; i < 40; i++) teach(counts, { buckets: [1, 2], isSpam: true }, 1);
		for (let i = 0; i < 60; i++) teach(counts, { buckets: [2, 3, 4, 5], isSpam: false }, 1);
		const lengths = Math.log(241 / 60 / (81 / 40));
		const weight1 = (40 / 41) * (Math.log(41.3 / 43.2 / (1.3 / 63.2)) + lengths);
		const weight3 = (60 / 61) * Math.log(1.9 / 43.2 / (61.9 / 63.2));
		const verdict = wordVerdict(counts, [1, 3, 9], ['text', '“name”', 'links']);
		expect(verdict?.weights[0]).toBeCloseTo(weight1, 10);
		expect(verdict?.weights[1]).toBeCloseTo(weight3, 10);
		const text = (Math.tanh(weight1 / 2) * weight1) / Math.sqrt(Math.max(0.5, Math.tanh(weight1 / 2)));
		const name = (Math.tanh(-weight3 / 2) * weight3) / Math.sqrt(Math.max(0.5, Math.tanh(-weight3 / 2)));
		const parts: [string, number][] = [
			['text', Math.round(100 * text) / 100],
			['“name”', Math.round(100 * name) / 100],
		];
		expect([...(verdict?.parts ?? [])]).toEqual(parts);
		expect(verdict?.evidence).toBe(Math.round(100 * (parts[0]?.[1] as number) + 100 * (parts[1]?.[1] as number)) / 100);
	});

	test('hears no part beyond six', () => {
		const counts = createCounts();
		const words = Array.from({ length: 50 }, (_, i) => i);
		for (let i = 0; i < 500; i++) {
			teach(counts, { buckets: [...words, 60], isSpam: true }, 1);
			teach(counts, { buckets: [100, 101], isSpam: false }, 1);
		}
		const partOf = [...words.map(() => 'text'), '“name”'];
		const { parts, evidence } = wordVerdict(counts, [...words, 100], partOf) ?? {};
		expect(parts?.get('text')).toBe(6);
		expect(evidence).toBeCloseTo(6 + (parts?.get('“name”') as number), 10);
	});

	test('leaves out that one kind has longer texts', () => {
		const counts = createCounts();
		const common = [1, 2, 3, 4];
		for (let i = 0; i < 40; i++) teach(counts, { buckets: [common[i % 4] as number], isSpam: true }, 1);
		for (let i = 0; i < 40; i++) teach(counts, { buckets: common, isSpam: false }, 1);
		expect(wordVerdict(counts, common)?.points).toBeCloseTo(0, 0);
	});

	test('is bounded to three points', () => {
		const counts = createCounts();
		const words = Array.from({ length: 50 }, (_, i) => i);
		for (let i = 0; i < 500; i++) {
			teach(counts, { buckets: words, isSpam: true }, 1);
			teach(counts, { buckets: [100, 101], isSpam: false }, 1);
		}
		expect(wordVerdict(counts, words)?.points).toBe(3);
		expect(wordVerdict(counts, [100, 101])?.points).toBe(-3);
	});

	test('is nothing for words that were never seen', () => {
		expect(wordVerdict(taught(), [7, 8])).toMatchObject({ points: 0, evidence: 0 });
	});
});
