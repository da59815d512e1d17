/** An HTTP POST to an untrusted URL that cannot reach the operator's own network (SSRF guard). */

import { lookup } from 'node:dns/promises';
import type { IncomingMessage } from 'node:http';
import type { RequestOptions } from 'node:https';
import { isIP } from 'node:net';
import { createBeginning } from './bounded-response.ts';
import { type PostBody, STALLED, sendBody } from './post-body.ts';
import { createAddressGuard } from './public-address.ts';

const DEFAULT_TIMEOUT_MS = 15_000;
const DEFAULT_STALL_MS = 5_000;
const MAX_RESPONSE_BYTES = 64 * 1024;
const MAX_EXCERPT_BYTES = 1024;
/** Statuses below 200 before the response. */
const MAX_ANNOUNCEMENTS = 100;
const MAX_HEADER_BYTES = 16 * 1024;
const LAST_PRIVILEGED_PORT = 1023;
/** Why a request ends that has had its time. */
const TIME_IS_UP = Symbol('time is up');

interface ResolvedAddress {
	address: string;
	family: number;
}

export interface PostRequest {
	method?: 'PUT' | undefined;
	headers: Record<string, string>;
	body: PostBody;
	/** Ends the request early, for an orderly stop. */
	signal?: AbortSignal;
}

/** At which step a request failed before there was a response. */
type PostFailure = 'url' | 'forbidden' | 'dns' | 'connection' | 'tls' | 'timeout' | 'aborted' | 'protocol';

export type PostResult =
	| { hasResponse: true; status: number; bodyExcerpt: string; retryAfter: string | undefined }
	| { hasResponse: false; failure: PostFailure; message: string };

interface GuardedPostOptions {
	/** Addresses and ranges that may be reached although they are not public. */
	allowed?: readonly string[];
	/** Bound on the whole exchange, name resolution included. */
	timeoutMs?: number;
	/** How long a receiver may stop reading the body, which stays in memory meanwhile. */
	stallMs?: number;
	resolve?: (hostname: string) => Promise<ResolvedAddress[]>;
	/** Certificate authorities to trust instead of the built-in ones. */
	ca?: string;
}

export type GuardedPost = (url: string, request: PostRequest) => Promise<PostResult>;

/**
 * Makes a POST client that never throws. It resolves a name once, rejects it if *any* of its addresses is not
 * public, connects only to the addresses it has checked (which defeats DNS rebinding), follows no redirect, uses no
 * proxy, and reads at most 64 KiB within the time allowed.
 */
export function createGuardedPost(options: GuardedPostOptions = {}): GuardedPost {
	const { allowed, timeoutMs = DEFAULT_TIMEOUT_MS, stallMs = DEFAULT_STALL_MS, resolve = resolveAll, ca } = options;
	const mayReach = createAddressGuard(allowed);

	return async (text, request) => {
		const target = readTarget(text);
		if (typeof target === 'string') return { hasResponse: false, failure: 'url', message: target };

		const bounds = createBounds(timeoutMs, request.signal);
		const { signal } = bounds;
		try {
			signal.throwIfAborted();
			const addresses = await unlessAborted(checkedAddresses(target, { resolve, mayReach }), signal);
			if (typeof addresses === 'string') return { hasResponse: false, failure: 'forbidden', message: addresses };
			return await exchange(target, { request, addresses, signal, ca, stallMs });
		} catch (error) {
			if (signal.reason === TIME_IS_UP) return failed('timeout', `No response within ${timeoutMs / 1000} seconds.`);
			if (signal.aborted) return failed('aborted', 'Stopped before there was a response.');
			return classify(error);
		} finally {
			bounds.release();
		}
	};
}

/**
 * A signal that aborts after the time limit or with `stop`. `release` ends both: `AbortSignal.timeout` would keep each exchange,
 * with its body, in memory until its time limit has passed.
 */
function createBounds(timeoutMs: number, stop: AbortSignal | undefined): { signal: AbortSignal; release: () => void } {
	const controller = new AbortController();
	const abort = () => controller.abort();
	const timer = setTimeout(() => controller.abort(TIME_IS_UP), timeoutMs);
	if (stop?.aborted) abort();
	stop?.addEventListener('abort', abort);
	return {
		signal: controller.signal,
		release: () => {
			clearTimeout(timer);
			stop?.removeEventListener('abort', abort);
		},
	};
}

/** The URL to post to, or a sentence that says why it is not allowed. Pure: the host is not resolved. */
export function readTarget(text: string): URL | string {
	const url = URL.parse(text);
	if (url === null) return 'The URL cannot be read: it must be like https://hooks.example.com/path.';
	if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'The URL must begin with https:// or http://.';
	if (url.username !== '' || url.password !== '') return 'The URL must not hold a user name or password.';
	if (url.port !== '' && Number(url.port) <= LAST_PRIVILEGED_PORT) {
		return `After ${url.protocol}// the port must be ${url.protocol === 'https:' ? 443 : 80} or one above 1023.`;
	}
	return url;
}

/** Why a URL is not allowed, as far as that is known without resolving its name; `undefined` if it is. */
export function objectionTo(text: string, allowed: readonly string[]): string | undefined {
	const target = readTarget(text);
	if (typeof target === 'string') return target;
	const address = literalAddress(target);
	return address === undefined || createAddressGuard(allowed)(address) ? undefined : notPublic(address);
}

/** The host of a URL if it is an IP address. */
function literalAddress({ hostname }: URL): string | undefined {
	const host = hostname.replace(/^\[|\]$/g, '');
	return isIP(host) === 0 ? undefined : host;
}

/** The addresses of a host, all of them reachable, or a sentence that says which one is not. */
async function checkedAddresses(
	url: URL,
	guard: { resolve: (hostname: string) => Promise<ResolvedAddress[]>; mayReach: (address: string) => boolean },
): Promise<ResolvedAddress[] | string> {
	const { hostname } = url;
	const literal = literalAddress(url);
	const addresses =
		literal === undefined ? await guard.resolve(hostname) : [{ address: literal, family: isIP(literal) }];
	if (addresses.length === 0) return `The name ${hostname} has no address.`;
	const forbidden = addresses.find(({ address }) => !guard.mayReach(address));
	return forbidden ? notPublic(forbidden.address) : addresses;
}

function notPublic(address: string): string {
	return `${address} is not a public address; the operator may allow it with FORMSRV_WEBHOOK_ALLOW.`;
}

function resolveAll(hostname: string): Promise<ResolvedAddress[]> {
	return lookup(hostname, { all: true });
}

interface Exchange {
	request: PostRequest;
	addresses: ResolvedAddress[];
	signal: AbortSignal;
	ca: string | undefined;
	stallMs: number;
}

async function exchange(url: URL, { request, addresses, signal, ca, stallMs }: Exchange): Promise<PostResult> {
	// Loaded with the first request: it is slow to load, and many servers have no webhooks.
	const { request: open } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
	signal.throwIfAborted();
	return new Promise((resolve, reject) => {
		const options: RequestOptions = {
			method: request.method ?? 'POST',
			headers: { ...request.headers, 'Content-Length': String(request.body.bytes) },
			agent: false,
			maxHeaderSize: MAX_HEADER_BYTES,
			rejectUnauthorized: true,
			signal,
			ca,
			lookup: (_hostname, { all }, callback) => {
				const [first] = addresses;
				if (all || first === undefined) return callback(null, addresses);
				callback(null, first.address, first.family);
			},
		};
		const outgoing = open(url, options);
		// The first event wins. A response with 101 takes over the connection, which then emits no error.
		outgoing.on('error', reject);
		outgoing.on('close', () => reject(hungUp()));
		signal.addEventListener('abort', () => reject(signal.reason), { once: true });
		let announcements = 0;
		outgoing.on('information', () => {
			if (++announcements > MAX_ANNOUNCEMENTS) outgoing.destroy(new Error('it announces a response without end'));
		});
		outgoing.on('upgrade', (response, socket) => {
			socket.destroy();
			resolve(resultOf(response, ''));
		});
		outgoing.on('response', (response) => {
			outgoing.on('error', () => response.destroy());
			const excerpt = readExcerpt(response, signal).finally(() => outgoing.destroy());
			resolve(excerpt.then((bodyExcerpt) => resultOf(response, bodyExcerpt)));
		});
		sendBody(outgoing, request.body, stallMs).catch((error) => outgoing.destroy(error));
	});
}

function resultOf({ statusCode = 0, headers }: IncomingMessage, bodyExcerpt: string): PostResult {
	return { hasResponse: true, status: statusCode, bodyExcerpt, retryAfter: headers['retry-after'] };
}

function hungUp(): Error {
	return Object.assign(new Error('The connection was closed before there was a response.'), { code: 'ECONNRESET' });
}

/** The beginning of the body. An error after the status line only ends it: the status counts. */
function readExcerpt(response: IncomingMessage, signal: AbortSignal): Promise<string> {
	const excerpt = createBeginning(MAX_EXCERPT_BYTES);
	let size = 0;
	return new Promise((resolve) => {
		const finish = () => resolve(excerpt.soFar());
		response.on('data', (chunk: Buffer) => {
			excerpt.add(chunk);
			size += chunk.length;
			if (size >= MAX_RESPONSE_BYTES) finish();
		});
		for (const event of ['end', 'error', 'aborted', 'close']) response.on(event, finish);
		signal.addEventListener('abort', finish, { once: true });
	});
}

/** Name resolution cannot be cancelled, so its result is ignored instead. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
	return new Promise((resolve, reject) => {
		signal.addEventListener('abort', () => reject(signal.reason), { once: true });
		work.then(resolve, reject);
	});
}

function classify(error: unknown): PostResult {
	const { code = '', message = String(error) } = error as { code?: string; message?: string };
	if (code === STALLED) return failed('timeout', message);
	if (/^(ENOTFOUND|EAI_|ENODATA|ESERVFAIL|DNS_)/.test(code)) return failed('dns', 'The name cannot be resolved.');
	if (/CERT|TLS|SSL|EPROTO|SELF_SIGNED|UNABLE_TO_/.test(code))
		return failed('tls', `No TLS connection can be made, or the certificate is not trusted: ${message}.`);
	if (code === 'ECONNREFUSED') return failed('connection', `Nothing accepts connections there: ${message}.`);
	if (code === 'ECONNRESET' || code === 'EPIPE') return failed('connection', hungUp().message);
	if (/^(ECONN|EHOST|ENET|ETIMEDOUT|EADDR)|Connection/.test(code))
		return failed('connection', `The address cannot be reached: ${message}.`);
	return failed(
		'protocol',
		`${code.startsWith('HPE_') ? 'The response is not valid HTTP' : 'The request failed'}: ${message}.`,
	);
}

function failed(failure: PostFailure, message: string): PostResult {
	return { hasResponse: false, failure, message };
}
