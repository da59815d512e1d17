/** A signal that is true while the window is narrow. */

import { signal } from '@preact/signals';

/** The style sheet changes at the same width: `styles/narrow.css`. */
const PHONE = '(max-width: 860px)';

/** One pane fits, and no table. */
export const isPhone = signal(false);

export function watchViewport(): void {
	const query = matchMedia(PHONE);
	const read = () => {
		isPhone.value = query.matches;
	};
	read();
	query.addEventListener('change', read);
}
