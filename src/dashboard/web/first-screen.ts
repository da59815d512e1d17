/** Long lists are drawn in two goes: what a screen holds first, and the rest once that is painted. */

import { useEffect, useState } from 'preact/hooks';

const ROWS_ON_A_SCREEN = 20;

/** What to draw of these rows by now; all of them from the second frame of the component on. */
export function useFirstScreen<T>(rows: readonly T[]): readonly T[] {
	const [isPainted, setPainted] = useState(false);
	useEffect(() => setPainted(true), []);
	return isPainted ? rows : rows.slice(0, ROWS_ON_A_SCREEN);
}
