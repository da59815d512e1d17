/** The face for everybody: liveness, the submission endpoint, the thank-you page, the script for web pages. */

import type { App } from '../app.ts';
import { AppError } from '../errors.ts';
import type { Fetch } from '../http/face.ts';
import { noRoute } from '../http/method-guard.ts';
import { reportFault } from '../http/refusal.ts';
import { requestInfo } from '../http/request-info.ts';
import { pageResponse, THANKS_PATH } from '../intake/answers.ts';
import { createEndpoint } from '../intake/endpoint.ts';
import { thankYouPage } from '../intake/pages.ts';
import { createScript } from '../intake/script.ts';
import { type Answer, openFace, type PublicUrls } from './open-face.ts';

/** Where the submission endpoint is: below the submit address, and below the base. */
export type SubmitPrefix = '/f' | '/api/f';

export interface PublicFace {
	fetch: Fetch;
	/** Whether a path is for this face, for a listener that has another one as well. */
	takes(path: string): boolean;
}

/**
 * A handful of addresses that are asked for by the thousand, and the first to be there after a start: they are found without
 * the router that owners' routes are mounted on.
 */
export function openPublicFace(
	app: App,
	{ prefixes, urls }: { prefixes: readonly SubmitPrefix[]; urls: PublicUrls },
): PublicFace {
	const endpoints = prefixes.map((prefix) => ({ below: `${prefix}/`, answer: endpointOf(app, prefix, urls) }));
	const pages = createPages();
	const endpointAt = (path: string) =>
		endpoints.find(({ below }) => path.startsWith(below) && path.length > below.length);

	function answer(request: Request): Response | Promise<Response> {
		const { path } = requestInfo(request);
		const endpoint = endpointAt(path);
		if (endpoint) return endpoint.answer(request);
		const page = pages.get(path);
		if (!page) throw noRoute([]);
		if (request.method !== 'GET' && request.method !== 'HEAD') throw noRoute(['GET', 'HEAD']);
		return page(request);
	}

	return {
		fetch: openFace(app, () => answer),
		takes: (path) => endpointAt(path) !== undefined || pages.has(path),
	};
}

/** What takes GET alone, and HEAD, to which the listener sends no body. */
function createPages(): ReadonlyMap<string, Answer> {
	const script = createScript();
	return new Map<string, Answer>([
		['/health', () => Response.json({ status: 'ok' })],
		[
			THANKS_PATH,
			({ headers }) =>
				pageResponse(thankYouPage({ backUrl: headers.get('referer') }), { 'Access-Control-Allow-Origin': '*' }),
		],
		[
			'/formsrv.js',
			async (request) => {
				const answer = await script(request);
				if (!answer) throw new AppError('NOT_FOUND', 'The script was not built into this server.');
				return answer;
			},
		],
	]);
}

function endpointOf(app: App, prefix: SubmitPrefix, urls: PublicUrls): Answer {
	return createEndpoint({
		intake: app.intake,
		prefix,
		endpoint: `${urls.submit}/f`,
		thanksUrl: `${urls.submit}${THANKS_PATH}`,
		report: (error, requestId) => reportFault(app.log, error, requestId),
	});
}
