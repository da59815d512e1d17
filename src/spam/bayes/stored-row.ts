/**
 * Pure: the buckets of a row of a model, as a text of the database that is looked up in as it is. It is Base64 of numbers of 32 bits,
 * little-endian as the machine's own: how many buckets have small counts, the sums of all buckets, those with small counts, then the others,
 * each in ascending order. A table of all buckets would take 8 MiB for every form.
 */

import type { KindCounts } from './counts.ts';

/** One number for a bucket: itself and both counts, if these are small; else three. */
const COUNT_BITS = 6;
const COUNT_MASK = (1 << COUNT_BITS) - 1;
const BOTH_BITS = 2 * COUNT_BITS;
/** Bits of the number of buckets. */
export const BUCKET_BITS = 32 - BOTH_BITS;
const BUCKETS_OF_BEGINNING = 8;
const HEADER = 3;
const LARGE = 3;
/** The objects around the numbers, roughly. */
const OVERHEAD_BYTES = 1024;

export interface StoredRow extends KindCounts {
	/** How many tokens the submissions of each kind had. */
	tokens: KindCounts;
	bytes: number;
	addTo(looked: KindCounts, bucket: number): void;
	/** Calls for each bucket, in no order. */
	forEach(add: (bucket: number, spam: number, ham: number) => void): void;
	/** Gives its memory back at once rather than at some later time; nothing is to be asked of it then. */
	free(): void;
}

/** Writes buckets in ascending order. */
export function createRowWriter() {
	const small: number[] = [];
	const large: number[] = [];
	const tokens = { spam: 0, ham: 0 };
	return {
		add(bucket: number, spam: number, ham: number): void {
			if (spam === 0 && ham === 0) return;
			tokens.spam += spam;
			tokens.ham += ham;
			const isSmall = spam >= 0 && ham >= 0 && spam <= COUNT_MASK && ham <= COUNT_MASK;
			if (isSmall) small.push(((bucket << BOTH_BITS) | (spam << COUNT_BITS) | ham) >>> 0);
			else large.push(bucket, spam, ham);
		},
		/** Empty without a bucket. */
		text(): string {
			if (small.length + large.length === 0) return '';
			const numbers = new Uint32Array(HEADER + small.length + large.length);
			numbers.set([small.length, tokens.spam, tokens.ham]);
			numbers.set(small, HEADER);
			numbers.set(large, HEADER + small.length);
			return new Uint8Array(numbers.buffer).toBase64();
		},
	};
}

/** Where buckets stand: each of so many numbers, of which the first has it in its upper bits. */
interface Table {
	start: number;
	end: number;
	step: number;
	shift: number;
}

/** @param row With the text of {@link createRowWriter}. */
export function readRow({ spam, ham, counts }: KindCounts & { counts: string }): StoredRow {
	const decoded = Uint8Array.fromBase64(counts);
	const numbers = new Uint32Array(decoded.buffer, decoded.byteOffset, decoded.length / Uint32Array.BYTES_PER_ELEMENT);
	const [smallCount = 0, inSpam = 0, inHam = 0] = numbers;
	// A damaged row, or one of another build, may say anything.
	const small = { start: HEADER, end: Math.min(HEADER + smallCount, numbers.length), step: 1, shift: BOTH_BITS };
	const large = { start: small.end, end: numbers.length, step: LARGE, shift: 0 };
	const findSmall = createFinder(numbers, small);
	const findLarge = createFinder(numbers, large);

	return {
		spam,
		ham,
		tokens: { spam: inSpam | 0, ham: inHam | 0 },
		bytes: numbers.byteLength * (1 + 1 / BUCKETS_OF_BEGINNING) + OVERHEAD_BYTES,
		free: () => void decoded.buffer.transfer(0),
		addTo(looked, bucket) {
			let at = findSmall(bucket);
			if (at !== -1) {
				const found = numbers[at] as number;
				looked.spam += (found >>> COUNT_BITS) & COUNT_MASK;
				looked.ham += found & COUNT_MASK;
				return;
			}
			at = findLarge(bucket);
			if (at === -1) return;
			looked.spam += (numbers[at + 1] as number) | 0;
			looked.ham += (numbers[at + 2] as number) | 0;
		},
		forEach(add) {
			for (let at = small.start; at < small.end; at++) {
				const one = numbers[at] as number;
				add(one >>> BOTH_BITS, (one >>> COUNT_BITS) & COUNT_MASK, one & COUNT_MASK);
			}
			for (let at = large.start; at < large.end; at += LARGE) {
				add(numbers[at] as number, (numbers[at + 1] as number) | 0, (numbers[at + 2] as number) | 0);
			}
		},
	};
}

/** Finds the place of a bucket, or -1, by a table of where those with the same upper bits begin: some eight of them. */
function createFinder(numbers: Uint32Array, { start, end, step, shift }: Table): (bucket: number) => number {
	const bits = Math.max(1, Math.floor(Math.log2((end - start) / step / BUCKETS_OF_BEGINNING)));
	const rest = BUCKET_BITS - bits + shift;
	const beginnings = new Uint32Array((1 << bits) + 1).fill(end);
	for (let at = end - step; at >= start; at -= step) beginnings[(numbers[at] as number) >>> rest] = at;
	return (bucket) => {
		for (let at = beginnings[bucket >>> (BUCKET_BITS - bits)] as number; at < end; at += step) {
			const found = (numbers[at] as number) >>> shift;
			if (found >= bucket) return found === bucket ? at : -1;
		}
		return -1;
	};
}
