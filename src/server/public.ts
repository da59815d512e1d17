/** The public routes: probes, the submission endpoint, the thank-you page, the script for web pages. */

import type { App } from '../app.ts';
import type { PublicUrls } from '../config.ts';
import { AppError } from '../errors.ts';
import { createAssetFiles } from '../http/asset-files.ts';
import { logServerError } from '../http/error-responses.ts';
import { noRoute } from '../http/method-guard.ts';
import type { Handler } from '../http/request-pipeline.ts';
import { createEndpoint } from '../intake/endpoint.ts';
import { createThanksHandler } from '../intake/thanks-handler.ts';
import type { Finding } from '../storage/findings.ts';

/** The path of the submission endpoint: at the submit address, and at the base. */
type SubmitPrefix = '/f' | '/api/f';

/**
 * These few paths get most requests and must be ready first after a start, so they do without the router.
 * @returns a function from a path to its handler; `undefined` if no public route matches
 */
export function createPublicRoutes(
	app: App,
	{ prefixes, urls }: { prefixes: readonly SubmitPrefix[]; urls: PublicUrls },
): (path: string) => Handler | undefined {
	const endpoints = prefixes.map((prefix) => ({ below: `${prefix}/`, handler: endpointOf(app, prefix, urls) }));
	const pages = createPages(app);
	return (path) => {
		for (const { below, handler } of endpoints) {
			if (path.startsWith(below) && path.length > below.length) return handler;
		}
		return pages.get(path);
	};
}

function createPages({ storage: { findings }, intake, config }: App): ReadonlyMap<string, Handler> {
	const thanks = createThanksHandler(intake, config.language);
	return new Map<string, Handler>([
		['/health', getOnly(() => probe(findings.list(), ({ isFatal }) => isFatal === true))],
		['/ready', getOnly(() => probe(findings.list(), ({ stops }) => stops === 'submissions' || stops === 'writes'))],
		['/thanks', (request) => thanks(request)],
		['/formsrv.js', scriptHandler('formsrv.js')],
		['/altcha.js', scriptHandler('altcha.js')],
	]);
}

/**
 * A problem that fails no probe is named and no more.
 * @throws AppError UNAVAILABLE that names the problems; the sentences contain nothing confidential
 */
function probe(problems: readonly Finding[], fails: (problem: Finding) => boolean): Response {
	const sentences = (of: readonly Finding[]) => of.map(({ problem }) => problem).join(' ');
	const failing = problems.filter(fails);
	if (failing.length > 0) throw new AppError('UNAVAILABLE', sentences(failing));
	return Response.json(problems.length === 0 ? { status: 'ok' } : { status: 'ok', problem: sentences(problems) });
}

/** Pages of any origin may load them. */
const SCRIPT_HEADERS = {
	'Cache-Control': 'public, max-age=3600',
	'Access-Control-Allow-Origin': '*',
	'Cross-Origin-Resource-Policy': 'cross-origin',
};

function scriptHandler(name: 'formsrv.js' | 'altcha.js'): Handler {
	const files = createAssetFiles('script');
	return getOnly(async (request) => {
		const response = await files(name, request);
		if (!response) throw new AppError('NOT_FOUND', 'The script was not built into this server.');
		for (const [header, value] of Object.entries(SCRIPT_HEADERS)) response.headers.set(header, value);
		return response;
	});
}

/** Accepts only GET and HEAD; the listener sends no body to HEAD. */
function getOnly(handler: Handler): Handler {
	return (request, info) => {
		if (request.method !== 'GET' && request.method !== 'HEAD') throw noRoute(['GET', 'HEAD']);
		return handler(request, info);
	};
}

function endpointOf(app: App, prefix: SubmitPrefix, urls: PublicUrls): Handler {
	return createEndpoint({
		intake: app.intake,
		senders: app.senders,
		visitors: app.dispatch.visitors,
		prefix,
		endpoint: `${urls.submit}/f`,
		ownAddress: `${prefix === '/f' ? urls.submit : urls.base}${prefix}/`,
		language: app.config.language,
		onRejected: app.metrics.rejected,
		report: (error, requestId) => logServerError(app.log, error, requestId),
	});
}
