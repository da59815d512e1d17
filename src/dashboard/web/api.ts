/** The only client of the server: one typed function for each call of the JSON API. */

import { signal } from '@preact/signals';
import type { WordList } from '../../storage/owned.ts';
import type * as types from './api-types.ts';
import { parseExactJson } from './exact-json.ts';
import * as words from './sentences/words.ts';

/** A network may be silent for as long as it likes. Few enough of the requests that are sent every second then wait for a browser to send more. */
const PROBE_MS = 4000;

/** True if the last call reached the server. */
export const isReachable = signal(true);

/** Set by every 401; the sign-in view explains it. */
export const isSignedOut = signal(false);

/** An error response, or (status 0) no response. */
export class ApiError extends Error {
	readonly status: number;
	readonly code: string;
	readonly fields: Record<string, string>;
	readonly requestId: string | undefined;

	constructor(status: number, envelope: Partial<types.ErrorEnvelope>) {
		super(envelope.error ?? words.frame.serverReturned(status));
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
	/** Sent as JSON, or as a form. */
	body?: unknown;
	token?: string;
	signal?: AbortSignal;
	/** From then on the server counts as away; not with `signal`. */
	timeoutMs?: number;
	/** The request survives the page, which may send it as it is left. */
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
	const { method = 'GET', query, body, token, signal, timeoutMs, keepalive } = options;
	const headers: Record<string, string> = { Accept: 'application/json' };
	if (method !== 'GET') headers['X-Formsrv-CSRF'] = '1';
	const isForm = body instanceof FormData;
	if (body !== undefined && !isForm) headers['Content-Type'] = 'application/json';
	if (token !== undefined) headers.Authorization = `Bearer ${token}`;
	let error = words.frame.unreachable;
	try {
		const response = await fetch(withQuery(path, query), {
			method,
			headers,
			body: body === undefined || isForm ? body : JSON.stringify(body),
			signal: timeoutMs === undefined ? signal : AbortSignal.timeout(timeoutMs),
			keepalive,
			credentials: 'same-origin',
		});
		isReachable.value = !isOfProxy(response);
		if (isReachable.value) return response;
		if (response.ok) error = words.frame.pageInPlace;
	} catch (cause) {
		if (signal?.aborted) throw cause;
		isReachable.value = false;
	}
	throw new ApiError(0, { code: 'UNREACHABLE', error });
}

/** Returns whether a proxy responds in place of the server: errors of the server itself are JSON, and nothing asked for here is a page. */
function isOfProxy({ ok, status, headers }: Response): boolean {
	const type = headers.get('Content-Type') ?? '';
	return ok ? type.startsWith('text/html') : status >= 500 && !type.startsWith('application/json');
}

async function errorFrom(response: Response): Promise<ApiError> {
	const envelope = await response.json().catch(() => ({}));
	return new ApiError(response.status, envelope as Partial<types.ErrorEnvelope>);
}

async function call<T>(path: string, options: CallOptions = {}): Promise<T> {
	const response = await send(path, options);
	const isSigningIn = options.method === 'POST' && path === '/api/session';
	if (response.status === 401 && !isSigningIn) isSignedOut.value = true;
	if (!response.ok) throw await errorFrom(response);
	const text = await response.text();
	return (text === '' ? undefined : parseExactJson(text)) as T;
}

type More = Pick<CallOptions, 'signal' | 'keepalive'>;
const get = <T>(path: string, query?: object, more?: More) => call<T>(path, { ...more, query });
const post = <T>(path: string, body?: unknown, more?: More) => call<T>(path, { ...more, method: 'POST', body });
const patch = <T>(path: string, body: unknown, more?: More) => call<T>(path, { ...more, method: 'PATCH', body });
const remove = <T = unknown>(path: string) => call<T>(path, { method: 'DELETE' });

const segment = encodeURIComponent;
const formPath = (id: string) => `/api/forms/${segment(id)}`;
const submissionPath = (form: string, id: string) => `${formPath(form)}/submissions/${segment(id)}`;
const filePath = ({ form, submission, file }: types.FileAddress) =>
	`${submissionPath(form, submission)}/files/${segment(file)}`;
const deliveryPath = (id: string) => `/api/deliveries/${segment(id)}`;
const webhookPath = (form: string, id: string) => `${formPath(form)}/webhooks/${segment(id)}`;

export const session = {
	read: () => get<types.Session>('/api/session'),
	ways: () => get<types.SignInWays>('/api/session/ways'),
	open: (proof: types.OpenSession) => post<types.Session>('/api/session', proof),
	switchMode: (mode: types.Mode) => patch<types.Session>('/api/session', { mode }),
	close: () => remove('/api/session'),
};

export const forms = {
	list: () => get<{ forms: types.Form[] }>('/api/forms'),
	create: (form: types.CreateForm) => post<types.Form>('/api/forms', form),
	update: (id: string, change: types.UpdateForm) => patch<types.Form>(formPath(id), change),
	remove: (id: string) => remove(formPath(id)),
	suggestFields: (id: string) => get<types.FieldSuggestion>(`${formPath(id)}/fields/suggestion`),
	/** The mail of a form, with invented values. */
	previewMail: (id: string) => post<types.MailContent>(`${formPath(id)}/notification/preview`),
	/** That as a page, for a sandboxed frame. */
	mailAddress: (id: string) => `${formPath(id)}/notification/preview`,
	testMail: (id: string) => post<{ to: string[] }>(`${formPath(id)}/notification/test`),
	stats: (days: number) => get<types.AllStats>('/api/stats', { days }),
};

export interface BulkChange extends Partial<Record<WordList['adding' | 'removing'], string[]>> {
	set?: Partial<types.Owned>;
	sendWithheld?: boolean;
}

export const submissions = {
	list: (form: string, query: types.ListQuery, signal?: AbortSignal) =>
		get<types.SubmissionPage>(`${formPath(form)}/submissions`, query, { signal }),
	read: (form: string, id: string) => get<types.Submission>(submissionPath(form, id)),
	update: (form: string, id: string, change: Partial<types.Flags>) =>
		patch<types.Submission>(submissionPath(form, id), change),
	updateMany: (form: string, target: types.BulkTarget, change: BulkChange) =>
		patch<{ updated: number }>(`${formPath(form)}/submissions`, { ...target, ...change }, { keepalive: true }),
	removeMany: (form: string, target: types.BulkTarget) =>
		post<{ deleted: number }>(
			`${formPath(form)}/submissions/delete`,
			{ ...target, dryRun: false },
			{ keepalive: true },
		),
	/** How many `removeMany` would remove. */
	countMany: (form: string, target: types.BulkTarget) =>
		post<{ matched: number }>(`${formPath(form)}/submissions/delete`, { ...target, dryRun: true }),
	deliveries: (form: string, id: string) => get<types.DeliveryList>(`${submissionPath(form, id)}/deliveries`),
};

export const files = {
	/** For a download by the browser; the server never lets one be shown as a page. */
	address: (file: types.FileAddress, query?: { infected: 'download' }) => withQuery(filePath(file), query),
	archive: (form: string, id: string) => `${submissionPath(form, id)}/files.zip`,
	async read(file: types.FileAddress, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
		const response = await send(filePath(file), { signal });
		if (!response.ok) throw await errorFrom(response);
		return new Uint8Array(await response.arrayBuffer());
	},
	link: (file: types.FileAddress, expiresIn: number) => post<types.FileLink>(`${filePath(file)}/link`, { expiresIn }),
};

export type ExportFormat = 'csv' | 'xlsx' | 'json' | 'ndjson';

export interface ExportQuery extends types.Selection {
	format: ExportFormat;
	columns: string;
	labels?: true;
	timeZone?: string;
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
	list: () => get<{ keys: types.ApiKey[] }>('/api/keys'),
	create: (key: types.CreateApiKey) => post<types.ApiKey & { key: string | null }>('/api/keys', key),
	revoke: (id: string) => remove(`/api/keys/${segment(id)}`),
};

export const sessions = {
	list: () => get<{ sessions: types.SignedIn[] }>('/api/sessions'),
	end: (id: string) => remove(`/api/sessions/${segment(id)}`),
	endOthers: () => remove<{ ended: number }>('/api/sessions'),
};

export const deliveries = {
	list: (query: types.DeliveryQuery) => get<types.DeliveryList>('/api/deliveries', query),
	read: (id: string) => get<types.DeliveryDetail>(deliveryPath(id)),
	retry: (id: string) => post(`${deliveryPath(id)}/retry`),
	retryAll: (query: Pick<types.DeliveryQuery, 'state' | 'form'>) =>
		post<{ retried: number }>('/api/deliveries/retry', query),
	/** The captured mail as a page, for a sandboxed frame. */
	previewAddress: (id: string) => `${deliveryPath(id)}/preview`,
};

export const audit = {
	list: (query: types.AuditQuery) => get<types.AuditLog>('/api/audit', query),
};

export const webhooks = {
	list: (form: string) => get<{ webhooks: types.Webhook[] }>(`${formPath(form)}/webhooks`),
	create: (form: string, webhook: types.CreateWebhook) =>
		post<types.WebhookWithSecret>(`${formPath(form)}/webhooks`, webhook),
	update: (form: string, id: string, change: types.UpdateWebhook) =>
		patch<types.Webhook>(webhookPath(form, id), change),
	remove: (form: string, id: string) => remove(webhookPath(form, id)),
	rotate: (form: string, id: string) => post<types.WebhookWithSecret>(`${webhookPath(form, id)}/rotate-secret`),
	test: (form: string, id: string) => post<types.WebhookTestResult>(`${webhookPath(form, id)}/test`),
};

const listsPath = (form: string | undefined) => `${form === undefined ? '/api' : formPath(form)}/lists`;

export const lists = {
	read: (form: string | undefined) => get<types.SpamLists>(listsPath(form)),
	change: (form: string | undefined, change: types.ChangeSpamLists) => patch(listsPath(form), change),
};

export const server = {
	status: () => get<types.Status>('/api/status'),
	/** Asks whether it is there, which does not keep the session alive. */
	probe: (timeoutMs = PROBE_MS) => send('/health', { timeoutMs }),
	testMail: (to: string) => post<{ reply: string }>('/api/mail/test', { to }),
};

/** Posts to a form through its public address on this listener, as a website would, with a token for one test. */
export async function submitTest({ id, slug }: types.Form, values: Record<string, string | File>): Promise<void> {
	const { token } = await post<{ token: string }>(`${formPath(id)}/test-token`);
	const entries = Object.entries(values);
	const body = new FormData();
	for (const [name, value] of entries) body.append(name, value);
	const hasFiles = entries.some(([, value]) => value instanceof File);
	await call(`/api/f/${segment(slug)}`, { method: 'POST', body: hasFiles ? body : values, token });
}

export const eventsAddress = '/api/events';
