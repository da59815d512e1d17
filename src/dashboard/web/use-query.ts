/** Loads something for a component and keeps what was there while it loads again. */

import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface QueryState<T> {
	data: T | undefined;
	error: unknown;
	isLoading: boolean;
	reload: () => void;
	/** Puts a known new value in place without asking the server. */
	put: (data: T) => void;
}

/** `load` runs at first and whenever `key` changes; an answer that comes too late is dropped. */
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
	// Asked for before the frame is painted, not after.
	useLayoutEffect(() => {
		reload();
		return () => {
			turn.current += 1;
		};
	}, [key, reload]);
	const put = (data: T) => setState({ data, isLoading: false });
	return { data: state.data, error: state.error, isLoading: state.isLoading, reload, put };
}
