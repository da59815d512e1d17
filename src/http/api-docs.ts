/** Serves the OpenAPI document with its page, and the guides for programs. */

import { Elysia } from 'elysia';
import { AppError } from '../errors.ts';
import { createAssetFiles } from './asset-files.ts';
import type { ApiDocument } from './openapi-document.ts';

/**
 * Serves `/api/openapi.json` and the page `/docs`, which loads nothing from other hosts, both generated at the first
 * request; and `/llms.txt` with the guides that it lists.
 */
export function apiDocs({ document, baseUrl }: { document: () => Promise<ApiDocument>; baseUrl: string }) {
	const file = createAssetFiles('api-docs');
	const guide = createAssetFiles('guides');
	let generated: Promise<ApiDocument> | undefined;

	function documentOnce(): Promise<ApiDocument> {
		generated ??= document().catch((error) => {
			generated = undefined;
			throw error;
		});
		return generated;
	}

	async function pageFile(name: string, request: Request): Promise<Response> {
		const isGuide = name.endsWith('.md');
		const response = await (isGuide ? guide : file)(name, request);
		if (!response) throw new AppError('NOT_FOUND', 'There is nothing at this address.');
		if (isGuide) response.headers.set('Content-Type', 'text/markdown; charset=utf-8');
		return response;
	}

	/** Its addresses begin with that of this server. */
	async function listOfGuides(request: Request): Promise<Response> {
		const plain = await guide('llms.txt', new Request(request.url));
		if (!plain) throw new AppError('NOT_FOUND', 'The guides were not built into this server.');
		const text = await plain.text();
		return new Response(text.replaceAll('](/', `](${baseUrl}/`), {
			headers: { 'Content-Type': 'text/plain; charset=utf-8' },
		});
	}

	return new Elysia({ name: 'api-docs' })
		.get('/api/openapi.json', async () =>
			Response.json(await documentOnce(), {
				headers: { 'Cache-Control': 'no-cache', 'Access-Control-Allow-Origin': '*' },
			}),
		)
		.get('/llms.txt', ({ request }) => listOfGuides(request))
		.get('/docs', async ({ request }) => {
			const page = await pageFile('index.html', request);
			page.headers.set('Content-Security-Policy', contentSecurityPolicy(await documentOnce()));
			return page;
		})
		.get('/docs/:file', ({ params, request }) => pageFile(params.file, request));
}

/** Allows only the page's own files, and requests to the servers in the document for "Try it out". */
function contentSecurityPolicy({ paths }: ApiDocument): string {
	const servers = Object.values(paths).flatMap((item) => item.servers ?? []);
	const origins = new Set(servers.map(({ url }) => new URL(url).origin));
	return [
		"default-src 'none'",
		"script-src 'self'",
		"style-src 'self'",
		"img-src 'self' data:",
		["connect-src 'self'", ...origins].join(' '),
		"base-uri 'none'",
		"form-action 'none'",
		"frame-ancestors 'none'",
	].join('; ');
}
