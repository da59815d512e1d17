/**
 * Pure: in how many submissions each token is, of spam and of others. Tokens are counted in a fixed number of buckets, so a model is
 * bounded; sums of whole numbers, so un-learning is the exact reverse of learning.
 */

import { BUCKET_BITS, createRowWriter, readRow } from './stored-row.ts';

/** How many of each kind: submissions of a model, or tokens of a bucket. */
export interface KindCounts {
	spam: number;
	ham: number;
}

/** The additions of some lessons: to the number of submissions, and to buckets. */
export interface Lesson extends KindCounts {
	buckets: Map<number, KindCounts>;
}

/** The part of a model that a verdict needs. */
export interface Model extends KindCounts {
	/** The sums of all buckets: how many tokens the submissions of each kind had. */
	tokens: KindCounts;
	/** Sets the counts of a bucket. */
	look(bucket: number, looked: KindCounts): void;
}

/** A model that rows are added to, with all buckets. */
export interface Counts extends Model {
	/** Spam and ham of each bucket in turn. */
	buckets: Int32Array;
}

export const bucketOf = (hash: number): number => hash >>> (32 - BUCKET_BITS);

export function createLesson(): Lesson {
	return { spam: 0, ham: 0, buckets: new Map() };
}

/**
 * Adds a submission to a lesson, or takes it away.
 * @param buckets Of its tokens. One that several share counts once.
 */
export function learn(
	lesson: Lesson,
	buckets: readonly number[],
	{ isSpam, times }: { isSpam: boolean; times: 1 | -1 },
) {
	const kind = isSpam ? 'spam' : 'ham';
	lesson[kind] += times;
	for (const bucket of new Set(buckets)) {
		let change = lesson.buckets.get(bucket);
		if (!change) {
			change = { spam: 0, ham: 0 };
			lesson.buckets.set(bucket, change);
		}
		change[kind] += times;
	}
}

export function createCounts(): Counts {
	const buckets = new Int32Array(2 << BUCKET_BITS);
	return {
		spam: 0,
		ham: 0,
		tokens: { spam: 0, ham: 0 },
		buckets,
		look(bucket, looked) {
			looked.spam = buckets[2 * bucket] as number;
			looked.ham = buckets[2 * bucket + 1] as number;
		},
	};
}

/** Adds a row of a model, with the text that {@link encodeLesson} or {@link encodeCounts} wrote. */
export function addRow(counts: Counts, stored: KindCounts & { counts: string }): void {
	const { buckets, tokens } = counts;
	const row = readRow(stored);
	counts.spam += row.spam;
	counts.ham += row.ham;
	tokens.spam += row.tokens.spam;
	tokens.ham += row.tokens.ham;
	row.forEach((bucket, inSpam, inHam) => {
		(buckets[2 * bucket] as number) += inSpam;
		(buckets[2 * bucket + 1] as number) += inHam;
	});
}

/** Encodes a lesson: its nonzero counts, in order. */
export function encodeLesson({ buckets }: Lesson): string {
	const writer = createRowWriter();
	for (const [bucket, { spam, ham }] of [...buckets].sort(([a], [b]) => a - b)) writer.add(bucket, spam, ham);
	return writer.text();
}

/** The same of a whole model. */
export function encodeCounts({ buckets }: Counts): string {
	const writer = createRowWriter();
	for (let at = 0; at < buckets.length; at += 2) writer.add(at / 2, buckets[at] as number, buckets[at + 1] as number);
	return writer.text();
}
