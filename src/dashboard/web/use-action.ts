/** The action of a form or button: its state while it runs, and why it failed. What is wrong with an input has the focus then. */

import { useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface Action {
	isBusy: boolean;
	/** Error of the last run, as thrown by `act`. */
	error: unknown;
	/** Handles the event of the form or button. */
	run: (event: Event) => Promise<void>;
	clearError: () => void;
}

export function useAction(act: () => Promise<unknown>): Action {
	const [state, setState] = useState<{ isBusy: boolean; error?: unknown }>({ isBusy: false });
	const origin = useRef<Element | null>(null);
	// In the same turn as the error is shown: what is typed behind it must not lose the focus half way.
	useLayoutEffect(() => {
		if (state.error === undefined) return;
		const wrong = origin.current?.querySelector<HTMLElement>('[aria-invalid]');
		wrong?.scrollIntoView({ block: 'center' });
		wrong?.focus({ preventScroll: true });
	}, [state.error]);
	const run = async (event: Event) => {
		event.preventDefault();
		origin.current = event.currentTarget as Element | null;
		setState({ isBusy: true });
		try {
			await act();
			setState({ isBusy: false });
		} catch (error) {
			setState({ isBusy: false, error });
		}
	};
	return { isBusy: state.isBusy, error: state.error, run, clearError: () => setState({ isBusy: false }) };
}
