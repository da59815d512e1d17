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
	/** Whether the answer has its {@link markAnswer} already. */
	isAnswerMarked: boolean;
}

/** A connection on which nothing moves for that long is taken for broken; the most that a listener can count to. */
const PATIENCE_SECONDS = 255;

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

/** For an answer that may take longer to make than a listener usually lets a connection be idle. */
export function allowToTakeLong(request: Request): void {
	requestInfo(request).peer.timeout(request, PATIENCE_SECONDS);
}

/** Sets what every answer carries. An answer that is made from shared headers marks those: it saves a copy. */
export function markAnswer(headers: Headers, info: RequestInfo): void {
	headers.set('X-Request-Id', info.id);
	headers.set('X-Content-Type-Options', 'nosniff');
	info.isAnswerMarked = true;
}
