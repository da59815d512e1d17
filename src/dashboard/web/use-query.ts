/** Loads data for a component, and keeps the old data during a reload. */

import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useLiveEvents } from './state/live.ts';

interface Outcome<T> {
	/** Older than `error`, if there is one. */
	data?: T;
	error?: unknown;
}

export interface Query<T> extends Outcome<T> {
	reload: () => void;
}

/**
 * `load` runs on mount, whenever `key` changes, and once the connection is back; an outdated result is dropped. Until the data of a
 * new key is there, that of the last one stays; if it cannot be loaded, it goes.
 */
export function useQuery<T>(key: string, load: () => Promise<T>): Query<T> {
	const [state, setState] = useState<Outcome<T> & { key?: string }>({});
	const turn = useRef(0);
	const latest = useRef({ key, load });
	latest.current = { key, load };
	const reload = useCallback(() => {
		turn.current += 1;
		const mine = turn.current;
		const { key, load } = latest.current;
		const settle = (next: Outcome<T>) => {
			if (turn.current !== mine) return;
			setState((before) => ({ data: before.key === key ? before.data : undefined, ...next, key }));
		};
		load().then(
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
