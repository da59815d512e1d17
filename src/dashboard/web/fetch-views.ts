/** Fetches the views that the inbox does not wait for. */

import * as words from './sentences/words.ts';

export const fetchViews = () =>
	import('./views/elsewhere.ts').catch(() => {
		throw new Error(words.frame.viewNotFetched);
	});
