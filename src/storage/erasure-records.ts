/** Erasures are among the server's values, under names that begin so; each is JSON with a `state`. */

export const ERASURE_PREFIX = 'erasure:';

/** A record that is to be done again, because a backup was restored that may bring back what it erased. */
export function againOf<Kept extends object>(record: Kept) {
	return { ...record, state: 'running', leasedUntil: 0, againAt: null } as const;
}
