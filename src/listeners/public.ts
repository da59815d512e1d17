/** What everybody may ask for: liveness, the submission endpoint, the thank-you page, the script for web pages. */

import type { App } from '../app.ts';
import { AppError } from '../errors.ts';
import { reportFault } from '../http/error-handler.ts';
import { noRoute } from '../http/method-guard.ts';
import type { Handler } from '../http/request-pipeline.ts';
import { createEndpoint } from '../intake/endpoint.ts';
import { thankYouPage } from '../intake/pages.ts';
import { pageResponse, preflight, THANKS_PATH } from '../intake/responses.ts';
import { createScript } from '../intake/script.ts';
import type { Finding } from '../storage/findings.ts';
import type { PublicUrls } from './pipeline.ts';

const THANKS_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/** Where the submission endpoint is: below the submit address, and below the base. */
export type SubmitPrefix = '/f' | '/api/f';

/**
 * A handful of addresses that are asked for by the thousand, and the first to be there after a start: they are found without
 * the router that owners' routes are mounted on.
 * @returns what answers at a path; `undefined` if nothing of everybody's does.
 */
export function createPublicRoutes(
	app: App,
	{ prefixes, urls }: { prefixes: readonly SubmitPrefix[]; urls: PublicUrls },
): (path: string) => Handler | undefined {
	const endpoints = prefixes.map((prefix) => ({ below: `${prefix}/`, answer: endpointOf(app, prefix, urls) }));
	const pages = createPages(app.storage);
	return (path) => {
		for (const { below, answer } of endpoints) {
			if (path.startsWith(below) && path.length > below.length) return answer;
		}
		return pages.get(path);
	};
}

function createPages({ findings }: App['storage']): ReadonlyMap<string, Handler> {
	const script = createScript();
	return new Map<string, Handler>([
		['/health', gettable(() => probe(findings.list().filter(({ isFatal }) => isFatal)))],
		['/ready', gettable(() => probe(findings.list().filter(({ stops }) => stops !== 'nothing')))],
		[THANKS_PATH, thanks],
		[
			'/formsrv.js',
			gettable(async (request) => {
				const answer = await script(request);
				if (!answer) throw new AppError('NOT_FOUND', 'The script was not built into this server.');
				return answer;
			}),
		],
	]);
}

/** @throws AppError UNAVAILABLE that says what is wrong; the sentences hold nothing that is not for strangers. */
function probe(problems: readonly Finding[]): Response {
	if (problems.length === 0) return Response.json({ status: 'ok' });
	throw new AppError('UNAVAILABLE', problems.map(({ problem }) => problem).join(' '));
}

/** A script that is led here asks first whether it may, if it sent a header such as Idempotency-Key. */
function thanks(request: Request): Response {
	const { method, headers } = request;
	if (method === 'OPTIONS') return preflight(request, { form: undefined, methods: THANKS_METHODS.join(', ') });
	if (!THANKS_METHODS.includes(method)) throw noRoute(THANKS_METHODS);
	return pageResponse(thankYouPage({ backUrl: headers.get('referer') }), { 'Access-Control-Allow-Origin': '*' });
}

/** Takes GET alone, and HEAD, to which the listener sends no body. */
function gettable(answer: Handler): Handler {
	return (request, info) => {
		if (request.method !== 'GET' && request.method !== 'HEAD') throw noRoute(['GET', 'HEAD']);
		return answer(request, info);
	};
}

function endpointOf(app: App, prefix: SubmitPrefix, urls: PublicUrls): Handler {
	return createEndpoint({
		intake: app.intake,
		prefix,
		endpoint: `${urls.submit}/f`,
		thanksUrl: `${urls.submit}${THANKS_PATH}`,
		report: (error, requestId) => reportFault(app.log, error, requestId),
	});
}
