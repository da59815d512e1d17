/** Texts that are typed or shown once: they outlive the session, which may end under them; those of a dialog not the closing. */

import { useEffect, useState } from 'preact/hooks';
import { isSignedOut } from '../api.ts';
import { unsaved, useUnsaved } from './unsaved.ts';

interface Typed<T> {
	draft: T;
	/** As it was when the dialog opened. */
	base: T;
}

/** @returns what is typed with what it began as, and a function that changes members of it */
export function useDraft<T>(place: string, initial: T): [Typed<T>, (change: Partial<T>) => void] {
	const kept = unsaved<Typed<T>>().get(place);
	const [typed, setTyped] = useState(kept ?? { draft: initial, base: initial });
	useUnsaved(place, typed.draft === typed.base ? undefined : typed);
	useEffect(() => () => void (isSignedOut.peek() || unsaved().delete(place)), []);
	return [typed, (change) => setTyped(({ draft, base }) => ({ draft: { ...draft, ...change }, base }))];
}

/** @returns a text that stays until it is emptied, and a function that sets it, even if the view is left by then */
export function useKeptText(place: string): [string, (next: string) => void] {
	const [text, setText] = useState(unsaved<string>().get(place) ?? '');
	useUnsaved(place, text || undefined);
	const set = (next: string) => {
		if (next === '') unsaved().delete(place);
		else unsaved<string>().set(place, next);
		setText(next);
	};
	return [text, set];
}
