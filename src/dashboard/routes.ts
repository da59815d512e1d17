/** Serves the dashboard to browsers: its page at `/`, and the files that the page asks for. */

import { Elysia } from 'elysia';
import { AppError } from '../errors.ts';
import { createAssetFiles } from '../http/asset-files.ts';
import { type Page, renderPage } from '../intake/pages/page-frame.ts';
import { pageResponse } from '../intake/responses.ts';
import { inEnglish } from '../languages/translations.ts';
import { html } from '../text/html.ts';

/** `frame-src` is for captured mails, which are shown in sandboxed frames. */
const PAGE_HEADERS = {
	'Content-Security-Policy': [
		"default-src 'none'",
		"script-src 'self'",
		"style-src 'self'",
		"img-src 'self' data:",
		"connect-src 'self'",
		"frame-src 'self'",
		"frame-ancestors 'none'",
		"base-uri 'none'",
		"form-action 'self'",
		"require-trusted-types-for 'script'",
	].join('; '),
	'Cross-Origin-Opener-Policy': 'same-origin',
	'X-Frame-Options': 'DENY',
	'X-Robots-Tag': 'noindex, nofollow',
	'Cache-Control': 'no-store',
};

const FILE_HEADERS = { 'Cross-Origin-Resource-Policy': 'same-origin', 'Referrer-Policy': 'no-referrer' };

export function dashboardRoutes() {
	const file = createAssetFiles('ui');

	return new Elysia({ name: 'dashboard' })
		.get('/', async ({ request }) => {
			const page = await file('index.html', request);
			return page ? withHeaders(page, { ...FILE_HEADERS, ...PAGE_HEADERS }) : pageResponse(unbuiltPage());
		})
		.get('/assets/:file', async ({ params, request }) => {
			// Only `/` serves the page, with its security policy.
			const response = params.file === 'index.html' ? undefined : await file(params.file, request);
			if (!response) throw new AppError('NOT_FOUND', 'There is nothing at this address.');
			return withHeaders(response, FILE_HEADERS);
		});
}

function withHeaders(response: Response, headers: Record<string, string>): Response {
	for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
	return response;
}

/** For a server from source whose browser pages were not built. */
function unbuiltPage(): Page {
	return renderPage({
		translation: inEnglish(),
		status: 503,
		title: 'The dashboard is not built',
		mark: 'letter',
		body: html`<p class="lead">The server runs, and its API works.</p>
<p>Build the browser pages with <code>bun run build</code>, or <code>bun scripts/build.ts --pages-only</code>, and restart.</p>`,
	});
}
