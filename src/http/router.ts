/** The router that owners' routes are mounted on. */

import { Elysia } from 'elysia';
import { AppError } from '../errors.ts';
import { toAppError } from './error-envelope.ts';
import type { ErrorHandler } from './error-handler.ts';
import { createMethodTable, noRoute } from './method-guard.ts';
import { requestInfo } from './request-info.ts';

export function createRouter(refuse: ErrorHandler) {
	let methodsOf: ((path: string) => string[]) | undefined;
	// One spelling of each path; and the path begins right after the host, however short that is.
	const router = new Elysia({ strictPath: true, handler: { standardHostname: false } });
	return router.onError(({ code, error, request }) => {
		const info = requestInfo(request);
		// Elysia takes the code of an AppError for its own: an object that is missing is no missing route.
		if (code !== 'NOT_FOUND' || error instanceof AppError) return refuse(request, toAppError(error), info);
		methodsOf ??= createMethodTable(router.routes);
		return refuse(request, noRoute(methodsOf(info.path)), info);
	});
}
