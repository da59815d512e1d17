/** The request pipeline of a listener: host check, request id, handler, error responses, access log. */

import type { Log } from '../log/log.ts';
import type { Metrics, RequestKind } from '../metrics/metrics.ts';
import type { ClientAddress } from './client-address.ts';
import type { Drain } from './drain.ts';
import { type ErrorHandler, toAppError } from './error-responses.ts';
import { checkedPath } from './host-guard.ts';
import type { Listener, RequestInfo } from './request-info.ts';

interface RequestPipelineOptions {
	log: Log;
	clientAddress: ClientAddress;
	onError: ErrorHandler;
	drain: Drain;
	/** Called with the status and the duration in milliseconds of each response. */
	observe: Metrics['request'];
	/** The client address as the log shows it; empty: not at all. */
	loggedAddress(address: string): string;
	/** The routes. An exception becomes an error response. */
	handler: Handler;
}

export type Handler = (request: Request, info: RequestInfo) => Response | Promise<Response>;

export type Fetch = (request: Request, listener: Listener) => Promise<Response>;

export function createRequestPipeline(options: RequestPipelineOptions): Fetch {
	const { log, clientAddress, onError, drain, observe, handler, loggedAddress } = options;
	const nextRequestId = createRequestIds();

	return async (request, listener) => {
		const peerAddress = listener.requestIP(request)?.address ?? '';
		const info: RequestInfo = {
			started: performance.now(),
			id: nextRequestId(),
			request,
			peerAddress,
			clientAddress: clientAddress(peerAddress, request.headers.get('x-forwarded-for')),
			path: '',
			listener,
			caller: undefined,
		};
		let response: Response;
		try {
			info.path = checkedPath(request);
			response = await handler(request, info);
		} catch (thrown) {
			response = await onError(request, toAppError(thrown), info);
		}
		response.headers.set('X-Request-Id', info.id);
		response.headers.set('X-Content-Type-Options', 'nosniff');
		drain.closeAfter(response);
		const durationMs = performance.now() - info.started;
		observe(kindOf(info), response.status, durationMs);
		log.access({
			requestId: info.id,
			method: request.method,
			path: info.path,
			status: response.status,
			durationMs,
			address: loggedAddress(info.clientAddress),
			caller: info.caller,
		});
		return response;
	};
}

function kindOf({ path, request }: RequestInfo): RequestKind {
	if (request.method === 'POST' && (path.startsWith('/f/') || path.startsWith('/api/f/'))) return 'submission';
	return path.startsWith('/api/') || path === '/mcp' ? 'api' : 'other';
}

/** Short, unique within the process, and unlikely to collide with another process's. */
function createRequestIds(): () => string {
	const prefix = `${Date.now().toString(36)}${Math.floor(Math.random() * 36 ** 3)
		.toString(36)
		.padStart(3, '0')}`;
	let count = 0;
	return () => `${prefix}-${(count++).toString(36)}`;
}
