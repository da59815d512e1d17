/** The layout of the pages for a form's visitors: an embedded style, a postmark, and a strict Content-Security-Policy. */

import { onDark } from '../../form-values/page-settings.ts';
import type { Translation } from '../../languages/translation.ts';
import { lazy } from '../../tasks/lazy.ts';
import { type Html, type HtmlValue, html, rawHtml, renderHtml } from '../../text/html.ts';
import css from './page.css' with { type: 'text' };

/** A rendered page; the caller adds the headers of the request (CORS, `Allow`, request id). */
export interface Page {
	status: number;
	headers: Record<string, string>;
	html: string;
}

interface PageParts {
	translation: Translation;
	status: number;
	title: string;
	/** The sign in the postmark, which also sets the colour. */
	mark: keyof typeof MARKS;
	body: Html;
	footer?: HtmlValue;
	/** Where the form of the page may lead, as its policy has it; without it there is no form. */
	formAction?: string | undefined;
	/** The colour of the form, in place of that of the mark. */
	accent?: string | null | undefined;
	/** True for the response to a form, which websites show in frames too. */
	isFramable?: boolean;
}

const MARKS = {
	done: { tone: 'good', path: 'M21 33l8 8 15-17' },
	rejected: { tone: 'bad', path: 'M32 20v15M32 43v.5' },
	letter: { tone: 'plain', path: 'M19 24h26v17H19zM19 25l13 10 13-10' },
} as const;

/** The cancelling lines beside the postmark: four equal waves, one below the other. */
const WAVES = [17, 27, 37, 47].map((y) => `M68 ${y}q8-7 16 0t16 0 16 0 16 0`).join('');

/** The minified style. */
const style = lazy(() => css.replace(/\s*\n\s*/g, '').replace(/ *([{:;,>]) +| +({)/g, '$1$2'));

const sourceOf = (css: string) => `'sha256-${new Bun.CryptoHasher('sha256').update(css).digest('base64')}'`;

const ownSource = lazy(() => sourceOf(style()));

/** A fault keeps its colour. */
function styleWith(accent: string): string {
	const rule = (colour: string) => `:root.good,:root.plain,a,button{--tone:${colour}}`;
	return `${style()}${rule(accent)}@media (prefers-color-scheme:dark){${rule(onDark(accent))}}`;
}

const HEADERS = {
	'content-type': 'text/html; charset=utf-8',
	'referrer-policy': 'no-referrer',
	'cross-origin-opener-policy': 'same-origin',
	'x-robots-tag': 'noindex, nofollow',
	'cache-control': 'no-store',
};

export function renderPage(parts: PageParts): Page {
	const { translation, status, title, mark, body, footer, formAction, accent, isFramable } = parts;
	const { tone, path } = MARKS[mark];
	const { language, direction } = translation;
	const css = accent ? styleWith(accent) : style();
	const source = accent ? sourceOf(css) : ownSource();
	const document = html`<!doctype html>
<html lang="${language}" dir="${direction}" class="${tone}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${rawHtml(css)}</style>
</head>
<body>
<main>
<svg viewBox="0 0 136 64" aria-hidden="true"><circle cx="32" cy="32" r="29"/><circle cx="32" cy="32" r="24" class="wave"/><path class="ink" pathLength="1" d="${path}"/><path class="wave" d="${WAVES}"/></svg>
<h1>${title}</h1>
${body}
</main>
${footer && html`<footer>${footer}</footer>\n`}</body>
</html>
`;
	const policy = `default-src 'none'; style-src ${source}; base-uri 'none'; form-action ${formAction ?? "'none'"}`;
	const headers: Page['headers'] = {
		...HEADERS,
		'content-language': language,
		'content-security-policy': isFramable ? policy : `${policy}; frame-ancestors 'none'`,
		...(!isFramable && { 'x-frame-options': 'DENY' }),
		// With `no-referrer` the post would not say where it comes from.
		...(formAction && { 'referrer-policy': 'same-origin' }),
	};
	return { status, headers, html: renderHtml(document) };
}
