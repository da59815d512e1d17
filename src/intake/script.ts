/** Answers with `/formsrv.js`, which pages of any origin may load. */

import { assetPath } from '../assets.ts';
import { createAssetFiles } from '../http/asset-files.ts';

const NAME = 'formsrv.js';

/** A function from a request to the script, to 304 if the browser has it already, or to `undefined` if it was not built. */
export function createScript() {
	const files = createAssetFiles('script');
	let version: Promise<string> | undefined;

	return async (request: Request): Promise<Response | undefined> => {
		const answer = await files(NAME, request);
		if (!answer) return undefined;
		version ??= hashFile(assetPath('script', `${NAME}.gz`));
		// Weak, because it stands for the compressed and the plain spelling.
		const etag = `W/"${await version}"`;
		answer.headers.set('ETag', etag);
		answer.headers.set('Cache-Control', 'public, max-age=3600');
		answer.headers.set('Access-Control-Allow-Origin', '*');
		answer.headers.set('Cross-Origin-Resource-Policy', 'cross-origin');
		if (!request.headers.get('If-None-Match')?.includes(etag)) return answer;
		answer.headers.delete('Content-Encoding');
		return new Response(null, { status: 304, headers: answer.headers });
	};
}

async function hashFile(path: string): Promise<string> {
	const hash = new Bun.CryptoHasher('sha256').update(await Bun.file(path).bytes());
	return hash.digest('base64url').slice(0, 16);
}
