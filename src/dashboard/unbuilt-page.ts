/** The page shown instead of the dashboard if the server runs from source and the browser pages were not built. */

import { type Page, renderPage } from '../intake/pages/page-frame.ts';
import { html } from '../text/html.ts';

export function unbuiltPage(): Page {
	return renderPage({
		status: 503,
		title: 'The dashboard is not built',
		mark: 'letter',
		body: html`<p class="lead">The server runs, and its API works.</p>
<p>Build the browser pages with <code>bun run build</code>, or <code>bun scripts/build.ts --pages-only</code>, and restart.</p>`,
	});
}
