/** The request pipeline of a listener: host check, request id, handler, error responses, access log. */

import type { AccessLine } from '../log/access-line.ts';
import type { Log } from '../log/log.ts';
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

const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyz';

export type Handler = (request: Request, info: RequestInfo) => Response | Promise<Response>;

export type Fetch = (request: Request, listener: Listener) => Response | Promise<Response>;

export function createRequestPipeline({ log, clientAddress, onError, drain, handler }: RequestPipelineOptions): Fetch {
	const nextRequestId = createRequestIds();
	/** Filled anew for each request, because the log keeps none, and objects that become garbage are not free. */
	const line: AccessLine = {
		requestId: '',
		method: '',
		path: '',
		status: 0,
		durationMs: 0,
		address: '',
		caller: undefined,
	};

	function complete(this: RequestInfo, response: Response): Response {
		if (!this.hasStandardHeaders) setStandardHeaders(response.headers, this);
		drain.closeAfter(response);
		line.requestId = this.id;
		line.method = this.request.method;
		line.path = this.path;
		line.status = response.status;
		line.durationMs = performance.now() - this.started;
		line.address = this.clientAddress;
		line.caller = this.caller;
		log.access(line);
		return response;
	}

	function fail(this: RequestInfo, thrown: unknown): Response {
		const error = toAppError(thrown);
		return this.complete(this.errors?.reject(error) ?? onError(this.request, error, this));
	}

	return (request, listener) => {
		const started = performance.now();
		const id = nextRequestId();
		const address = clientAddress(listener.requestIP(request)?.address ?? '', request.headers.get('x-forwarded-for'));
		const info: RequestInfo = {
			id,
			request,
			started,
			clientAddress: address,
			path: '',
			listener,
			hasStandardHeaders: false,
			errors: undefined,
			caller: undefined,
			isCompletedByHandler: false,
			complete,
			fail,
		};
		let response: Response | Promise<Response>;
		try {
			info.path = checkedPath(request);
			response = handler(request, info);
		} catch (thrown) {
			return info.fail(thrown);
		}
		if (info.isCompletedByHandler) return response;
		return response instanceof Promise ? completeLater(response, info) : info.complete(response);
	};
}

async function completeLater(promised: Promise<Response>, info: RequestInfo): Promise<Response> {
	let response: Response;
	try {
		response = await promised;
	} catch (thrown) {
		return info.fail(thrown);
	}
	return info.complete(response);
}

/** Short, unique within the process, and unlikely to collide with another process's. */
function createRequestIds(): () => string {
	const prefix = `${Date.now().toString(36)}${Math.floor(Math.random() * 36 ** 3)
		.toString(36)
		.padStart(3, '0')}`;
	let count = 0;
	/** All but the last digit, which is the same for so many that each id costs one string less. */
	let beginning = '';
	return () => {
		const digit = count % DIGITS.length;
		if (digit === 0) beginning = `${prefix}-${count === 0 ? '' : (count / DIGITS.length).toString(DIGITS.length)}`;
		count++;
		return beginning + DIGITS[digit];
	};
}
