/** Loads data for a component, and keeps the old data during a reload. */

import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useLiveEvents } from './state/live.ts';

interface Outcome<T> {
	data?: T;
	error?: unknown;
}

export interface Query<T> extends Outcome<T> {
	reload: () => void;
}

/** `load` runs on mount, whenever `key` changes, and once the connection is back; an outdated result is dropped. */
export function useQuery<T>(key: string, load: () => Promise<T>): Query<T> {
	const [state, setState] = useState<Outcome<T>>({});
	const turn = useRef(0);
	const latest = useRef(load);
	latest.current = load;
	const reload = useCallback(() => {
		turn.current += 1;
		const mine = turn.current;
		const settle = (next: Outcome<T>) => {
			if (turn.current === mine) setState((before) => ({ data: before.data, ...next }));
		};
		latest.current().then(
			(data) => settle({ data }),
			(error: unknown) => settle({ error }),
		);
	}, []);
	useLiveEvents(({ type }) => type === 'resumed' && reload());
	// Requests before the frame is painted, not after.
	useLayoutEffect(() => {
		reload();
		return () => {
			turn.current += 1;
		};
	}, [key, reload]);
	return { ...state, reload };
}
