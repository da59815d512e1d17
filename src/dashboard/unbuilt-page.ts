/** What stands in for the dashboard if the program runs from its source and the browser's part was not built. */

import { html } from '../html.ts';
import { type Page, renderPage } from '../intake/page-frame.ts';

export function unbuiltPage(): Page {
	return renderPage({
		status: 503,
		title: 'The dashboard is not built',
		mark: 'letter',
		body: html`<p class="lead">The server runs, and its API answers.</p>
<p>Its pages for browsers are made by <code>bun run build</code>, or <code>bun scripts/build.ts --pages-only</code>. Then restart it.</p>`,
	});
}
