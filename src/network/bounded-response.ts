/** Requests to other servers, of whose responses no more is read than a bound and a time allow, whatever they send. */

/** Limit above any response that is not a file. */
const MAX_BYTES = 64 * 1024;

export interface BoundedRequest extends Omit<RequestInit, 'redirect'> {
	/** Ends the request and the reading of its response. */
	signal: AbortSignal;
}

export interface BoundedResponse {
	status: number;
	/** The beginning of its body. */
	text: string;
}

/** The response with its body as it comes, which the caller bounds. No redirect is followed. */
export function open(url: string | URL, request: BoundedRequest): Promise<Response> {
	// A small body that becomes a large one would escape the bounds.
	return fetch(url, { ...request, redirect: 'manual', decompress: false });
}

/** The response, read to its end or the bound. @throws what `signal` or the connection ends it with */
export async function ask(
	url: string | URL,
	{ maxBytes, ...request }: BoundedRequest & { maxBytes?: number },
): Promise<BoundedResponse> {
	const response = await open(url, request);
	return { status: response.status, text: await readBeginning(response, maxBytes) };
}

/** The rest is not read; `text()` would read whatever is sent. */
export async function readBeginning({ body }: Pick<Response, 'body'>, maxBytes = MAX_BYTES): Promise<string> {
	const beginning = createBeginning(maxBytes);
	for await (const chunk of body ?? []) if (!beginning.add(chunk)) break;
	return beginning.soFar();
}

/** Collects the beginning of a text that arrives in chunks. */
export function createBeginning(maxBytes: number) {
	const kept: Uint8Array[] = [];
	let room = maxBytes;
	return {
		/** Adds a chunk, and returns whether there is room for more. */
		add(chunk: Uint8Array): boolean {
			// A copy, also of a Buffer: a part of a large chunk would keep all of it.
			if (room > 0) kept.push(new Uint8Array(chunk.subarray(0, room)));
			room -= chunk.length;
			return room > 0;
		},
		soFar: () => Buffer.concat(kept).toString('utf8'),
	};
}
