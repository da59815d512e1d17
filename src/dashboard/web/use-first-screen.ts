/** Renders a long list in two steps, so that what a person sees at first does not wait for the rest. */

import { useEffect, useState } from 'preact/hooks';

/** Returns as many as a screen has room for, and all once these are painted. */
export function useFirstScreen<T>(all: readonly T[], onAScreen: number): readonly T[] {
	const [isPainted, setPainted] = useState(false);
	const isLoaded = all.length > 0;
	useEffect(() => setPainted(isLoaded), [isLoaded]);
	return isPainted ? all : all.slice(0, onAScreen);
}
