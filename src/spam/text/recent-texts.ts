/** The rule for texts that were sent lately, to any form of the mode: the same but for case, digits and punctuation, or nearly the same. */

import { plural } from '../../text/plural.ts';
import type { SpamReason } from '../verdict.ts';
import type { Message } from './message.ts';

/** A shorter text may well be sent twice, as `yes` is. */
const MIN_WORDS = 10;
const MAX_WORDS = 500;
const LATELY_MS = 24 * 3600_000;
const MAX_POINTS = 2;
/** Number of remembered texts; a ring. */
const REMEMBERED = 4096;
/** Parts of the sketch of a text: the least hash of its runs of three words, for each eighth of all hashes. */
const PARTS = 8;
const PART_SHIFT = 29;
const VALUE_MASK = 0x1fffffff;
/** Texts with so many parts of the sketch in common are nearly the same: about six in ten runs of three words. */
const SAME_PARTS = 5;
const PRIME = 0x01000193;
const SLOTS = 8192;

interface Remembered {
	hash: number;
	sketch: readonly number[];
	/** How often it was sent before. */
	times: number;
	at: number;
}

export type RecentTexts = ReturnType<typeof createRecentTexts>;

export function createRecentTexts(now: () => number = Date.now) {
	const ring: Remembered[] = [];
	let next = 0;
	const byHash = new Map<number, Remembered>();
	/** Parts of sketches, and the last text with each. */
	const parts = new Int32Array(PARTS * SLOTS);
	const entries = new Array<Remembered | undefined>(PARTS * SLOTS);

	function find(hash: number, sketch: readonly number[]): Remembered | undefined {
		const same = byHash.get(hash);
		if (same) return same;
		for (let part = 0; part < PARTS; part++) {
			const slot = slotOf(part, sketch[part] as number);
			const one = parts[slot] === sketch[part] ? entries[slot] : undefined;
			if (one && commonParts(one.sketch, sketch) >= SAME_PARTS) return one;
		}
		return undefined;
	}

	function remember(entry: Remembered): void {
		const old = ring[next];
		if (old && byHash.get(old.hash) === old) byHash.delete(old.hash);
		ring[next] = entry;
		next = (next + 1) % REMEMBERED;
		byHash.set(entry.hash, entry);
		for (let part = 0; part < PARTS; part++) {
			const slot = slotOf(part, entry.sketch[part] as number);
			entries[slot] = entry;
			parts[slot] = entry.sketch[part] as number;
		}
	}

	return {
		/**
		 * How often a text like the longest one of a message came lately, and counts it; 0 if it is too short.
		 * @param before How often the very same data came, as far as is known.
		 */
		count(message: Message, before: number): { times: number; isSame: boolean } {
			const { count, hash, sketch } = sketchOf(message);
			if (count < MIN_WORDS) return { times: 0, isSame: true };
			const at = now();
			const known = find(hash, sketch);
			if (!known || Math.abs(at - known.at) > LATELY_MS) {
				remember({ hash, sketch, times: before, at });
				return { times: before, isSame: true };
			}
			known.times++;
			known.at = at;
			return { times: known.times, isSame: known.hash === hash };
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
	// A flood of one text has one reason, which is not made anew for each.
	if (points === MAX_POINTS) return isSame ? SAME_OFTEN : NEARLY_OFTEN;
	return reasonOf(counted, points, isSame);
}

function reasonOf(counted: number, points: number, isSame: boolean): SpamReason {
	const often = counted === MAX_POINTS ? `${MAX_POINTS} times or more` : plural(counted, 'time');
	const bound = points < counted ? `, at most ${points}` : '';
	const detail = `${isSame ? 'The same text' : 'Nearly the same text'} came ${often} before within a day, 1 each${bound}`;
	return { rule: 'repeated', points, detail };
}

const SAME_OFTEN = reasonOf(MAX_POINTS, MAX_POINTS, true);
const NEARLY_OFTEN = reasonOf(MAX_POINTS, MAX_POINTS, false);

function slotOf(part: number, value: number): number {
	return part * SLOTS + (value & (SLOTS - 1));
}

function commonParts(a: readonly number[], b: readonly number[]): number {
	let common = 0;
	for (let part = 0; part < PARTS; part++) if (a[part] === b[part]) common++;
	return common;
}

/** Sketches the words of the longest text. */
function sketchOf(message: Message): { count: number; hash: number; sketch: readonly number[] } {
	const { length, hashes, starts, ends, longestStart, longestEnd } = message;
	const sketch = [-1, -1, -1, -1, -1, -1, -1, -1];
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
	return { count, hash, sketch };
}
