/** The management routes: the API, the dashboard with its sessions, and their documentation. */

import { type AnyElysia, Elysia } from 'elysia';
import type { App } from '../app.ts';
import { auditRoutes } from '../audit/routes.ts';
import { VERSION } from '../config/version.ts';
import type { PublicUrls } from '../config.ts';
import { EVENTS_PATH, eventRoutes } from '../dashboard/events/routes.ts';
import { dashboardRoutes } from '../dashboard/routes.ts';
import { createSessionCookie } from '../dashboard/sessions/cookie.ts';
import { createSessionCredential } from '../dashboard/sessions/credential.ts';
import { oidcRoutes } from '../dashboard/sessions/oidc/routes.ts';
import { sessionRoutes } from '../dashboard/sessions/own/routes.ts';
import { createPersonOf } from '../dashboard/sessions/person.ts';
import { sessionsRoutes } from '../dashboard/sessions/routes.ts';
import { LIFETIME_MS } from '../dashboard/sessions/sessions.ts';
import { statusRoutes } from '../dashboard/status/routes.ts';
import { mailRoutes } from '../delivery/mail/routes.ts';
import { deliveriesRoutes } from '../delivery/routes.ts';
import { suppressionRoutes } from '../delivery/visitor/routes.ts';
import { webhookRoutes } from '../delivery/webhooks/routes.ts';
import { formRoutes } from '../forms/routes.ts';
import { suggestionRoutes } from '../forms/suggestion/routes.ts';
import { apiDocs } from '../http/api-docs.ts';
import { networkOf, shownAddress, widerNetworks } from '../http/client-address.ts';
import type { ErrorHandler } from '../http/error-responses.ts';
import { openApiDocument } from '../http/openapi-document.ts';
import { createRateLimiter } from '../http/rate-limit.ts';
import { requestInfo } from '../http/request-info.ts';
import { createRouter } from '../http/router.ts';
import { createStreamResponse } from '../http/streamed.ts';
import { describedEndpoint } from '../intake/routes.ts';
import { testRoutes } from '../intake/test-submissions/routes.ts';
import { type CountFailure, createAuth } from '../keys/auth.ts';
import { keyRoutes } from '../keys/routes.ts';
import { listRoutes } from '../spam/lists/routes.ts';
import { bulkRoutes } from '../submissions/bulk/routes.ts';
import { erasureRoutes } from '../submissions/erasures/routes.ts';
import { exportRoutes } from '../submissions/export/routes.ts';
import { createDownloads } from '../submissions/files/downloads.ts';
import { fileRoutes } from '../submissions/files/routes.ts';
import { createKeepBytes } from '../submissions/import/file-bytes.ts';
import { createImports } from '../submissions/import/import.ts';
import { importRoutes } from '../submissions/import/routes.ts';
import { submissionRoutes } from '../submissions/routes.ts';
import { spamRoutes } from '../submissions/spam/routes.ts';
import { statsRoutes } from '../submissions/stats/routes.ts';
import { lazy } from '../tasks/lazy.ts';
import { createApiCalls } from './mcp/api-calls.ts';
import { mcpRoutes } from './mcp/routes.ts';
import { metricsRoutes } from './metrics-routes.ts';
import { describedProbes } from './probe-routes.ts';
import { createRecording, type Recording } from './recording.ts';

const TAGS = [
	{ name: 'Submit', description: 'Post to a form. No key.' },
	{ name: 'Forms', description: 'Create and manage forms.' },
	{ name: 'Submissions', description: 'Read and manage submissions.' },
	{ name: 'Keys', description: 'Create, list and revoke API keys.' },
	{ name: 'Session', description: 'Sign in to the dashboard, and list sessions.' },
	{ name: 'Events', description: 'Receive changes as they happen.' },
	{ name: 'Spam', description: 'Block and allow lists: senders and content.' },
	{ name: 'Webhooks', description: 'Post the events of a form to your own addresses, signed.' },
	{ name: 'Deliveries', description: 'List outgoing mails and webhook requests, and retry them.' },
	{ name: 'Server', description: 'Check the state of the server.' },
];

export function openManagement(app: App, { urls, onError }: { urls: PublicUrls; onError: ErrorHandler }) {
	const router = createRouter(onError);
	const { run } = mountManagement(router, app, urls);
	return (request: Request) => run(() => router.fetch(request));
}

export function mountManagement(router: AnyElysia, app: App, urls: PublicUrls): Recording {
	const { windows, now } = app;
	const recording = createRecording(app);
	recording.watch(router);
	const api = createRateLimiter(app.config.rates.api, { windows, now });
	const countFailure = createCountFailure(app);
	const cookie = createSessionCookie(urls.base, LIFETIME_MS);
	const personOf = createPersonOf(app.config);
	const credential = createSessionCredential(app.sessions, {
		cookie,
		personOf,
		baseUrl: urls.base,
		idlePath: EVENTS_PATH,
	});
	const auth = createAuth(app.keys, {
		api,
		countFailure,
		otherCredential: async (request) => (await credential.find(request))?.session.principal,
	});
	const signIn = { ...app, cookie, credential, api, countFailure, urls };
	const stream = createStreamResponse(app.log);
	const reading = { readFields: app.intake.readJson, maxBytes: app.config.limits.maxBody, now };
	const described: AnyElysia[] = [
		formRoutes(app.forms, auth),
		submissionRoutes(app.submissions, auth, stream),
		fileRoutes(createDownloads(app.storage, app.files), auth, {
			stream,
			links: app.files.links,
			baseUrl: urls.base,
			isAlive: app.isAlive,
		}),
		bulkRoutes(app.bulk, auth),
		erasureRoutes(app.erasures, auth),
		exportRoutes(app.submissions, auth, stream),
		importRoutes(createImports(app.storage, reading), auth, {
			...reading,
			storage: app.storage,
			keepBytes: createKeepBytes(app.storage, app.files),
		}),
		spamRoutes(app.explain, auth),
		statsRoutes(app.stats, auth),
		suggestionRoutes(app.storage, auth),
		testRoutes(app.forms, app.tests, auth),
		keyRoutes(app.keys, auth),
		sessionRoutes({ ...signIn, personOf, hasOidc: app.config.oidc !== null }),
		sessionsRoutes(app.sessions, auth),
		eventRoutes(app.streams, auth),
		listRoutes(app.spam.lists, auth),
		webhookRoutes(app.webhooks, auth),
		deliveriesRoutes(app.dispatch, auth),
		mailRoutes(app.dispatch, auth),
		suppressionRoutes(app.dispatch.visitors.bounds, auth),
		statusRoutes(app, auth),
		metricsRoutes(app, auth),
		auditRoutes(app.audit, auth),
	];
	const handle = (request: Request) => recording.run(() => router.fetch(request));
	router.use(dashboardRoutes());
	router.use(oidcRoutes(signIn));
	router.use(mcpRoutes(createApiCalls({ handle, app, urls }), { auth, baseUrl: urls.base }));
	for (const routes of described) router.use(routes);
	const info = { version: VERSION, baseUrl: urls.base, submitUrl: urls.submit, tags: TAGS };
	const documented = () => {
		const all = [...described, describedEndpoint('/api/f'), describedEndpoint('/f'), describedProbes()];
		return all.reduce((whole, routes) => whole.use(routes), new Elysia() as AnyElysia);
	};
	// Rarely asked for, and making it would take 2 ms of each start.
	const schema = lazy(async () => (await import('./forms-file-schema.ts')).formsFileSchema());
	router.get('/api/forms.schema.json', async () =>
		Response.json(await schema(), { headers: { 'Access-Control-Allow-Origin': '*' } }),
	);
	router.use(apiDocs({ document: () => openApiDocument(documented(), info), baseUrl: urls.base }));
	return recording;
}

function createCountFailure({ audit, config, windows, now }: App): CountFailure {
	const limiter = createRateLimiter(config.rates.auth, { windows, now, widen: widerNetworks });
	return (request, facts) => {
		const network = networkOf(requestInfo(request).clientAddress);
		audit.countFailure(shownAddress(config.logAddress, network), facts);
		limiter.take(network);
	};
}
