/** What the two addresses answer with: the submit address is for everybody, the base for owners as well. */

import type { App } from '../app.ts';
import type { Fetch } from '../http/face.ts';
import { lazy } from '../lazy.ts';
import type { PublicUrls } from './open-face.ts';
import { openPublicFace } from './public.ts';

export interface Faces {
	base: Fetch;
	submit: Fetch;
}

/** @param isShared Whether one listener serves both; then it answers with `base`. */
export function openFaces(app: App, { isShared, urls }: { isShared: boolean; urls: PublicUrls }): Faces {
	const atBase = openPublicFace(app, { prefixes: isShared ? ['/f', '/api/f'] : ['/api/f'], urls });
	const atSubmit = lazy(() => (isShared ? atBase : openPublicFace(app, { prefixes: ['/f'], urls })));
	// Most of the program is for owners alone. It is loaded when the first of them asks, who waits a moment for it: a
	// server may take submissions for weeks before that.
	const management = lazy(async () => (await import('./management.ts')).openManagementFace(app, urls));

	async function manage(...[request, peer]: Parameters<Fetch>): Promise<Response> {
		const fetch = await management();
		return fetch(request, peer);
	}

	return {
		base: (request, peer) => (atBase.takes(pathOf(request)) ? atBase.fetch(request, peer) : manage(request, peer)),
		submit: (request, peer) => atSubmit().fetch(request, peer),
	};
}

/** It only chooses the face, which then checks for itself what was sent. */
function pathOf({ url }: Request): string {
	const start = url.indexOf('/', 'https://'.length);
	const end = url.indexOf('?', start);
	return end === -1 ? url.slice(start) : url.slice(start, end);
}
