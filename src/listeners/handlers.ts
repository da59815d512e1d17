/** The handlers of the two listeners: both serve the public addresses, base also serves management. */

import type { App } from '../app.ts';
import type { Drain } from '../http/drain.ts';
import type { ErrorHandler } from '../http/error-handler.ts';
import { noRoute } from '../http/method-guard.ts';
import { setRequestInfo } from '../http/request-info.ts';
import type { Fetch, Handler } from '../http/request-pipeline.ts';
import { lazy } from '../tasks/lazy.ts';
import { openPipeline, type PublicUrls } from './pipeline.ts';
import { createPublicRoutes } from './public.ts';

export interface Handlers {
	base: Fetch;
	submit: Fetch;
}

export interface HandlersSetup {
	/** True if one listener serves both addresses; then it uses `base`. */
	isShared: boolean;
	urls: PublicUrls;
	drain: Drain;
}

export function openHandlers(app: App, { isShared, urls, drain }: HandlersSetup): Handlers {
	const atBase = createPublicRoutes(app, { prefixes: isShared ? ['/f', '/api/f'] : ['/api/f'], urls });

	function createBaseHandler(onError: ErrorHandler): Handler {
		// Loaded with the first management request, which waits for it: this is most of the program, and a server may take
		// submissions for weeks without it.
		const management = lazy(async () => (await import('./management.ts')).openManagement(app, { urls, onError }));
		return (request, info) => {
			const { path } = info;
			const handler = atBase(path);
			if (handler) return handler(request, info);
			// No path of ours needs escapes; the router would accept escaped variants.
			if (path.includes('%')) throw noRoute([]);
			setRequestInfo(request, info);
			return management().then((handle) => handle(request));
		};
	}

	function createSubmitHandler(): Handler {
		const atSubmit = createPublicRoutes(app, { prefixes: ['/f'], urls });
		return (request, info) => {
			const handler = atSubmit(info.path);
			if (!handler) throw noRoute([]);
			return handler(request, info);
		};
	}

	const base = openPipeline(app, { drain, createHandler: createBaseHandler });
	const submit = lazy(() => (isShared ? base : openPipeline(app, { drain, createHandler: createSubmitHandler })));
	return { base, submit: (request, listener) => submit()(request, listener) };
}
