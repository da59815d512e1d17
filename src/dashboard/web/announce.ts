/** Announcements for screen readers, and the page title. */

import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

export const announcement = signal('');

/** A trailing space makes screen readers repeat an unchanged sentence. */
export function announce(text: string): void {
	announcement.value = announcement.value === text ? `${text}\u00a0` : text;
}

export function useTitle(title: string): void {
	useEffect(() => {
		document.title = `${title} · formsrv`;
	}, [title]);
}
