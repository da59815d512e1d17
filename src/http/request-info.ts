/** What is known of a request before any route sees it: its id and who sent it. */

export interface RequestInfo {
	id: string;
	/** The client's address behind trusted proxies; see `client-address.ts`. */
	clientAddress: string;
	/** The path exactly as it was sent. */
	path: string;
}

const infos = new WeakMap<Request, RequestInfo>();

export function noteRequest(request: Request, info: RequestInfo): void {
	infos.set(request, info);
}

/** @throws Error if the request did not come through the listener, which would be a fault of ours. */
export function requestInfo(request: Request): RequestInfo {
	const info = infos.get(request);
	if (!info) throw new Error('A request without its info reached a route.');
	return info;
}
