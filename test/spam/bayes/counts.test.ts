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
import { wordVerdict } from '../../../src/spam/bayes/verdict.ts';

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
		// Bucket 1: seen 40 times, always in spam. Share 0.1 + 10 × 40 / 100 = 4.1; (44.1 / 50.2) / (4.1 / 70.2) = 15.04.
		const weight1 = (40 / 41) * Math.log(44.1 / 50.2 / (4.1 / 70.2));
		// Bucket 3 is the mirror: share 0.1 + 10 × 60 / 100 = 6.1.
		const weight3 = (60 / 61) * Math.log(6.1 / 50.2 / (66.1 / 70.2));
		const verdict = wordVerdict(taught(), [1, 3, 9]);
		expect(verdict?.weights).toEqual([weight1, weight3, 0]);
		const evidence = (weight1 + weight3) / Math.sqrt(2);
		expect(verdict?.evidence).toBe(Math.round(100 * evidence) / 100);
		expect(verdict?.points).toBe(Math.round((10 * (2 * (verdict?.evidence ?? 0))) / 3) / 10);
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
