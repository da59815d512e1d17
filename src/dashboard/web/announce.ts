/** Says things to screen readers, and names the page. */

import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

export const announcement = signal('');

/** The same sentence twice is said twice: a trailing blank tells them apart. */
export function announce(text: string): void {
	announcement.value = announcement.value === text ? `${text}\u00a0` : text;
}

/** Names the browser tab while the component is on the screen. */
export function useTitle(title: string): void {
	useEffect(() => {
		document.title = `${title} · formsrv`;
	}, [title]);
}
