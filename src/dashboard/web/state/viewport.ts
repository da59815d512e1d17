/** What has to be known of the window to draw no more than it shows. */

import { signal } from '@preact/signals';

/** The style sheet changes at the same width: `styles/narrow.css`. */
const PHONE = '(max-width: 860px)';

/** Whether there is room for one pane only, and for no table. */
export const isPhone = signal(false);

export function watchViewport(): void {
	const query = matchMedia(PHONE);
	const read = () => {
		isPhone.value = query.matches;
	};
	read();
	query.addEventListener('change', read);
}
