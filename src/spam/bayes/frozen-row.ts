/**
 * Pure: a row of a model in memory, to look up buckets in: some five bytes for each token that was seen, where a table of all buckets
 * would take 8 MiB for every form.
 */

import { BUCKET_BITS, type Change } from './counts.ts';

/** One number of 32 bits for each bucket: itself and both counts, if these are small; else they stand apart. */
const COUNT_BITS = 6;
const COUNT_MASK = (1 << COUNT_BITS) - 1;
const BOTH_BITS = 2 * COUNT_BITS;
const APART = (1 << BOTH_BITS) - 1;
/** Neighbouring buckets are found together; so many of those that were seen. */
const BLOCK_BUCKETS = 8;
/** Size of counts that are stored apart, in memory. */
const LARGE_BYTES = 100;
/** The objects around the bytes, roughly. */
const OVERHEAD_BYTES = 1024;

export interface FrozenRow extends Change {
	/** How many tokens the submissions of each kind had. */
	tokens: Change;
	bytes: number;
	/** Adds what the row says of a bucket. */
	addTo(looked: Change, bucket: number): void;
}

/** @param row With the text of `encodeLesson` or `encodeCounts`. */
export function freezeRow({ spam, ham, counts }: Change & { counts: string }): FrozenRow {
	const bytes = Uint8Array.fromBase64(counts);
	let numbers = 0;
	for (let at = 0; at < bytes.length; at++) if ((bytes[at] as number) < 0x80) numbers++;
	const seen = new Uint32Array(numbers / 3);
	const blockBits = Math.min(BUCKET_BITS, Math.ceil(Math.log2(Math.max(1, seen.length / BLOCK_BUCKETS))));
	const shift = BUCKET_BITS - blockBits;
	/** The beginning of each block. */
	const begins = new Uint32Array((1 << blockBits) + 1);
	const large = new Map<number, Change>();
	const tokens = { spam: 0, ham: 0 };
	let at = 0;

	function read(): number {
		let byte = bytes[at++] as number;
		let value = byte & 0x7f;
		for (let bits = 7; byte >= 0x80; bits += 7) {
			byte = bytes[at++] as number;
			value |= (byte & 0x7f) << bits;
		}
		return value;
	}

	let block = 0;
	let bucket = -1;
	for (let place = 0; place < seen.length; place++) {
		bucket += read();
		while (block <= bucket >>> shift) begins[block++] = place;
		const inSpam = read();
		const inHam = read();
		const isSmall = (inSpam | inHam) <= 2 * COUNT_MASK && ((inSpam | inHam) & 1) === 0;
		const both = isSmall ? ((inSpam >>> 1) << COUNT_BITS) | (inHam >>> 1) : APART;
		seen[place] = (bucket << BOTH_BITS) | both;
		if (both === APART) large.set(bucket, { spam: signed(inSpam), ham: signed(inHam) });
		tokens.spam += signed(inSpam);
		tokens.ham += signed(inHam);
	}
	begins.fill(seen.length, block);

	return {
		spam,
		ham,
		tokens,
		bytes: seen.byteLength + begins.byteLength + LARGE_BYTES * large.size + OVERHEAD_BYTES,
		addTo(looked, wanted) {
			const end = begins[(wanted >>> shift) + 1] as number;
			for (let place = begins[wanted >>> shift] as number; place < end; place++) {
				const found = seen[place] as number;
				if (found >>> BOTH_BITS !== wanted) continue;
				const apart = (found & APART) === APART ? large.get(wanted) : undefined;
				looked.spam += apart ? apart.spam : (found >>> COUNT_BITS) & COUNT_MASK;
				looked.ham += apart ? apart.ham : found & COUNT_MASK;
				return;
			}
		},
	};
}

/** A number as it is written, with its sign last. */
const signed = (written: number): number => (written >>> 1) ^ -(written & 1);
