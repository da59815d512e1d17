/** What the two addresses answer with: the submit address is for everybody, the base for owners as well. */

import type { App } from '../app.ts';
import type { Drain } from '../http/drain.ts';
import type { Answer, Fetch } from '../http/face.ts';
import { noRoute } from '../http/method-guard.ts';
import type { Refuse } from '../http/refusal.ts';
import { noteRequest } from '../http/request-info.ts';
import { lazy } from '../lazy.ts';
import { openFace, type PublicUrls } from './open-face.ts';
import { createPublicRoutes } from './public.ts';

export interface Faces {
	base: Fetch;
	submit: Fetch;
}

export interface FacesSetup {
	/** Whether one listener serves both; then it answers with `base`. */
	isShared: boolean;
	urls: PublicUrls;
	drain: Drain;
}

export function openFaces(app: App, { isShared, urls, drain }: FacesSetup): Faces {
	const atBase = createPublicRoutes(app, { prefixes: isShared ? ['/f', '/api/f'] : ['/api/f'], urls });

	function createBaseAnswer(refuse: Refuse): Answer {
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

	function createSubmitAnswer(): Answer {
		const atSubmit = createPublicRoutes(app, { prefixes: ['/f'], urls });
		return (request, info) => {
			const answer = atSubmit(info.path);
			if (!answer) throw noRoute([]);
			return answer(request, info);
		};
	}

	const base = openFace(app, { drain, createAnswer: createBaseAnswer });
	const submit = lazy(() => (isShared ? base : openFace(app, { drain, createAnswer: createSubmitAnswer })));
	return { base, submit: (request, peer) => submit()(request, peer) };
}
