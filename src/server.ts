/** The two HTTP faces, management and submit, and their listeners. */

import { Elysia } from 'elysia';
import type { App } from './app.ts';
import { EVENTS_PATH, eventRoutes } from './dashboard/events/routes.ts';
import { dashboardRoutes } from './dashboard/routes.ts';
import { createSessionCookie } from './dashboard/session/cookie.ts';
import { createSessionCredential } from './dashboard/session/credential.ts';
import { sessionRoutes } from './dashboard/session/routes.ts';
import { LIFETIME_MS } from './dashboard/session/sessions.ts';
import { statusRoutes } from './dashboard/status/routes.ts';
import { deliveriesRoutes } from './delivery/routes.ts';
import { webhookRoutes } from './delivery/webhooks/routes.ts';
import { AppError } from './errors.ts';
import { formRoutes } from './forms/routes.ts';
import { apiDocs, openApiDocument } from './http/api-docs.ts';
import { createClientAddress } from './http/client-address.ts';
import { errorHeaders, statusOf } from './http/error-envelope.ts';
import { createFace, type Face, reportFault } from './http/face.ts';
import { createRateLimiter } from './http/rate-limit.ts';
import { pageResponse, THANKS_PATH } from './intake/answers.ts';
import { smallPage } from './intake/pages.ts';
import { intakeRoutes, scriptRoutes, thankYouRoutes } from './intake/routes.ts';
import { createAuth } from './keys/auth.ts';
import { keyRoutes } from './keys/routes.ts';
import { takeServerLock } from './storage/sqlite.ts';
import { bulkRoutes } from './submissions/bulk/routes.ts';
import { exportRoutes } from './submissions/export/routes.ts';
import { startIndexer } from './submissions/indexer.ts';
import { submissionRoutes } from './submissions/routes.ts';
import { statsRoutes } from './submissions/stats/routes.ts';
import { startUpkeep } from './upkeep.ts';
import { VERSION } from './version.ts';

const IDLE_SECONDS = 30;
/**
 * Bun's own refusal of a large body comes without a reason and without CORS, so it is out of the way: whoever reads
 * a body here bounds it, and what nobody reads is dropped as it arrives.
 */
const NO_BODY_LIMIT = Number.MAX_SAFE_INTEGER;

/** Where the faces can be reached from outside; no trailing slashes. */
export interface PublicUrls {
	base: string;
	submit: string;
}

export interface RunningServer {
	/** The addresses it listens at; equal if one listener serves both. */
	baseUrl: string;
	submitUrl: string;
	/** Stops accepting, lets what is in flight finish for at most that long, and resolves when all is closed. */
	stop(deadlineMs: number): Promise<void>;
}

const TAGS = [
	{ name: 'Submit', description: 'Post to a form. No key.' },
	{ name: 'Forms', description: 'Create and manage forms.' },
	{ name: 'Submissions', description: 'Read and keep what people submitted.' },
	{ name: 'Keys', description: 'Make, list and revoke API keys.' },
	{ name: 'Session', description: 'Sign in to the dashboard.' },
	{ name: 'Events', description: 'Hear of what happens as it happens.' },
	{ name: 'Webhooks', description: 'Post what happens to a form to addresses of yours, signed.' },
	{ name: 'Deliveries', description: 'See what left the house, what did not and why, and send it again.' },
	{ name: 'Server', description: 'See how the server fares.' },
];

type Router = Face['router'];

function submitRoutes(app: App, prefix: string, urls: PublicUrls) {
	return intakeRoutes({
		intake: app.intake,
		prefix,
		endpoint: `${urls.submit}/f`,
		thanksUrl: `${urls.submit}${THANKS_PATH}`,
		report: (error, requestId) => reportFault(app.log, error, requestId),
	});
}

/** What both addresses have beside the endpoint: liveness, the thank-you page, the script for web pages. */
const publicPages = () =>
	new Elysia()
		.get('/health', () => ({ status: 'ok' }))
		.use(thankYouRoutes())
		.use(scriptRoutes());

/** Mounts everything but the submit address: the keyed API, and the submission endpoint under `/api/f`. */
export function mountManagement(router: Router, app: App, urls: PublicUrls): void {
	const { sessions } = app;
	const api = createRateLimiter(app.config.rates.api);
	const failures = createRateLimiter(app.config.rates.auth);
	const cookie = createSessionCookie(urls.base, LIFETIME_MS);
	const credential = createSessionCredential(sessions, { cookie, baseUrl: urls.base, idlePath: EVENTS_PATH });
	const auth = createAuth(app.keys, {
		api,
		failures,
		otherCredential: async (request) => (await credential(request))?.session.principal,
	});
	const described = new Elysia()
		.use(formRoutes(app.forms, auth))
		.use(submissionRoutes(app.submissions, auth))
		.use(bulkRoutes(app.bulk, auth))
		.use(exportRoutes(app.submissions, auth))
		.use(statsRoutes(app.stats, auth))
		.use(keyRoutes(app.keys, auth))
		.use(sessionRoutes({ ...app, cookie, credential, api, failures, urls }))
		.use(eventRoutes(app.streams, auth))
		.use(webhookRoutes(app.webhooks, auth))
		.use(deliveriesRoutes(app.dispatch, auth))
		.use(statusRoutes(app, auth))
		.use(submitRoutes(app, '/api/f', urls));
	router.use(publicPages()).use(dashboardRoutes()).use(described);
	const info = { version: VERSION, baseUrl: urls.base, submitUrl: urls.submit, tags: TAGS };
	const documented = () => new Elysia().use(described).use(submitRoutes(app, '/f', urls));
	router.use(apiDocs({ document: () => openApiDocument(documented(), info) }));
}

/** Mounts what strangers reach: the submission endpoint under `/f`, and nothing else. */
export function mountSubmit(router: Router, app: App, urls: PublicUrls): void {
	router.use(publicPages()).use(submitRoutes(app, '/f', urls));
}

/** @throws Error with a sentence for the operator if an address cannot be had, or a server runs on the data already. */
export async function startServer(app: App): Promise<RunningServer> {
	const { config } = app;
	const releaseLock = takeServerLock(config.databaseFile);
	if (!releaseLock) throw new Error(`Another formsrv serves ${config.databaseFile} already.`);
	const isShared = config.host === config.submitHost && config.port === config.submitPort && config.port !== 0;
	const listeners: Bun.Server<undefined>[] = [];
	try {
		// The port is known only once it listens, and the routes need it for the addresses they print. Nothing is
		// answered before they are mounted, because all of this happens in one turn.
		const baseFace = openFace(app);
		const submitFace = isShared ? baseFace : openFace(app);
		const base = listen({ host: config.host, port: config.port, face: baseFace });
		listeners.push(base);
		const submit = isShared ? base : listen({ host: config.submitHost, port: config.submitPort, face: submitFace });
		if (!isShared) listeners.push(submit);
		const urls = { base: config.baseUrl ?? urlOf(base), submit: config.submitUrl ?? urlOf(submit) };
		mountManagement(baseFace.router, app, urls);
		if (isShared) baseFace.router.use(submitRoutes(app, '/f', urls));
		else mountSubmit(submitFace.router, app, urls);
		const upkeep = startUpkeep(app);
		const indexer = startIndexer(app.storage, app.log);
		const stopDispatch = await app.dispatch.start(urls.base);
		return {
			baseUrl: urlOf(base),
			submitUrl: urlOf(submit),
			async stop(deadlineMs) {
				app.streams.closeAll();
				await Promise.all([stopListeners(listeners, deadlineMs), stopDispatch(deadlineMs)]);
				await Promise.all([upkeep.stop(), indexer.stop()]);
				releaseLock();
			},
		};
	} catch (error) {
		await stopListeners(listeners, 0);
		releaseLock();
		throw error;
	}
}

function openFace(app: App): Face {
	return createFace({
		log: app.log,
		clientAddress: createClientAddress(app.config.trustedProxies),
		page: (error, requestId) => pageResponse(smallPage({ status: statusOf(error), requestId }), errorHeaders(error)),
	});
}

function listen({ host, port, face }: { host: string; port: number; face: Face }) {
	try {
		return Bun.serve({
			hostname: host,
			port,
			// On by default elsewhere, it would let two servers share one port without a word.
			reusePort: false,
			development: false,
			idleTimeout: IDLE_SECONDS,
			maxRequestBodySize: NO_BODY_LIMIT,
			fetch: face.fetch,
		});
	} catch (cause) {
		const isTaken = (cause as { code?: string }).code === 'EADDRINUSE';
		const reason = isTaken
			? 'it is in use. Choose other ports with --port and --submit-port.'
			: `${(cause as Error).message}.`;
		throw new AppError('UNAVAILABLE', `Cannot listen at ${host}:${port}: ${reason}`, { cause });
	}
}

async function stopListeners(listeners: Bun.Server<undefined>[], deadlineMs: number): Promise<void> {
	const drained = Promise.all(listeners.map((listener) => listener.stop()));
	await Promise.race([drained, Bun.sleep(deadlineMs)]);
	await Promise.all(listeners.map((listener) => listener.stop(true)));
}

function urlOf(server: Bun.Server<undefined>): string {
	return server.url.origin;
}
