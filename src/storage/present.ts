/** The present, by a clock that all who compare such moments have. */

import type { Storage } from './contract.ts';

/** The moment of a shared database is that of its ids, and not this machine's. */
export function presentOf({ clock, isShared }: Pick<Storage, 'clock' | 'isShared'>, now: () => number): number {
	return isShared ? clock.timeline().millisOf(clock.end()) : now();
}
