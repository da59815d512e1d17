/** Pure: how many submissions have which field names, added up within bounds. */

import type { NameCount } from './name-list.ts';

/** Maximum number of names held: beyond it, the least frequent make room. */
const MAX_COUNTED = 20_000;

export interface NameCounter extends NameCount {
	/** In the order first seen. */
	add(counts: Iterable<readonly [name: string, count: number]>): void;
	/** Another one, to go on with. */
	copy(): NameCounter;
}

export function createNameCounter(start?: NameCount): NameCounter {
	const counts = new Map(start?.counts);
	let isPartial = start?.isPartial ?? false;

	function makeRoom(): void {
		isPartial = true;
		for (let rarest = 1; counts.size > MAX_COUNTED / 2; rarest++) {
			for (const [name, count] of counts) {
				if (count <= rarest) counts.delete(name);
				if (counts.size <= MAX_COUNTED / 2) break;
			}
		}
	}

	const counter: NameCounter = {
		counts,
		get isPartial() {
			return isPartial;
		},
		add(more) {
			for (const [name, count] of more) {
				counts.set(name, (counts.get(name) ?? 0) + count);
				if (counts.size > MAX_COUNTED) makeRoom();
			}
		},
		copy: () => createNameCounter(counter),
	};
	return counter;
}
