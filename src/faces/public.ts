/** The face for everybody: liveness, the submission endpoint, the thank-you page, the script for web pages. */

import type { App } from '../app.ts';
import { type Fetch, reportFault } from '../http/face.ts';
import { THANKS_PATH } from '../intake/answers.ts';
import { intakeRoutes, scriptRoutes, thankYouRoutes } from '../intake/routes.ts';
import { openFace, type PublicUrls } from './open-face.ts';

/** Where the submission endpoint is: below the submit address, and below the base. */
export type SubmitPrefix = '/f' | '/api/f';

export interface PublicFace {
	fetch: Fetch;
	/** Whether a path is for this face, for a listener that has another one as well. */
	takes(path: string): boolean;
}

export function openPublicFace(
	app: App,
	{ prefixes, urls }: { prefixes: readonly SubmitPrefix[]; urls: PublicUrls },
): PublicFace {
	const { router, fetch } = openFace(app);
	router
		.get('/health', () => ({ status: 'ok' }))
		.use(thankYouRoutes())
		.use(scriptRoutes());
	const pages = new Set(router.routes.map(({ path }) => path));
	for (const prefix of prefixes) router.use(submitRoutes(app, prefix, urls));
	return {
		fetch,
		takes: (path) => prefixes.some((prefix) => path.startsWith(`${prefix}/`)) || pages.has(path),
	};
}

export function submitRoutes(app: App, prefix: SubmitPrefix, urls: PublicUrls) {
	return intakeRoutes({
		intake: app.intake,
		prefix,
		endpoint: `${urls.submit}/f`,
		thanksUrl: `${urls.submit}${THANKS_PATH}`,
		report: (error, requestId) => reportFault(app.log, error, requestId),
	});
}
