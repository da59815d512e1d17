/** The only client of the server: one typed function for each call of the JSON API. */

import type {
	ApiKey,
	BulkTarget,
	CreateApiKey,
	CreateForm,
	DeliveryDetail,
	DeliveryList,
	DeliveryQuery,
	ErrorEnvelope,
	Flags,
	Form,
	ListQuery,
	Mode,
	Selection,
	Session,
	SignedIn,
	Status,
	Submission,
	SubmissionPage,
	UpdateForm,
	Webhook,
	WebhookTestResult,
	WebhookWithSecret,
} from './api-types.ts';
import { isReachable, isSignedOut } from './connection.ts';
import { parseExactJson } from './exact-json.ts';

/** An error response, or (status 0) no response. */
export class ApiError extends Error {
	readonly status: number;
	readonly code: string;
	readonly fields: Record<string, string>;
	readonly requestId: string | undefined;

	constructor(status: number, envelope: Partial<ErrorEnvelope>) {
		super(envelope.error ?? `The server returned status ${status}.`);
		this.name = 'ApiError';
		this.status = status;
		this.code = envelope.code ?? 'UNKNOWN';
		this.requestId = envelope.requestId;
		this.fields = Object.fromEntries((envelope.errors ?? []).map(({ field, message }) => [field, message]));
	}
}

type Query = Record<string, string | number | boolean | undefined | null>;

interface CallOptions {
	method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
	query?: object;
	body?: unknown;
	signal?: AbortSignal;
	/** The request survives the page. */
	keepalive?: boolean;
}

function withQuery(path: string, query: object = {}): string {
	const pairs = Object.entries(query as Query).filter(
		([, value]) => value !== undefined && value !== null && value !== '',
	);
	const text = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString();
	return text === '' ? path : `${path}?${text}`;
}

async function send(path: string, options: CallOptions): Promise<Response> {
	const { method = 'GET', query, body, signal, keepalive } = options;
	const headers: Record<string, string> = { Accept: 'application/json' };
	if (method !== 'GET') headers['X-Formsrv-CSRF'] = '1';
	if (body !== undefined) headers['Content-Type'] = 'application/json';
	try {
		const response = await fetch(withQuery(path, query), {
			method,
			headers,
			body: body === undefined ? undefined : JSON.stringify(body),
			signal,
			keepalive,
			credentials: 'same-origin',
		});
		isReachable.value = true;
		return response;
	} catch (cause) {
		if (signal?.aborted) throw cause;
		isReachable.value = false;
		throw new ApiError(0, { code: 'UNREACHABLE', error: 'The server cannot be reached.' });
	}
}

async function errorFrom(response: Response): Promise<ApiError> {
	const envelope = await response.json().catch(() => ({}));
	return new ApiError(response.status, envelope as Partial<ErrorEnvelope>);
}

async function call<T>(path: string, options: CallOptions = {}): Promise<T> {
	const response = await send(path, options);
	const isSigningIn = options.method === 'POST' && path === '/api/session';
	if (response.status === 401 && !isSigningIn) isSignedOut.value = true;
	if (!response.ok) throw await errorFrom(response);
	const text = await response.text();
	return (text === '' ? undefined : parseExactJson(text)) as T;
}

const segment = encodeURIComponent;
const formPath = (id: string) => `/api/forms/${segment(id)}`;
const submissionPath = (form: string, id: string) => `${formPath(form)}/submissions/${segment(id)}`;
const webhookPath = (form: string, id: string) => `${formPath(form)}/webhooks/${segment(id)}`;

export const session = {
	read: () => call<Session>('/api/session'),
	open: (proof: { key: string } | { token: string }) => call<Session>('/api/session', { method: 'POST', body: proof }),
	switchMode: (mode: Mode) => call<Session>('/api/session', { method: 'PATCH', body: { mode } }),
	close: () => call<unknown>('/api/session', { method: 'DELETE' }),
};

export const forms = {
	list: () => call<{ forms: Form[] }>('/api/forms'),
	create: (form: CreateForm) => call<Form>('/api/forms', { method: 'POST', body: form }),
	update: (id: string, change: UpdateForm) => call<Form>(formPath(id), { method: 'PATCH', body: change }),
	remove: (id: string) => call<unknown>(formPath(id), { method: 'DELETE' }),
	stats: (days: number) => call<{ forms: Record<string, number[]> }>('/api/stats', { query: { days } }),
};

export const submissions = {
	list: (form: string, query: ListQuery, signal?: AbortSignal) =>
		call<SubmissionPage>(`${formPath(form)}/submissions`, { query, signal }),
	read: (form: string, id: string) => call<Submission>(submissionPath(form, id)),
	update: (form: string, id: string, flags: Partial<Flags>) =>
		call<Submission>(submissionPath(form, id), { method: 'PATCH', body: flags }),
	updateMany: (form: string, target: BulkTarget, change: { set: Partial<Flags>; sendWithheld?: boolean }) =>
		call<{ updated: number }>(`${formPath(form)}/submissions`, {
			method: 'PATCH',
			body: { ...target, ...change },
			keepalive: true,
		}),
	removeMany: (form: string, target: BulkTarget) =>
		call<{ deleted: number }>(`${formPath(form)}/submissions/delete`, {
			method: 'POST',
			body: target,
			keepalive: true,
		}),
	deliveries: (form: string, id: string) => call<DeliveryList>(`${submissionPath(form, id)}/deliveries`),
};

export type ExportFormat = 'csv' | 'json' | 'ndjson';

export interface ExportQuery extends Selection {
	format: ExportFormat;
	bom?: 1;
	formulas?: 'raw';
}

/** The address of an export, for a plain download by the browser. */
export const exportAddress = (form: string, query: ExportQuery) => withQuery(`${formPath(form)}/export`, query);

/** Starts an export; the body streams for as long as the caller reads it. */
export async function openExport(form: string, query: ExportQuery, signal: AbortSignal): Promise<Response> {
	const response = await send(`${formPath(form)}/export`, { query, signal });
	if (!response.ok) throw await errorFrom(response);
	return response;
}

export const keys = {
	list: () => call<{ keys: ApiKey[] }>('/api/keys'),
	create: (key: CreateApiKey) => call<ApiKey & { key: string }>('/api/keys', { method: 'POST', body: key }),
	revoke: (id: string) => call<unknown>(`/api/keys/${segment(id)}`, { method: 'DELETE' }),
};

export const sessions = {
	list: () => call<{ sessions: SignedIn[] }>('/api/sessions'),
	end: (id: string) => call<unknown>(`/api/sessions/${segment(id)}`, { method: 'DELETE' }),
	endOthers: () => call<{ ended: number }>('/api/sessions', { method: 'DELETE' }),
};

export const deliveries = {
	list: (query: DeliveryQuery) => call<DeliveryList>('/api/deliveries', { query }),
	read: (id: string) => call<DeliveryDetail>(`/api/deliveries/${segment(id)}`),
	retry: (id: string) => call<unknown>(`/api/deliveries/${segment(id)}/retry`, { method: 'POST' }),
	retryAll: (query: Pick<DeliveryQuery, 'state' | 'form'>) =>
		call<{ retried: number }>('/api/deliveries/retry', { method: 'POST', body: query }),
	/** The captured mail as a page, for a sandboxed frame. */
	previewAddress: (id: string) => `/api/deliveries/${segment(id)}/preview`,
};

export const webhooks = {
	list: (form: string) => call<{ webhooks: Webhook[] }>(`${formPath(form)}/webhooks`),
	create: (form: string, webhook: { url: string }) =>
		call<WebhookWithSecret>(`${formPath(form)}/webhooks`, { method: 'POST', body: webhook }),
	update: (form: string, id: string, change: Partial<Pick<Webhook, 'url' | 'isActive'>>) =>
		call<Webhook>(webhookPath(form, id), { method: 'PATCH', body: change }),
	remove: (form: string, id: string) => call<unknown>(webhookPath(form, id), { method: 'DELETE' }),
	rotate: (form: string, id: string) =>
		call<WebhookWithSecret>(`${webhookPath(form, id)}/rotate-secret`, { method: 'POST' }),
	test: (form: string, id: string) => call<WebhookTestResult>(`${webhookPath(form, id)}/test`, { method: 'POST' }),
};

export const server = {
	status: () => call<Status>('/api/status'),
	testMail: (to: string) => call<{ reply: string }>('/api/mail/test', { method: 'POST', body: { to } }),
};

/** Posts to a form through its public address on this listener, exactly as a website would. */
export const submitTo = (slug: string, data: Record<string, string>) =>
	call<{ success: boolean; message: string }>(`/api/f/${segment(slug)}`, { method: 'POST', body: data });

export const eventsAddress = '/api/events';
