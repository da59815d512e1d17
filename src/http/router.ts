/** The router of the management routes, with the checks of path, method and query parameters. */

import { type AnyElysia, Elysia } from 'elysia';
import { AppError, rejectFaults } from '../errors.ts';
import { lazy } from '../tasks/lazy.ts';
import { type ErrorHandler, toAppError } from './error-responses.ts';
import { createMethodTable, noRoute } from './method-guard.ts';
import { queryOf } from './query-parameters.ts';
import { requestInfo } from './request-info.ts';

const MAX_NAMED = 20;

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

interface Described {
	parameters?: { in: string; name: string }[];
	responses?: object;
}

/** Finds the description of a route by its method and path, once all routes are there. */
export function describedRoutes<Detail extends object>(router: AnyElysia) {
	const byRoute = lazy(
		() => new Map(router.routes.map(({ method, path, hooks }) => [`${method} ${path}`, hooks.detail ?? {}])),
	);
	return (method: string, route: string): Detail => byRoute().get(`${method} ${route}`) ?? {};
}

/**
 * An unknown parameter is rejected, because a wrong name would silently change what is meant.
 * @returns a check of a request to a route, by the parameters in the description of its operation. A page has no description, and a
 * public operation no response for it: these take any. It throws VALIDATION_ERROR that names each unknown one.
 */
function createParameterCheck(router: AnyElysia) {
	const find = describedRoutes<Described>(router);
	return (request: Request, route: string): void => {
		if (!request.url.includes('?')) return;
		const { parameters = [], responses = {} } = find(request.method === 'HEAD' ? 'GET' : request.method, route);
		if (!('400' in responses)) return;
		const known = parameters.filter((one) => one.in === 'query').map(({ name }) => name);
		const unknown = [...new Set(queryOf(request).keys())].filter((name) => !known.includes(name)).slice(0, MAX_NAMED);
		rejectFaults(unknown.map((field) => ({ field, code: 'UNKNOWN_PARAMETER', message: sentence(field, known) })));
	};
}

function sentence(name: string, known: readonly string[]): string {
	const rest = known.length === 0 ? 'There are none.' : `Known are: ${known.join(', ')}.`;
	return `The parameter "${name}" is not known here. ${rest}`;
}
