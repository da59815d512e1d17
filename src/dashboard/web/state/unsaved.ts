/** Typed text that is not stored: a view that is left and opened again has it still. */

import { useEffect } from 'preact/hooks';

let drafts = new Map<string, unknown>();

/** By the place where it was typed. */
export const unsaved = <T>(): Map<string, T> => drafts as Map<string, T>;

/** Text that a person has typed is not for the next one. */
export function forgetUnsaved(): void {
	drafts = new Map();
}

/** Has the browser ask before the page is closed or reloaded, if it `isNeeded` then. @returns a function that ends it */
export function askBeforeClosing(isNeeded = () => true): () => void {
	const ask = (event: Event) => isNeeded() && event.preventDefault();
	addEventListener('beforeunload', ask);
	return () => removeEventListener('beforeunload', ask);
}

/** Keeps what is typed at a place until it is `undefined`; meanwhile the browser asks before the page is closed. */
export function useUnsaved(place: string, typed: unknown): void {
	useEffect(() => {
		if (typed === undefined) {
			unsaved().delete(place);
			return;
		}
		unsaved().set(place, typed);
		return askBeforeClosing();
	}, [typed]);
}
