/** Renders long lists in two steps: the first screen, and the rest once that is painted. */

import { useEffect, useState } from 'preact/hooks';

const ROWS_ON_A_SCREEN = 20;

/** The rows to render now; all of them from the second frame on. */
export function useFirstScreen<T>(rows: readonly T[]): readonly T[] {
	const [isPainted, setPainted] = useState(false);
	useEffect(() => setPainted(true), []);
	return isPainted ? rows : rows.slice(0, ROWS_ON_A_SCREEN);
}
