/** A face of this server, before anything is mounted on it: its log, whom it trusts about addresses, its error page. */

import type { App } from '../app.ts';
import { createClientAddress } from '../http/client-address.ts';
import { errorHeaders, statusOf } from '../http/error-envelope.ts';
import { createFace, type Face } from '../http/face.ts';
import { pageResponse } from '../intake/answers.ts';
import { smallPage } from '../intake/pages.ts';

/** Where the listeners can be reached from outside; no trailing slashes. */
export interface PublicUrls {
	base: string;
	submit: string;
}

export type Router = Face['router'];

export function openFace(app: App): Face {
	return createFace({
		log: app.log,
		clientAddress: createClientAddress(app.config.trustedProxies),
		page: (error, requestId) => pageResponse(smallPage({ status: statusOf(error), requestId }), errorHeaders(error)),
	});
}
