/** Serves `/formsrv.js` and `/altcha.js`, which pages of any origin may load. */

import { assetPath } from '../../assets.ts';
import { createAssetFiles } from '../../http/asset-files.ts';

/** Makes the handler of a script; it returns 304 if the browser has it, and `undefined` if it was not built. */
export function createScript(name: 'formsrv.js' | 'altcha.js') {
	const files = createAssetFiles('script');
	let version: Promise<string> | undefined;

	return async (request: Request): Promise<Response | undefined> => {
		const response = await files(name, request);
		if (!response) return undefined;
		version ??= hashFile(assetPath('script', `${name}.gz`));
		// Weak, because it is the same for the compressed and the plain variant.
		const etag = `W/"${await version}"`;
		response.headers.set('ETag', etag);
		response.headers.set('Cache-Control', 'public, max-age=3600');
		response.headers.set('Access-Control-Allow-Origin', '*');
		response.headers.set('Cross-Origin-Resource-Policy', 'cross-origin');
		if (!request.headers.get('If-None-Match')?.includes(etag)) return response;
		response.headers.delete('Content-Encoding');
		return new Response(null, { status: 304, headers: response.headers });
	};
}

async function hashFile(path: string): Promise<string> {
	const hash = new Bun.CryptoHasher('sha256').update(await Bun.file(path).bytes());
	return hash.digest('base64url').slice(0, 16);
}
