/** The server: the two listeners with their handlers, and the work behind them. */

import type { App } from './app.ts';
import { noteSettingNames } from './backup/setting-names.ts';
import { type PublicUrls, publicUrls } from './config.ts';
import { startPauseWatch } from './delivery/worker/pauses.ts';
import { AppError } from './errors.ts';
import { startFileWatch } from './files/file-watch.ts';
import { createDrain, type Drain } from './http/drain.ts';
import type { Fetch } from './http/request-pipeline.ts';
import { isAddress } from './network/address-ranges.ts';
import { startDescriptorWatch } from './server/descriptor-watch.ts';
import { type Handlers, openHandlers } from './server/handlers.ts';
import { startMaintenance } from './server/maintenance.ts';
import { startFollowing } from './spam/bayes/learning.ts';
import type { StopWork } from './storage/contract.ts';

const IDLE_SECONDS = 30;
/** The part of a stop that is for telling keep-alive clients. */
const DRAIN_SHARE = 0.25;
/** Delayed, so that the first response does not wait for it. */
const BACKGROUND_AFTER_MS = 100;
/**
 * Bun's built-in 413 has no message and no CORS headers, so it is disabled. Every reader of a body enforces its own limit;
 * unread bodies are discarded.
 */
const NO_BODY_LIMIT = Number.MAX_SAFE_INTEGER;

export interface RunningServer {
	/** The addresses of the listeners; equal if one serves both. */
	baseUrl: string;
	submitUrl: string;
	/** The addresses that clients use, perhaps of a proxy. */
	publicUrls: PublicUrls;
	/**
	 * Tells keep-alive clients, stops accepting, waits at most `deadlineMs` for requests and background work in flight, and
	 * resolves when everything is closed.
	 */
	stop(deadlineMs: number): Promise<void>;
}

/** @throws AppError with a sentence for the operator if an address cannot be bound; then nothing runs. */
export async function startServer(app: App): Promise<RunningServer> {
	const drain = createDrain();
	const listeners: Bun.Server<undefined>[] = [];
	const noServer = app.storage.serve();
	let background: Timer | undefined;
	let stopBackground: StopWork = async () => {};

	async function stop(deadlineMs: number): Promise<void> {
		clearTimeout(background);
		const ports = listeners.flatMap(({ port }) => port ?? []);
		await drain.begin({ ports, withinMs: deadlineMs * DRAIN_SHARE });
		app.streams.closeAll();
		// Background work can be cut off anywhere, and may be waiting for a bucket or a scanner that hangs.
		const restMs = deadlineMs * (1 - DRAIN_SHARE);
		const stopped = Promise.race([stopBackground(restMs), Bun.sleep(restMs)]);
		await Promise.all([stopListeners(listeners, restMs), stopped]);
		noServer();
	}

	try {
		const publicUrls = openListeners(app, { listeners, drain });
		background = setTimeout(() => {
			stopBackground = startBackground(app, publicUrls);
		}, BACKGROUND_AFTER_MS);
		const [baseUrl = '', submitUrl = baseUrl] = listeners.map((listener) => listener.url.origin);
		if (app.config.metrics) listeners.push(openMetricsListener(app, app.config.metrics));
		return { baseUrl, submitUrl, publicUrls, stop };
	} catch (error) {
		await stop(0);
		throw error;
	}
}

/** Starts the work of each server, and that which one server does for all. Mails link to the addresses. */
function startBackground(app: App, { base: baseUrl, submit }: PublicUrls): StopWork {
	const { backups, config, dispatch, files, log, spam, storage } = app;
	const noteForBackups = () =>
		void Promise.all([noteSettingNames(storage, config), backups.identify()]).catch((cause) =>
			log.warn('The identity of the installation and the names of its settings could not be noted for backups.', {
				cause,
			}),
		);
	noteForBackups();
	app.onReload(noteForBackups);
	const work: StopWork[] = [
		startFileWatch(storage, { ...config.files, store: files.store, log }),
		startFollowing(spam.models, log),
		startPauseWatch(storage, app),
		startDescriptorWatch(storage.findings),
		startAlerts(app, baseUrl),
		...(config.backup.to ? [backups.start()] : []),
		storage.lead('maintenance', () => startMaintenance(app)),
		storage.lead('search', () => storage.search.follow(log)),
		storage.lead('delivery', () => dispatch.start(baseUrl, submit)),
	];
	return async (graceMs) => {
		await Promise.all(work.map((stop) => stop(graceMs)));
	};
}

/** Loaded only where it is set up: it takes the code of mails along. */
function startAlerts(app: App, baseUrl: string): StopWork {
	let starting: Promise<() => Promise<void>> | undefined;
	const startIfSet = () => {
		if (app.config.alertUrl === null && app.config.alertMail === null) return;
		starting ??= import('./alerts/start.ts').then(({ startAlerting }) => startAlerting(app, baseUrl));
	};
	startIfSet();
	app.onReload(startIfSet);
	return async () => (await starting)?.();
}

/** Each listener is added to `listeners` as soon as it is open. */
function openListeners(
	app: App,
	{ listeners, drain }: { listeners: Bun.Server<undefined>[]; drain: Drain },
): PublicUrls {
	const { host, port, submitHost, submitPort } = app.config;
	const isShared = host === submitHost && port === submitPort && port !== 0;
	// The handlers need the ports, which are known only once the listeners are open. No request arrives in between, because
	// all of this happens in one turn of the event loop.
	let handlers: Handlers;
	const base = listen({ host, port, fetch: (request, self) => handlers.base(request, self) });
	listeners.push(base);
	let submit = base;
	if (!isShared) {
		submit = listen({ host: submitHost, port: submitPort, fetch: (request, self) => handlers.submit(request, self) });
		listeners.push(submit);
	}
	const urls = publicUrls({ ...app.config, port: base.port as number, submitPort: submit.port as number });
	handlers = openHandlers(app, { isShared, urls, drain });
	return urls;
}

/** Serves /metrics to every client that can reach it, apart from the public addresses. */
function openMetricsListener(app: App, { host, port }: { host: string; port: number }) {
	const respond = async ({ method, url }: Request): Promise<Response> => {
		if (new URL(url).pathname !== '/metrics')
			return new Response('Not found: only /metrics is here.\n', { status: 404 });
		if (method !== 'GET' && method !== 'HEAD')
			return new Response(null, { status: 405, headers: { Allow: 'GET, HEAD' } });
		return (await import('./server/metrics-routes.ts')).metricsResponse(app);
	};
	const fetch = (request: Request) =>
		respond(request).catch((cause) => {
			app.log.error('The metrics could not be read.', { cause });
			return new Response('The metrics cannot be read now.\n', { status: 503 });
		});
	return listen({ host, port, fetch });
}

function listen({ host, port, fetch }: { host: string; port: number; fetch: Fetch }) {
	try {
		return Bun.serve({
			hostname: host,
			port,
			// Otherwise two servers could share one port unnoticed.
			reusePort: false,
			development: false,
			idleTimeout: IDLE_SECONDS,
			maxRequestBodySize: NO_BODY_LIMIT,
			fetch,
		});
	} catch (cause) {
		throw new AppError('UNAVAILABLE', `Cannot listen at ${host}:${port}: ${reasonOf(cause, host)}`, { cause });
	}
}

function reasonOf(cause: unknown, host: string): string {
	const { code, message } = cause as Error & { code?: string };
	// Bun does not tell a name that cannot be resolved from a port that is taken.
	if (!isAddress(host) && code !== 'EACCES') return `it is in use, or "${host}" is not a name of this machine.`;
	if (code === 'EADDRINUSE') return 'it is in use. Choose another port.';
	return code === 'EADDRNOTAVAIL' ? 'this machine does not have that address.' : `${message}.`;
}

async function stopListeners(listeners: Bun.Server<undefined>[], deadlineMs: number): Promise<void> {
	const drained = Promise.all(listeners.map((listener) => listener.stop()));
	await Promise.race([drained, Bun.sleep(deadlineMs)]);
	await Promise.all(listeners.map((listener) => listener.stop(true)));
}
