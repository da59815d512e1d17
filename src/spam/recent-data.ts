/** Submissions with the same bytes as one before: the findings of the text rules hold again. */

import { DAY_MS } from '../tasks/durations.ts';
import type { SpamReason } from './verdict.ts';

/** The known facts of a text once it was read. */
export interface Reading {
	formId: number;
	reasons: readonly SpamReason[];
	script: string;
	/** How often a text like it came before; 0 for a text that may come as often as it likes. */
	times: number;
	isSame: boolean;
}

interface KnownData {
	checksum: number;
	/** Absent until it comes again: most data comes once. */
	reading?: Reading;
}

/** A ring would have to be searched; of two with the same place the later one stays. */
const PLACES = 4096;

export function createRecentData() {
	const checksums = new Int32Array(PLACES);
	// Secret, so that a sender cannot make two texts with the same checksum.
	const [seed = 0] = crypto.getRandomValues(new Uint32Array(1));
	const known: (KnownData | undefined)[] = new Array(PLACES);

	/** Returns the known facts of identical data that came before on this day; remembers that it came `at` this time. */
	return (data: string, at: number): KnownData | undefined => {
		const checksum = Bun.hash.xxHash32(data, seed) ^ (at / DAY_MS);
		const place = checksum & (PLACES - 1);
		if (checksums[place] === checksum) {
			known[place] ??= { checksum };
			return known[place];
		}
		checksums[place] = checksum;
		known[place] = undefined;
		return undefined;
	};
}
