/** The API of a formsrv server: a function for each of its operations, by the names of the served document. */

import { type Operations, PAGED, type Paged, ROUTES } from './operations.ts';

export type * from './operations.ts';

export interface ClientOptions {
	/** Base address of the server, such as `https://forms.example.com`. At its submit address are only the functions `…ByShortPath`. */
	baseUrl: string;
	/** An API key. Without one there is only what visitors may do. */
	key?: string;
	/** How often a call is tried again that did not reach the server, or found it busy; 2. */
	retries?: number;
	/** In place of the global `fetch`. */
	fetch?: (url: string, init: RequestInit) => Promise<Response>;
	/** In place of `JSON.parse`, which rounds numbers of more than 15 digits. */
	parseJson?: (text: string) => unknown;
}

export interface CallOptions {
	signal?: AbortSignal;
	/** Of a submission: the same key stores it once. By default each call has its own. */
	idempotencyKey?: string;
	headers?: Record<string, string>;
}

type Parameters<Args> =
	Record<string, never> extends Args ? [args?: Args, options?: CallOptions] : [args: Args, options?: CallOptions];

export type Client = {
	[Name in keyof Operations]: (
		...parameters: Parameters<Operations[Name]['args']>
	) => Promise<Operations[Name]['result']>;
} & {
	/**
	 * All items of a list, page by page. Submissions come oldest first, from `after` on, and none is missed or doubled while others arrive. The
	 * other lists are read by their place: collect one first, if what you do with its items takes them out of it.
	 */
	all: {
		[Name in keyof Paged]: (
			...parameters: Parameters<Omit<Operations[Name]['args'], Paging>>
		) => AsyncGenerator<Paged[Name]>;
	};
};

type Paging = 'limit' | 'offset' | 'order';

/** What the server says is wrong. */
export class FormsrvError extends Error {
	/** Status of the response. */
	readonly status: number;
	/** Such as `VALIDATION_ERROR`; empty if something else than formsrv responded. */
	readonly code: string;
	/** The fields at fault. */
	readonly errors: readonly FieldError[];
	/** Names the request in the log of the server. */
	readonly requestId: string | undefined;

	constructor(message: string, { status, code = '', errors = [], requestId }: Said & { status: number }) {
		super(message);
		this.name = 'FormsrvError';
		this.status = status;
		this.code = code;
		this.errors = errors;
		this.requestId = requestId;
	}
}

export interface FieldError {
	field: string;
	code: string;
	message: string;
}

interface Said {
	code?: string;
	errors?: readonly FieldError[];
	requestId?: string | undefined;
}

type Args = Record<string, unknown>;
type Route = {
	method: string;
	path: string;
	isStream?: boolean;
	isKeyed?: boolean;
	/** Of a body that is sent as it is. */
	type?: string;
};

const SECOND_MS = 1000;
/** The longest wait between two tries. */
const WAIT_MAX_MS = 60 * SECOND_MS;
/** In a response of formsrv itself: nothing was done, and the same call may be made again. */
const BUSY = ['RATE_LIMITED', 'UNAVAILABLE'];
/** A proxy may respond with any of these after the call was passed on: the outcome is not known. */
const UNCLEAR = [429, 500, 502, 503, 504];
const PAGE = 100;

/** @throws TypeError for a `baseUrl` that is none, such as that of a variable which is not set */
export function createClient(options: ClientOptions): Client {
	if (!/^https?:\/\/./i.test(options.baseUrl))
		throw new TypeError('baseUrl must be the address of the server, such as https://forms.example.com.');
	const functions = Object.entries<Route>(ROUTES).map(([name, route]) => [
		name,
		(args?: Args, callOptions?: CallOptions) => send(options, { route, args, ...callOptions }),
	]);
	const lists = Object.entries<string>(PAGED).map(([name, items]) => [
		name,
		(args?: Args, callOptions?: CallOptions) => {
			const route = (ROUTES as Record<string, Route>)[name] as Route;
			const read = (page: Args) => send(options, { route, args: { ...args, ...page }, ...callOptions });
			return pages(read, items, name === 'listSubmissions' ? { order: 'asc', after: args?.after ?? '0' } : {});
		},
	]);
	return { ...Object.fromEntries(functions), all: Object.fromEntries(lists) } as Client;
}

interface Page {
	pagination: { limit: number; offset: number; hasMore: boolean; cursor?: string };
}

async function* pages(read: (page: Args) => Promise<unknown>, items: string, first: Args): AsyncGenerator {
	let before = new Set<unknown>();
	for (let page: Args = { ...first, offset: 0 }; ; ) {
		const list = (await read({ ...page, limit: PAGE })) as Page & Record<string, { id: string }[]>;
		const all = list[items] as { id: string }[];
		// What is new at the beginning of a list shifts its places.
		yield* all.filter(({ id }) => !before.has(id));
		before = new Set(all.map(({ id }) => id));
		const { limit, offset, hasMore, cursor } = list.pagination;
		if (!hasMore) return;
		page = 'after' in first ? { ...first, after: cursor, offset: 0 } : { offset: offset + limit };
	}
}

interface Call extends CallOptions {
	route: Route;
	args?: Args | undefined;
}

/** @throws FormsrvError, or what `fetch` throws */
async function send(client: ClientOptions, call: Call): Promise<unknown> {
	const { retries = 2, parseJson = JSON.parse } = client;
	const { route, signal } = call;
	const request = requestOf(client, call);
	const mayRepeat = /^(?:GET|PUT)$/.test(route.method) || route.isKeyed === true;
	for (let tries = 0; ; tries++) {
		const isLast = tries === retries;
		try {
			const response = await (client.fetch ?? fetch)(request.url, request.init);
			if (response.ok && route.isStream) return response;
			const text = await response.text();
			if (response.ok) return readJson(text, parseJson);
			const error = errorOf(response, text);
			const after = response.headers.get('retry-after');
			const isPassing = BUSY.includes(error.code) || (mayRepeat && UNCLEAR.includes(error.status));
			if (isLast || !isPassing || Number(after) * SECOND_MS > WAIT_MAX_MS) throw error;
			await wait(tries, { after, signal });
		} catch (error) {
			if (isLast || !mayRepeat || signal?.aborted || error instanceof FormsrvError) throw error;
			await wait(tries, { after: null, signal });
		}
	}
}

function readJson(text: string, parse: (text: string) => unknown): unknown {
	try {
		return parse(text);
	} catch {
		throw new FormsrvError('The server responded with something else than JSON.', { status: 200 });
	}
}

function requestOf({ baseUrl, key }: ClientOptions, { route, args = {}, ...options }: Call) {
	const { body, ...values } = args;
	const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
		const value = values[name];
		delete values[name];
		// A browser would take these for a way up.
		if (value === undefined || /^\.{0,2}$/.test(`${value}`)) throw new TypeError(`${name} must name an object.`);
		return encodeURIComponent(`${value}`);
	});
	const query = Object.entries(values).filter(([, value]) => value !== undefined && value !== null);
	const search = new URLSearchParams(query.map(([name, value]) => [name, `${value}`])).toString();
	const isForm = body instanceof FormData || body instanceof URLSearchParams;
	const headers = new Headers({
		...(route.isStream ? {} : { Accept: 'application/json' }),
		...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
		...(body === undefined || isForm ? {} : { 'Content-Type': route.type ?? 'application/json' }),
		// Pages without https have no `crypto.randomUUID`.
		...(route.isKeyed
			? { 'Idempotency-Key': options.idempotencyKey ?? crypto.getRandomValues(new Uint32Array(4)).join('-') }
			: {}),
	});
	for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value);
	const init: RequestInit = {
		method: route.method,
		headers,
		...(body === undefined ? {} : { body: isForm || route.type ? (body as FormData) : JSON.stringify(body) }),
		...(options.signal ? { signal: options.signal } : {}),
	};
	return { url: `${baseUrl.replace(/\/+$/, '')}${path}${search === '' ? '' : `?${search}`}`, init };
}

function errorOf({ status, statusText, headers }: Response, text: string): FormsrvError {
	let said: Said & { error?: unknown } = {};
	try {
		said = JSON.parse(text) ?? {};
	} catch {
		// Another program responded, such as a proxy.
	}
	const { error, code, errors, requestId = headers.get('x-request-id') ?? undefined } = said;
	const message = typeof error === 'string' ? error : `The server responded with ${status} ${statusText}.`;
	return new FormsrvError(message, { status, code, errors, requestId });
}

/** As long as the server asks for, or else longer each time, and not the same for all clients. @throws the reason of the signal */
function wait(
	tries: number,
	{ after, signal }: { after: string | null; signal: AbortSignal | undefined },
): Promise<void> {
	const asked = Number(after ?? Number.NaN) * SECOND_MS;
	const ms = Number.isNaN(asked) ? 2 ** tries * SECOND_MS * (0.5 + Math.random() / 2) : asked;
	return new Promise((resolve, reject) => {
		const timer = setTimeout(resolve, ms);
		signal?.addEventListener('abort', () => {
			clearTimeout(timer);
			reject(signal.reason);
		});
	});
}
