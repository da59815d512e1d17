/** The router of the management routes. */

import { Elysia } from 'elysia';
import { AppError } from '../errors.ts';
import { createParameterCheck } from './declared-parameters.ts';
import { toAppError } from './error-envelope.ts';
import type { ErrorHandler } from './error-handler.ts';
import { createMethodTable, noRoute } from './method-guard.ts';
import { requestInfo } from './request-info.ts';

export function createRouter(onError: ErrorHandler) {
	let methodsOf: ((path: string) => string[]) | undefined;
	// Trailing slashes matter; and the path begins right after the host, however short that is.
	const router = new Elysia({ strictPath: true, handler: { standardHostname: false } });
	const checkParameters = createParameterCheck(router);
	// After authorization, and before anything is done.
	router.onBeforeHandle(({ request, route }) => checkParameters(request, route));
	return router.onError(({ code, error, request }) => {
		const info = requestInfo(request);
		// Elysia mistakes an AppError's code for its own: a missing object is not a missing route.
		if (code !== 'NOT_FOUND' || error instanceof AppError) return onError(request, toAppError(error), info);
		methodsOf ??= createMethodTable(router.routes);
		return onError(request, noRoute(methodsOf(info.path)), info);
	});
}
