/** The page at a form's address in a browser: it explains how to post to the form. */

import { html, renderHtml } from '../html.ts';
import { type Page, renderPage } from './page-frame.ts';

/**
 * Shows snippets that post to `endpoint`, the absolute address of the form; the rest is the same for all forms. Its
 * status is 405; the caller adds the `Allow` header.
 */
export function helpPage({ endpoint }: { endpoint: string }): Page {
	const address = endpointAddress(endpoint);
	return renderPage({
		status: 405,
		title: 'This address takes messages',
		mark: 'letter',
		body: html`<p class="lead">It belongs to a form and accepts POST requests. To send something from your own page, copy one of these.</p>
<h2 id="html">HTML, without any script</h2>
<pre tabindex="0" aria-labelledby="html" role="region"><code>${htmlSnippet(address)}</code></pre>
<p class="soft">Leave <code>_gotcha</code> empty and hidden: only robots fill it in. A field named <code>_next</code> sets the page to show afterwards.</p>
<h2 id="fetch">JavaScript</h2>
<pre tabindex="0" aria-labelledby="fetch" role="region"><code>${fetchSnippet(address)}</code></pre>
<h2 id="curl">Command line</h2>
<pre tabindex="0" aria-labelledby="curl" role="region"><code>${curlSnippet(address)}</code></pre>`,
		footer: '405 METHOD_NOT_ALLOWED',
	});
}

/** The URL parser percent-encodes everything that would end a quoted string in the snippets, except the apostrophe. */
function endpointAddress(endpoint: string): string {
	return new URL(endpoint).href.replaceAll("'", '%27');
}

function htmlSnippet(address: string): string {
	return renderHtml(html`<form method="post"
	action="${address}">
	<label>Your e-mail
		<input type="email" name="email" required>
	</label>
	<label>Message
		<textarea name="message" required></textarea>
	</label>
	<input name="_gotcha" hidden autocomplete="off">
	<button>Send</button>
</form>`);
}

function fetchSnippet(address: string): string {
	return `await fetch('${address}', {
	method: 'POST',
	headers: {
		'Content-Type': 'application/json',
		Accept: 'application/json',
	},
	body: JSON.stringify({
		email: 'me@example.com',
		message: 'Hello',
	}),
});`;
}

function curlSnippet(address: string): string {
	return `curl '${address}' \\
	-H 'Accept: application/json' \\
	-d email=me@example.com -d message=Hello`;
}
