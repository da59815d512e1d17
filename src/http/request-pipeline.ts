/** The request pipeline of a listener: host check, request id, handler, error responses, access log. */

import type { Log } from '../log.ts';
import type { ClientAddress } from './client-address.ts';
import type { Drain } from './drain.ts';
import { toAppError } from './error-envelope.ts';
import type { ErrorHandler } from './error-handler.ts';
import { checkedPath } from './host-guard.ts';
import type { Listener, RequestInfo } from './request-info.ts';
import { setStandardHeaders } from './standard-headers.ts';

export interface RequestPipelineOptions {
	log: Log;
	clientAddress: ClientAddress;
	onError: ErrorHandler;
	drain: Drain;
	/** The routes. An exception becomes an error response. */
	handler: Handler;
}

export type Handler = (request: Request, info: RequestInfo) => Response | Promise<Response>;

export type Fetch = (request: Request, listener: Listener) => Promise<Response>;

export function createRequestPipeline({ log, clientAddress, onError, drain, handler }: RequestPipelineOptions): Fetch {
	const nextRequestId = createRequestIds();

	return async (request, listener) => {
		const started = performance.now();
		const id = nextRequestId();
		const address = clientAddress(listener.requestIP(request)?.address ?? '', request.headers.get('x-forwarded-for'));
		const info: RequestInfo = { id, clientAddress: address, path: '', listener, hasStandardHeaders: false };
		let response: Response;
		try {
			info.path = checkedPath(request);
			response = await handler(request, info);
		} catch (thrown) {
			const error = toAppError(thrown);
			response = info.reject?.(error) ?? onError(request, error, info);
		}
		if (!info.hasStandardHeaders) setStandardHeaders(response.headers, info);
		drain.closeAfter(response);
		log.access({
			requestId: id,
			method: request.method,
			path: info.path,
			status: response.status,
			durationMs: performance.now() - started,
			address,
			caller: info.caller,
		});
		return response;
	};
}

/** Short, unique within the process, and unlikely to collide with another process's. */
function createRequestIds(): () => string {
	const prefix = `${Date.now().toString(36)}${Math.floor(Math.random() * 36 ** 3)
		.toString(36)
		.padStart(3, '0')}`;
	let count = 0;
	return () => `${prefix}-${(count++).toString(36)}`;
}
