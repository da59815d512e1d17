/** The page at a form's address in a browser: it explains how to post to the form. */

import { CAPTCHAS, type Captcha, captchaMarkup, captchaScript } from '../../form-values/captchas.ts';
import type { Key } from '../../languages/catalogue.ts';
import type { SentenceValues, Translation } from '../../languages/translation.ts';
import { type Html, html, renderHtml } from '../../text/html.ts';
import { type Page, renderPage } from './page-frame.ts';

interface Shown {
	/** The absolute address of the form. */
	endpoint: string;
	captcha: Captcha | null;
	/** The name of the hidden field for robots, if there is one. */
	honeypot: string | undefined;
	accent?: string | null | undefined;
}

/**
 * Shows snippets that post to the form, with its captcha and honeypot; of other settings it tells nothing. Its status is
 * 405; the caller adds the `Allow` header.
 */
export function helpPage(translation: Translation, { endpoint, captcha, honeypot, accent }: Shown): Page {
	const address = endpointAddress(endpoint);
	const { say } = translation;
	return renderPage({
		translation,
		status: 405,
		title: say('helpTitle'),
		mark: 'letter',
		accent,
		body: html`<p class="lead">${say('helpLead')}</p>
<h2 id="html">${say('helpHtml')}</h2>
<pre tabindex="0" aria-labelledby="html" role="region"><code>${htmlSnippet(translation, { address, captcha, honeypot })}</code></pre>
<p class="soft">${honeypot !== undefined && html`${withCode(translation, 'helpHoneypot', honeypot)} `}${withCode(translation, 'helpNext', '_next')}${captcha && captchaNote(translation, captcha)}</p>
${
	captcha === null &&
	html`<h2 id="fetch">${say('helpScript')}</h2>
<pre tabindex="0" aria-labelledby="fetch" role="region"><code>${fetchSnippet(address)}</code></pre>
<h2 id="curl">${say('helpCommand')}</h2>
<pre tabindex="0" aria-labelledby="curl" role="region"><code>${curlSnippet(address)}</code></pre>`
}`,
		footer: '405 METHOD_NOT_ALLOWED',
	});
}

/** The URL parser percent-encodes everything that would end a quoted string in the snippets, except the apostrophe. */
function endpointAddress(endpoint: string): string {
	return new URL(endpoint).href.replaceAll("'", '%27');
}

function htmlSnippet(
	{ say }: Translation,
	{ address, captcha, honeypot }: Omit<Shown, 'endpoint'> & { address: string },
): string {
	const snippet = renderHtml(html`<form method="post" accept-charset="utf-8"
	action="${address}">
	<label>${say('helpEmail')}
		<input type="email" name="email" required>
	</label>
	<label>${say('helpMessage')}
		<textarea name="message" required></textarea>
	</label>
	${
		honeypot !== undefined &&
		html`<div hidden><input name="${honeypot}" autocomplete="off"></div>
	`
	}<button>${say('helpSend')}</button>
</form>`);
	if (captcha === null) return snippet;
	const server = address.slice(0, address.lastIndexOf('/f/'));
	const widget = snippet.replace('\t<button>', () => `\t${captchaMarkup(captcha, address)}\n\t<button>`);
	return `${widget}\n<script src="${captchaScript(captcha, server)}" async defer></script>`;
}

/** A note on the part that cannot be put into the snippet, and on who need not pass the captcha. */
function captchaNote(translation: Translation, captcha: Captcha): Html {
	const siteKey =
		captcha !== 'altcha' &&
		html` ${withCode(translation, 'helpSiteKey', 'YOUR_SITE_KEY', { vendor: CAPTCHAS[captcha].label })}`;
	return html`${siteKey} ${withCode(translation, 'helpPrograms', 'submit')}`;
}

/** A sentence with a name in it that programs use. */
function withCode({ say }: Translation, key: Key, name: string, values: SentenceValues = {}): Html {
	const [before, after] = say(key, { ...values, name: '\0' }).split('\0');
	return html`${before}<code>${name}</code>${after}`;
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
