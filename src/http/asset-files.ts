/** Serves the files of a browser page, which the build has compressed. */

import { readdir } from 'node:fs/promises';
import { type AssetFolder, assetPath } from '../assets.ts';

const HASHED_NAME = /-[0-9a-z]{8}\.[a-z0-9]+$/;
const ONE_YEAR_SECONDS = 31_536_000;

/** Makes a function from a file's name to the response, 304 if the browser has it; `undefined` if the page has no such file. */
export function createAssetFiles(folder: AssetFolder) {
	let names: Promise<Set<string>> | undefined;

	return async (name: string, request: Request): Promise<Response | undefined> => {
		names ??= listFiles(folder);
		const files = await names;
		if (files.has(`${name}.gz`)) return compressedFile(Bun.file(assetPath(folder, `${name}.gz`)), { name, request });
		return files.has(name) && !name.endsWith('.gz')
			? new Response(Bun.file(assetPath(folder, name)), { headers: fileHeaders(name) })
			: undefined;
	};
}

async function listFiles(folder: AssetFolder): Promise<Set<string>> {
	return new Set(await readdir(assetPath(folder)).catch(() => []));
}

async function compressedFile(file: Bun.BunFile, { name, request }: { name: string; request: Request }) {
	const bytes = await file.bytes();
	// Weak, because it is the same for the compressed and the plain variant.
	const etag = `W/"${Bun.hash(bytes).toString(36)}"`;
	const headers = { ...fileHeaders(name), Vary: 'Accept-Encoding', ETag: etag };
	if (request.headers.get('If-None-Match')?.includes(etag)) return new Response(null, { status: 304, headers });
	if (!acceptsGzip(request)) return new Response(Bun.gunzipSync(bytes), { headers });
	return new Response(bytes, { headers: { ...headers, 'Content-Encoding': 'gzip' } });
}

/** The content of a hashed name never changes; browsers revalidate all others. */
function fileHeaders(name: string): Record<string, string> {
	return {
		'Content-Type': Bun.file(name).type,
		'Cache-Control': HASHED_NAME.test(name) ? `public, max-age=${ONE_YEAR_SECONDS}, immutable` : 'no-cache',
	};
}

function acceptsGzip(request: Request): boolean {
	return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$|\s))/i.test(request.headers.get('Accept-Encoding') ?? '');
}
