/** What is known of a request before any route sees it: its id and who sent it. */

/** The listener, as far as requests are concerned. */
export interface Peer {
	requestIP(request: Request): { address: string } | null;
	/** Sets after how many idle seconds the connection is closed; 0 = never. */
	timeout(request: Request, seconds: number): void;
}

export interface RequestInfo {
	id: string;
	/** The client's address behind trusted proxies; see `client-address.ts`. */
	clientAddress: string;
	/** The path exactly as it was sent. */
	path: string;
	peer: Peer;
	/** Whether the response was made with its standard headers on it; reading them from a response costs time. */
	hasStandardHeaders: boolean;
	/** Set once the request has shown a valid credential. */
	caller?: Caller;
}

/** By which key and in which session somebody asks; a session that came by a set-up link has no key. */
export interface Caller {
	keyId: string | null;
	sessionId: string | null;
}

/** A connection on which nothing moves for that long is taken for broken; the most that a listener can count to. */
const PATIENCE_SECONDS = 255;

const INFO = Symbol('info');

/** On the request itself, because a WeakMap of all requests would cost every garbage collection. */
type NotedRequest = Request & { [INFO]?: RequestInfo };

/** For routes of the router, which are given nothing but the request. */
export function noteRequest(request: NotedRequest, info: RequestInfo): void {
	request[INFO] = info;
}

/** @throws Error if the request did not come through the router's door, which would be a fault of ours. */
export function requestInfo(request: NotedRequest): RequestInfo {
	const info = request[INFO];
	if (!info) throw new Error('A request without its info reached a route.');
	return info;
}

/** For an answer that may take longer to make than a listener usually lets a connection be idle. */
export function allowToTakeLong(request: Request): void {
	requestInfo(request).peer.timeout(request, PATIENCE_SECONDS);
}
