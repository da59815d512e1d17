/** Builds the request pipeline of a listener from the app: log, trusted proxies, error responses. */

import type { App } from '../app.ts';
import { createClientAddress } from '../http/client-address.ts';
import type { Drain } from '../http/drain.ts';
import { errorHeaders, statusOf } from '../http/error-envelope.ts';
import { createErrorHandler, type ErrorHandler } from '../http/error-handler.ts';
import { createRequestPipeline, type Fetch, type Handler } from '../http/request-pipeline.ts';
import { smallPage } from '../intake/pages.ts';
import { pageResponse } from '../intake/responses.ts';

/** The public addresses of the listeners, without trailing slashes. */
export interface PublicUrls {
	base: string;
	submit: string;
}

export interface PipelineSetup {
	drain: Drain;
	/** Creates the handler; `onError` is for errors that it catches itself. */
	createHandler(onError: ErrorHandler): Handler;
}

export function openPipeline({ log, config }: App, { drain, createHandler }: PipelineSetup): Fetch {
	const onError = createErrorHandler({
		log,
		page: (error, requestId) => pageResponse(smallPage({ status: statusOf(error), requestId }), errorHeaders(error)),
	});
	const clientAddress = createClientAddress(config.trustedProxies);
	return createRequestPipeline({ log, clientAddress, onError, drain, handler: createHandler(onError) });
}
