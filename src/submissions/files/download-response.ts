/** The response that carries a file: always saved, never shown or run by a browser. */

import { selectBytes } from '../../http/byte-range.ts';
import { attachment } from '../../http/content-disposition.ts';
import type { Streamed, StreamResponse } from '../../http/streamed.ts';
import type { StoredFile } from '../../storage/submission.ts';
import type { Downloads } from './downloads.ts';

const NEVER_SHOWN = {
	'Content-Security-Policy': "sandbox; default-src 'none'",
	'Cross-Origin-Resource-Policy': 'same-origin',
	'X-Content-Type-Options': 'nosniff',
	'Referrer-Policy': 'no-referrer',
	'Cache-Control': 'private, no-store',
};

interface FileRequest {
	request: Request;
	/** Whose concurrency limit the download counts towards. */
	caller: string;
	/** True if the request came by a link. */
	isLink?: true;
}

/** Responds with the file that `find` finds, or with the part of it that the request asks for, for as long as `find` finds it. */
export function createFileResponse(downloads: Pick<Downloads, 'open'>, stream: StreamResponse) {
	return async (find: () => Promise<StoredFile>, { request, caller, isLink }: FileRequest): Promise<Response> => {
		const file = await find();
		const { bytes } = file;
		const etag = `"${file.sha256}"`;
		const { status, range } = selectBytes(request, { bytes, etag });
		const headers: Record<string, string> = { ...NEVER_SHOWN, ETag: etag, 'Accept-Ranges': 'bytes' };
		if (status === 304) return new Response(null, { status, headers });
		if (status === 416) {
			return new Response(null, { status, headers: { ...headers, 'Content-Range': `bytes */${bytes}` } });
		}
		headers['Content-Type'] = 'application/octet-stream';
		headers['Content-Disposition'] = attachment(file.name);
		if (range) headers['Content-Range'] = `bytes ${range.start}-${range.end - 1}/${bytes}`;
		if (request.method === 'HEAD') return new Response(ofLength(bytes), { status, headers });
		return stream(request, await downloads.open(file, { range, caller, isLink, check: find }), { headers, status });
	};
}

/** The router responds to HEAD with the length of the body, which it adds up chunk by chunk: this one has nothing else. */
function ofLength(bytes: number): ReadableStream {
	return new ReadableStream({
		start(controller) {
			controller.enqueue({ byteLength: bytes });
			controller.close();
		},
	});
}

/** Responds with an archive, which is not made for HEAD. */
export function archiveResponse(
	stream: StreamResponse,
	{ request, archive }: { request: Request; archive: Streamed & { fileName: string } },
): Response {
	const headers = {
		...NEVER_SHOWN,
		'Content-Type': 'application/zip',
		'Content-Disposition': attachment(archive.fileName),
	};
	if (request.method !== 'HEAD') return stream(request, archive, { headers });
	archive.end();
	return new Response(null, { headers });
}
