/** What all faces of this server have: its log, whom it trusts about addresses, its error page. */

import type { App } from '../app.ts';
import { createClientAddress } from '../http/client-address.ts';
import type { Drain } from '../http/drain.ts';
import { errorHeaders, statusOf } from '../http/error-envelope.ts';
import { type Answer, createFace, type Fetch } from '../http/face.ts';
import { createRefusal, type Refuse } from '../http/refusal.ts';
import { pageResponse } from '../intake/answers.ts';
import { smallPage } from '../intake/pages.ts';

/** Where the listeners can be reached from outside; no trailing slashes. */
export interface PublicUrls {
	base: string;
	submit: string;
}

export interface FaceSetup {
	drain: Drain;
	/** Makes the routes, which may refuse what they do not throw. */
	createAnswer(refuse: Refuse): Answer;
}

export function openFace({ log, config }: App, { drain, createAnswer }: FaceSetup): Fetch {
	const refuse = createRefusal({
		log,
		page: (error, requestId) => pageResponse(smallPage({ status: statusOf(error), requestId }), errorHeaders(error)),
	});
	const clientAddress = createClientAddress(config.trustedProxies);
	return createFace({ log, clientAddress, refuse, drain, answer: createAnswer(refuse) });
}
