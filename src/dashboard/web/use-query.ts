/** Loads data for a component, and keeps the old data during a reload. */

import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface QueryState<T> {
	data: T | undefined;
	error: unknown;
	isLoading: boolean;
	reload: () => void;
	/** Replaces the data without a request. */
	put: (data: T) => void;
}

/** `load` runs on mount and whenever `key` changes; an outdated result is dropped. */
export function useQuery<T>(key: string, load: () => Promise<T>): QueryState<T> {
	const [state, setState] = useState<{ data?: T; error?: unknown; isLoading: boolean }>({ isLoading: true });
	const turn = useRef(0);
	const latest = useRef(load);
	latest.current = load;
	const reload = useCallback(() => {
		turn.current += 1;
		const mine = turn.current;
		const settle = (next: { data?: T; error?: unknown }) => {
			if (turn.current === mine) setState((before) => ({ data: before.data, ...next, isLoading: false }));
		};
		setState((before) => ({ ...before, isLoading: true }));
		latest.current().then(
			(data) => settle({ data, error: undefined }),
			(error: unknown) => settle({ error }),
		);
	}, []);
	// Requests before the frame is painted, not after.
	useLayoutEffect(() => {
		reload();
		return () => {
			turn.current += 1;
		};
	}, [key, reload]);
	const put = (data: T) => setState({ data, isLoading: false });
	return { data: state.data, error: state.error, isLoading: state.isLoading, reload, put };
}
