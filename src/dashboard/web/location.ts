/** The current route as a signal, and the ways to change it. */

import { computed, signal } from '@preact/signals';
import { parseHash } from './router.ts';

const hash = signal('');

export const route = computed(() => parseHash(hash.value));

/** Starts to follow the address bar. */
export function followLocation(): void {
	const read = () => {
		hash.value = location.hash;
	};
	read();
	addEventListener('hashchange', read);
}

export function navigate(address: string): void {
	location.hash = address;
	hash.value = location.hash;
}

/** Changes the address without a new entry in the history, as while typing a search. */
export function replaceAddress(address: string): void {
	history.replaceState(null, '', address);
	hash.value = location.hash;
}
