/** What the request pipelines of both listeners share: its log, whom it trusts about addresses, its error page. */

import type { App } from '../app.ts';
import { createClientAddress } from '../http/client-address.ts';
import type { Drain } from '../http/drain.ts';
import { errorHeaders, statusOf } from '../http/error-envelope.ts';
import { createErrorHandler, type ErrorHandler } from '../http/error-handler.ts';
import { createRequestPipeline, type Fetch, type Handler } from '../http/request-pipeline.ts';
import { smallPage } from '../intake/pages.ts';
import { pageResponse } from '../intake/responses.ts';

/** Where the listeners can be reached from outside; no trailing slashes. */
export interface PublicUrls {
	base: string;
	submit: string;
}

export interface PipelineSetup {
	drain: Drain;
	/** Makes the routes, which may refuse what they do not throw. */
	createHandler(refuse: ErrorHandler): Handler;
}

export function openPipeline({ log, config }: App, { drain, createHandler }: PipelineSetup): Fetch {
	const refuse = createErrorHandler({
		log,
		page: (error, requestId) => pageResponse(smallPage({ status: statusOf(error), requestId }), errorHeaders(error)),
	});
	const clientAddress = createClientAddress(config.trustedProxies);
	return createRequestPipeline({ log, clientAddress, refuse, drain, answer: createHandler(refuse) });
}
