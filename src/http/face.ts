/** What stands around every route of a listener: the checked address, the request id, the error answers, the access log. */

import { Elysia } from 'elysia';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { ClientAddress } from './client-address.ts';
import { errorResponse, statusOf, toAppError } from './error-envelope.ts';
import { checkedPath } from './host-guard.ts';
import { createMethodTable, noRoute } from './method-guard.ts';
import { noteRequest, type Peer, requestInfo } from './request-info.ts';

export interface FaceOptions {
	log: Log;
	clientAddress: ClientAddress;
	/** The page for a browser that is somewhere where there is nothing for it. */
	page(error: AppError, requestId: string): Response;
}

export type Fetch = (request: Request, peer: Peer) => Promise<Response>;

export type Face = ReturnType<typeof createFace>;

/** @returns a router to mount a listener's routes on, and the function that answers the listener's requests with them. */
export function createFace({ log, clientAddress, page }: FaceOptions) {
	const nextRequestId = createRequestIds();
	let methodsOf: ((path: string) => string[]) | undefined;

	function refuse(request: Request, error: AppError): Response {
		const { id, path } = requestInfo(request);
		reportFault(log, error, id);
		return wantsPage(request, path) ? page(error, id) : errorResponse(error, id);
	}

	// One spelling of each path; and the path begins right after the host, however short that is.
	const router = new Elysia({ strictPath: true, handler: { standardHostname: false } });
	router.onError(({ code, error, request }) => {
		// Elysia takes the code of an AppError for its own: an object that is missing is no missing route.
		if (code !== 'NOT_FOUND' || error instanceof AppError) return refuse(request, toAppError(error));
		methodsOf ??= createMethodTable(router.routes);
		return refuse(request, noRoute(methodsOf(requestInfo(request).path)));
	});

	const fetch: Fetch = async (request, peer) => {
		const started = performance.now();
		const id = nextRequestId();
		const address = clientAddress(peer.requestIP(request)?.address ?? '', request.headers.get('x-forwarded-for'));
		const info = { id, clientAddress: address, path: '', peer };
		noteRequest(request, info);
		let response: Response;
		try {
			info.path = checkedPath(request);
			response = await router.fetch(request);
		} catch (error) {
			response = refuse(request, toAppError(error));
		}
		response.headers.set('X-Request-Id', id);
		response.headers.set('X-Content-Type-Options', 'nosniff');
		log.access({
			requestId: id,
			method: request.method,
			path: info.path,
			status: response.status,
			durationMs: performance.now() - started,
			address,
		});
		return response;
	};

	return { router, fetch };
}

/** Logs what is our fault, with its cause; a refusal of the caller is in the access log alone. */
export function reportFault(log: Log, error: AppError, requestId: string): void {
	if (statusOf(error) < 500) return;
	log.error(error.message, { requestId, code: error.code, cause: error.cause });
}

/** Only a browser that navigates gets a page; the API answers JSON whatever it is asked by. */
function wantsPage(request: Request, path: string): boolean {
	return !path.startsWith('/api/') && (request.headers.get('accept')?.includes('text/html') ?? false);
}

/** Short, unique within the process and unlikely to meet another process's. */
function createRequestIds(): () => string {
	const prefix = `${Date.now().toString(36)}${Math.floor(Math.random() * 36 ** 3)
		.toString(36)
		.padStart(3, '0')}`;
	let count = 0;
	return () => `${prefix}-${(count++).toString(36)}`;
}
