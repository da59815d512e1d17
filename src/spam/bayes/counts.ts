/**
 * Pure: in how many submissions each token is, of spam and of others. Tokens are counted in a fixed number of buckets, so a model is
 * bounded; sums of whole numbers, so un-learning is the exact reverse of learning.
 */

/** Change of a bucket. */
export interface Change {
	spam: number;
	ham: number;
}

/** The additions of some lessons: to the number of submissions, and to buckets. */
export interface Lesson extends Change {
	buckets: Map<number, Change>;
}

/** The part of a model that a verdict needs. */
export interface Model extends Change {
	/** The sums of all buckets: how many tokens the submissions of each kind had. */
	tokens: Change;
	/** Sets what is in a bucket. */
	look(bucket: number, looked: Change): void;
}

/** A model that rows are added to, with all buckets. */
export interface Counts extends Model {
	/** Spam and ham of each bucket in turn. */
	buckets: Int32Array;
}

/** Bits of the number of buckets. */
export const BUCKET_BITS = 20;

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
export function addRow(counts: Counts, { spam, ham, counts: text }: Change & { counts: string }): void {
	const { buckets, tokens } = counts;
	counts.spam += spam;
	counts.ham += ham;
	const bytes = Uint8Array.fromBase64(text);
	let at = 0;
	const read = () => {
		let value = 0;
		for (let shift = 0; ; shift += 7) {
			const byte = bytes[at++] as number;
			value |= (byte & 0x7f) << shift;
			if (byte < 0x80) return value;
		}
	};
	const readSigned = () => {
		const value = read();
		return (value >>> 1) ^ -(value & 1);
	};
	let bucket = -1;
	while (at < bytes.length) {
		bucket += read();
		const inSpam = readSigned();
		const inHam = readSigned();
		(buckets[2 * bucket] as number) += inSpam;
		(buckets[2 * bucket + 1] as number) += inHam;
		tokens.spam += inSpam;
		tokens.ham += inHam;
	}
}

/** One text for one lesson: what is not zero, in order. */
export function encodeLesson({ buckets }: Lesson): string {
	const writer = createWriter();
	for (const [bucket, { spam, ham }] of [...buckets].sort(([a], [b]) => a - b)) writer.add(bucket, spam, ham);
	return writer.text();
}

/** The same of a whole model. */
export function encodeCounts({ buckets }: Counts): string {
	const writer = createWriter();
	for (let at = 0; at < buckets.length; at += 2) writer.add(at / 2, buckets[at] as number, buckets[at + 1] as number);
	return writer.text();
}

/** Writes buckets in ascending order: the step from the one before, and both counts, as variable-length numbers in Base64. */
function createWriter() {
	let bytes = new Uint8Array(1024);
	let length = 0;
	let last = -1;

	function write(value: number): void {
		let rest = value;
		for (; rest > 0x7f; rest >>>= 7) bytes[length++] = (rest & 0x7f) | 0x80;
		bytes[length++] = rest;
	}
	const writeSigned = (value: number) => write(((value << 1) ^ (value >> 31)) >>> 0);

	return {
		add(bucket: number, spam: number, ham: number): void {
			if (spam === 0 && ham === 0) return;
			if (length + 16 > bytes.length) bytes = grow(bytes);
			write(bucket - last);
			writeSigned(spam);
			writeSigned(ham);
			last = bucket;
		},
		text: () => bytes.subarray(0, length).toBase64(),
	};
}

function grow(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
	const larger = new Uint8Array(2 * bytes.length);
	larger.set(bytes);
	return larger;
}
