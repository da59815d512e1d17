/** The context of a request: its id, path and client. */

/** The part of the listener that requests need. */
export interface Listener {
	requestIP(request: Request): { address: string } | null;
	/** Sets after how many idle seconds the connection is closed; 0 = never. */
	timeout(request: Request, seconds: number): void;
}

export interface RequestInfo {
	id: string;
	request: Request;
	/** When it began, as `performance.now()` has it. */
	started: number;
	/** The other end of the connection: a proxy, or the client itself. Empty if it has no address. */
	peerAddress: string;
	/** The client's address behind trusted proxies; see `client-address.ts`. */
	clientAddress: string;
	/** The path exactly as the client sent it; for the log, without a token that was in it. */
	path: string;
	listener: Listener;
	/** Set once the request is authenticated. */
	caller: Caller | undefined;
	/** Set once the request is authorized, for responses that take long: rejects once it would not be authorized any more. */
	reauthorize?: () => Promise<void>;
	/** Set by a route whose path names no form, for its entry in the audit log. */
	about?: { formId: number; mode: 'live' | 'test' };
	/** Set only by a command that calls a route in its own process. */
	operator?: Operator;
}

/** The key and session of an authenticated request; a session from a setup link has no key. */
export interface Caller {
	keyId: string | null;
	sessionId: string | null;
	mode: 'live' | 'test' | undefined;
	operator?: string | undefined;
}

/** Who runs a command on the machine of the server. */
export interface Operator extends Caller {
	keyId: null;
	sessionId: null;
	permissions: readonly ['admin'];
	formIds: null;
	operator: string;
}

/** The longest idle time that a listener supports. */
const MAX_IDLE_SECONDS = 255;

const INFO = Symbol('info');

/** A property of the request, because a WeakMap of all requests would slow down garbage collection. */
type RequestWithInfo = Request & { [INFO]?: RequestInfo };

/** For routes of the router, which receive only the request. */
export function setRequestInfo(request: RequestWithInfo, info: RequestInfo): void {
	request[INFO] = info;
}

/** @throws Error if the request bypassed the pipeline, which would be a bug */
export function requestInfo(request: RequestWithInfo): RequestInfo {
	const info = request[INFO];
	if (!info) throw new Error('A request without its info reached a route.');
	return info;
}

/** Raises the idle time-out, for a response that may take long to prepare. */
export function allowToTakeLong(request: Request): void {
	requestInfo(request).listener.timeout(request, MAX_IDLE_SECONDS);
}
