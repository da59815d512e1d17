/** The page at a form's address in a browser: it explains how to post to the form. */

import { CAPTCHAS, type Captcha, captchaMarkup, captchaScript } from '../../form-values/captchas.ts';
import { type Html, html, renderHtml } from '../../text/html.ts';
import { type Page, renderPage } from './page-frame.ts';

interface Shown {
	/** The absolute address of the form. */
	endpoint: string;
	captcha: Captcha | null;
	/** The name of the hidden field for robots, if there is one. */
	honeypot: string | undefined;
}

/**
 * Shows snippets that post to the form, with its captcha and honeypot; of other settings it tells nothing. Its status is
 * 405; the caller adds the `Allow` header.
 */
export function helpPage({ endpoint, captcha, honeypot }: Shown): Page {
	const address = endpointAddress(endpoint);
	return renderPage({
		status: 405,
		title: 'This address accepts messages',
		mark: 'letter',
		body: html`<p class="lead">It belongs to a form and accepts POST requests. To send something from your own page, copy one of these.</p>
<h2 id="html">HTML, without any script</h2>
<pre tabindex="0" aria-labelledby="html" role="region"><code>${htmlSnippet(address, { captcha, honeypot })}</code></pre>
<p class="soft">${honeypot !== undefined && html`Leave <code>${honeypot}</code> empty and hidden: only robots fill it in. `}A field named <code>_next</code> sets the page to show afterwards.${captcha && captchaNote(captcha)}</p>
${
	captcha === null &&
	html`<h2 id="fetch">JavaScript</h2>
<pre tabindex="0" aria-labelledby="fetch" role="region"><code>${fetchSnippet(address)}</code></pre>
<h2 id="curl">Command line</h2>
<pre tabindex="0" aria-labelledby="curl" role="region"><code>${curlSnippet(address)}</code></pre>`
}`,
		footer: '405 METHOD_NOT_ALLOWED',
	});
}

/** The URL parser percent-encodes everything that would end a quoted string in the snippets, except the apostrophe. */
function endpointAddress(endpoint: string): string {
	return new URL(endpoint).href.replaceAll("'", '%27');
}

function htmlSnippet(address: string, { captcha, honeypot }: Omit<Shown, 'endpoint'>): string {
	const snippet = renderHtml(html`<form method="post"
	action="${address}">
	<label>Your e-mail
		<input type="email" name="email" required>
	</label>
	<label>Message
		<textarea name="message" required></textarea>
	</label>
	${
		honeypot !== undefined &&
		html`<input name="${honeypot}" hidden autocomplete="off">
	`
	}<button>Send</button>
</form>`);
	if (captcha === null) return snippet;
	const server = address.slice(0, address.lastIndexOf('/f/'));
	const widget = snippet.replace('\t<button>', () => `\t${captchaMarkup(captcha, address)}\n\t<button>`);
	return `${widget}\n<script src="${captchaScript(captcha, server)}" async defer></script>`;
}

/** A note on the part that cannot be put into the snippet, and on who need not pass the captcha. */
function captchaNote(captcha: Captcha): Html {
	const siteKey =
		captcha !== 'altcha' &&
		html` Replace <code>YOUR_SITE_KEY</code> with the site key that ${CAPTCHAS[captcha].label} gave you.`;
	return html`${siteKey} Programs send a key with the permission <code>submit</code> instead of passing the captcha.`;
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
