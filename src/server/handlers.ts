/** The handlers of the two listeners: both serve the public addresses, base also serves management. */

import type { App } from '../app.ts';
import type { PublicUrls } from '../config.ts';
import { AppError } from '../errors.ts';
import { createClientAddress, shownAddress } from '../http/client-address.ts';
import type { Drain } from '../http/drain.ts';
import { createErrorHandler, errorHeaders, statusOf } from '../http/error-responses.ts';
import { noRoute } from '../http/method-guard.ts';
import { setRequestInfo } from '../http/request-info.ts';
import { createRequestPipeline, type Fetch, type Handler } from '../http/request-pipeline.ts';
import { smallPage } from '../intake/pages/pages.ts';
import { pageResponse, translationFor } from '../intake/responses.ts';
import { lazy } from '../tasks/lazy.ts';
import { createPublicRoutes } from './public.ts';

const API = /^\/(?:api|mcp)(?:\/|$)/;

export interface Handlers {
	base: Fetch;
	submit: Fetch;
}

interface HandlersSetup {
	/** True if one listener serves both addresses; then it uses `base`. */
	isShared: boolean;
	urls: PublicUrls;
	drain: Drain;
}

export function openHandlers(app: App, { isShared, urls, drain }: HandlersSetup): Handlers {
	const { log, config } = app;
	const onError = createErrorHandler({
		log,
		page: async (request, error, requestId) => {
			const translation = await translationFor(request, { fallback: config.language });
			return pageResponse(smallPage(translation, { status: statusOf(error), requestId }), errorHeaders(error));
		},
	});
	const clientAddress = createClientAddress(config.trustedProxies);
	const { request: observe } = app.metrics;
	const loggedAddress = (address: string) => shownAddress(config.logAddress, address);
	const pipeline = (handler: Handler) =>
		createRequestPipeline({ log, clientAddress, onError, drain, observe, loggedAddress, handler });

	// Loaded with the first management request, which waits for it: Elysia and the schemas of all routes are most of the program.
	const management = lazy(async () => (await import('./management-routes.ts')).openManagement(app, { urls, onError }));
	const atBase = createPublicRoutes(app, { prefixes: isShared ? ['/f', '/api/f'] : ['/api/f'], urls });
	const base = pipeline((request, info) => {
		const { path } = info;
		const handler = atBase(path);
		if (handler) return handler(request, info);
		// No path of ours needs escapes; the router would accept escaped variants.
		if (path.includes('%')) throw noRoute([]);
		if (path.startsWith('/f/'))
			throw new AppError('NOT_FOUND', 'Forms are at the submit address, or here below /api/f/.');
		setRequestInfo(request, info);
		return management().then((handle) => handle(request));
	});
	if (isShared) return { base, submit: base };

	const atSubmit = createPublicRoutes(app, { prefixes: ['/f'], urls });
	const submit = pipeline((request, info) => {
		const handler = atSubmit(info.path);
		if (!handler && API.test(info.path))
			throw new AppError('NOT_FOUND', 'The API is at the base address, not at this one.');
		if (!handler) throw noRoute([]);
		return handler(request, info);
	});
	return { base, submit };
}
