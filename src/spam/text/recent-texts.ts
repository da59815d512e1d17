/** The rule for texts that were sent lately, to any form of the mode: the same but for case, digits and punctuation, or nearly the same. */

import { DAY_MS } from '../../tasks/durations.ts';
import { plural } from '../../text/plural.ts';
import type { SpamReason } from '../verdict.ts';
import type { Message } from './message.ts';

/** A shorter text may well be sent twice, as `yes` is. */
const MIN_WORDS = 10;
const MAX_WORDS = 500;
const LATELY_MS = DAY_MS;
const MAX_POINTS = 2;
/** Number of texts that are found by their hash: the latest. */
const REMEMBERED = 4096;
/** Parts of the sketch of a text: the least hash of its runs of three words, for each eighth of all hashes. */
const PARTS = 8;
const PART_SHIFT = 29;
const VALUE_MASK = 0x1fffffff;
/** Texts with so many parts of the sketch in common are nearly the same: about six in ten runs of three words. */
const SAME_PARTS = 5;
const PRIME = 0x01000193;
const SLOTS = 8192;
/** Numbers that texts have in turn: as many as places of parts, which lead to older ones too. */
const NUMBERS = 65_536;

/** The sketch of the text that is counted. */
const sketch = new Int32Array(PARTS);

/** It holds numbers alone: each collection of garbage would look at thousands of objects. */
export function createRecentTexts(now: () => number = Date.now) {
	const hashes = new Int32Array(NUMBERS);
	const sketches = new Int32Array(NUMBERS * PARTS);
	/** How often each was sent before, and when last. */
	const times = new Int32Array(NUMBERS);
	const sentAt = new Float64Array(NUMBERS);
	let next = 0;
	const byHash = new Map<number, number>();
	/** Parts of sketches, and the last text with each. */
	const parts = new Int32Array(PARTS * SLOTS).fill(-2);
	const byPart = new Int32Array(PARTS * SLOTS);

	function find(hash: number): number | undefined {
		const same = byHash.get(hash);
		if (same !== undefined) return same;
		for (let part = 0; part < PARTS; part++) {
			const slot = slotOf(part);
			const one = byPart[slot] as number;
			if (parts[slot] === sketch[part] && commonParts(one) >= SAME_PARTS) return one;
		}
		return undefined;
	}

	function commonParts(text: number): number {
		let common = 0;
		for (let part = 0; part < PARTS; part++) if (sketches[text * PARTS + part] === sketch[part]) common++;
		return common;
	}

	function remember(hash: number, before: number, at: number): void {
		const text = next;
		next = (next + 1) % NUMBERS;
		const old = (text + NUMBERS - REMEMBERED) % NUMBERS;
		if (byHash.get(hashes[old] as number) === old) byHash.delete(hashes[old] as number);
		hashes[text] = hash;
		sketches.set(sketch, text * PARTS);
		times[text] = before;
		sentAt[text] = at;
		byHash.set(hash, text);
		for (let part = 0; part < PARTS; part++) {
			const slot = slotOf(part);
			parts[slot] = sketch[part] as number;
			byPart[slot] = text;
		}
	}

	return {
		/**
		 * How often a text like the longest one of a message came lately, and counts it; 0 if it is too short.
		 * @param before How often the very same data came, as far as is known.
		 */
		count(message: Message, before: number): { times: number; isSame: boolean } {
			const { count, hash } = setSketch(message);
			if (count < MIN_WORDS) return { times: 0, isSame: true };
			const at = now();
			const known = find(hash);
			if (known === undefined || Math.abs(at - (sentAt[known] as number)) > LATELY_MS) {
				remember(hash, before, at);
				return { times: before, isSame: true };
			}
			sentAt[known] = at;
			(times[known] as number)++;
			return { times: times[known] as number, isSame: hashes[known] === hash };
		},
	};
}

/** @param most The points that it may give. */
export function judgeRepetition(
	{ times, isSame }: { times: number; isSame: boolean },
	most: number,
): SpamReason | null {
	const counted = Math.min(times, MAX_POINTS);
	const points = Math.min(counted, most);
	if (points <= 0) return null;
	const often = counted === MAX_POINTS ? `${MAX_POINTS} times or more` : plural(counted, 'time');
	const bound = points < counted ? `, at most ${points}` : '';
	const detail = `${isSame ? 'The same text' : 'Nearly the same text'} came ${often} before within a day, 1 each${bound}`;
	return { rule: 'repeated', points, detail };
}

/** Where a part of the sketch has its place. */
function slotOf(part: number): number {
	return part * SLOTS + ((sketch[part] as number) & (SLOTS - 1));
}

/** Sketches the words of the longest text. */
function setSketch(message: Message): { count: number; hash: number } {
	const { length, hashes, starts, ends, longestStart, longestEnd } = message;
	sketch.fill(-1);
	let hash = 0;
	let count = 0;
	let [last, before] = [0, 0];
	for (let word = 0; word < length && count < MAX_WORDS; word++) {
		const start = starts[word] as number;
		if (start < longestStart || start === ends[word]) continue;
		if (start >= longestEnd) break;
		const one = hashes[word] as number;
		hash = Math.imul(hash ^ one, PRIME);
		if (++count > 2) {
			const run = Math.imul(Math.imul(before, PRIME) ^ last, PRIME) ^ one;
			const mixed = Math.imul(run ^ (run >>> 15), 0x2c1b3c6d);
			const part = mixed >>> PART_SHIFT;
			const value = mixed & VALUE_MASK;
			if (sketch[part] === -1 || value < (sketch[part] as number)) sketch[part] = value;
		}
		before = last;
		last = one;
	}
	return { count, hash };
}
