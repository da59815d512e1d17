/**
 * Pure: the buckets of a row of a model, as a text of the database that is looked up in as it is. It is Base64 of numbers of 32 bits,
 * little-endian as the machine's own: how many buckets have small counts, the sums of all buckets, those with small counts, then the others,
 * each in ascending order. A table of all buckets would take 8 MiB for every form.
 */

import type { Change } from './counts.ts';

/** One number for a bucket: itself and both counts, if these are small; else three. */
const COUNT_BITS = 6;
const COUNT_MASK = (1 << COUNT_BITS) - 1;
const BOTH_BITS = 2 * COUNT_BITS;
const HEADER = 3;
const LARGE = 3;
/** The objects around the numbers, roughly. */
const OVERHEAD_BYTES = 1024;

export interface StoredRow extends Change {
	/** How many tokens the submissions of each kind had. */
	tokens: Change;
	bytes: number;
	/** Adds the row's counts of a bucket. */
	addTo(looked: Change, bucket: number): void;
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

/** Where buckets stand in ascending order: each of so many numbers, of which the first has it in its upper bits. */
interface Table {
	start: number;
	end: number;
	step: number;
	shift: number;
}

/** @param row With the text of {@link createRowWriter}. */
export function readRow({ spam, ham, counts }: Change & { counts: string }): StoredRow {
	const decoded = Uint8Array.fromBase64(counts);
	const numbers = new Uint32Array(decoded.buffer, decoded.byteOffset, decoded.length / Uint32Array.BYTES_PER_ELEMENT);
	const [smallCount = 0, inSpam = 0, inHam = 0] = numbers;
	// A damaged row, or one of another build, may say anything.
	const small = { start: HEADER, end: Math.min(HEADER + smallCount, numbers.length), step: 1, shift: BOTH_BITS };
	const large = { start: small.end, end: numbers.length, step: LARGE, shift: 0 };

	/** The place of a bucket; that of one behind it, or the end, if it is not there. */
	function find(bucket: number, { start, end, step, shift }: Table): number {
		let low = 0;
		let high = (end - start) / step;
		while (low < high) {
			const middle = (low + high) >> 1;
			if ((numbers[start + middle * step] as number) >>> shift < bucket) low = middle + 1;
			else high = middle;
		}
		return start + low * step;
	}

	return {
		spam,
		ham,
		tokens: { spam: inSpam | 0, ham: inHam | 0 },
		bytes: numbers.byteLength + OVERHEAD_BYTES,
		free: () => void decoded.buffer.transfer(0),
		addTo(looked, bucket) {
			let at = find(bucket, small);
			const found = numbers[at] as number;
			if (at < small.end && found >>> BOTH_BITS === bucket) {
				looked.spam += (found >>> COUNT_BITS) & COUNT_MASK;
				looked.ham += found & COUNT_MASK;
				return;
			}
			at = find(bucket, large);
			if (numbers[at] !== bucket) return;
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
