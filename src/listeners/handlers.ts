/** What the two addresses answer with: the submit address is for everybody, the base for owners as well. */

import type { App } from '../app.ts';
import type { Drain } from '../http/drain.ts';
import type { ErrorHandler } from '../http/error-handler.ts';
import { noRoute } from '../http/method-guard.ts';
import { noteRequest } from '../http/request-info.ts';
import type { Fetch, Handler } from '../http/request-pipeline.ts';
import { lazy } from '../lazy.ts';
import { openPipeline, type PublicUrls } from './pipeline.ts';
import { createPublicRoutes } from './public.ts';

export interface Handlers {
	base: Fetch;
	submit: Fetch;
}

export interface HandlersSetup {
	/** Whether one listener serves both; then it answers with `base`. */
	isShared: boolean;
	urls: PublicUrls;
	drain: Drain;
}

export function openHandlers(app: App, { isShared, urls, drain }: HandlersSetup): Handlers {
	const atBase = createPublicRoutes(app, { prefixes: isShared ? ['/f', '/api/f'] : ['/api/f'], urls });

	function createBaseHandler(refuse: ErrorHandler): Handler {
		// Most of the program is for owners alone. It is loaded when the first of them asks, who waits a moment for it: a
		// server may take submissions for weeks before that.
		const forOwners = lazy(async () => (await import('./management.ts')).createManagement(app, { urls, refuse }));
		return (request, info) => {
			const { path } = info;
			const answer = atBase(path);
			if (answer) return answer(request, info);
			// Each address has one spelling, in which nothing has to be escaped; the router would take others.
			if (path.includes('%')) throw noRoute([]);
			noteRequest(request, info);
			return forOwners().then((answerOwner) => answerOwner(request));
		};
	}

	function createSubmitHandler(): Handler {
		const atSubmit = createPublicRoutes(app, { prefixes: ['/f'], urls });
		return (request, info) => {
			const answer = atSubmit(info.path);
			if (!answer) throw noRoute([]);
			return answer(request, info);
		};
	}

	const base = openPipeline(app, { drain, createHandler: createBaseHandler });
	const submit = lazy(() => (isShared ? base : openPipeline(app, { drain, createHandler: createSubmitHandler })));
	return { base, submit: (request, peer) => submit()(request, peer) };
}
