/** The JSON API as commands call it: that of the opened application, in this process, or that of a server elsewhere. */

import type { Form } from '../forms/schema.ts';
import { pathSegment } from '../http/path-segment.ts';
import type { Mode } from '../storage/tables.ts';
import { parseExact } from '../text/exact-json.ts';
import { CommandError, pickForm } from './cli.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';
export type Query = URLSearchParams | Record<string, string>;

export interface Call {
	method: Method;
	/** With its query. */
	path: string;
	/** JSON, unless the headers say otherwise. A stream is opened for each try. */
	body?: Body;
	/** Beside those of every call. */
	headers?: Record<string, string>;
	mode: Mode | undefined;
}

/** @throws AppError as the API says it, or CommandError: then there is no response */
export type Send = (call: Call) => Promise<Response>;

type Body = string | (() => Promise<ReadableStream<Uint8Array>>);

/** A body that is no JSON. */
export interface Content {
	type: string;
	body: Body;
}

/** Numbers that JavaScript would change keep their digits, as `parseExact` says. */
export interface Api {
	/** The same, confined to forms of a mode. @throws CommandError if the key is of the other one */
	in(mode: Mode | undefined): Api;
	get<T>(path: string, query?: Query): Promise<T>;
	post<T>(path: string, body?: object): Promise<T>;
	patch<T>(path: string, body: object): Promise<T>;
	delete<T>(path: string): Promise<T>;
	send<T>(path: string, content: Content, query?: Query): Promise<T>;
	/** A response that may be long. */
	open(path: string, query?: Query): Promise<Response>;
}

/** A path of which each value is one segment. @throws AppError NOT_FOUND as `pathSegment` does */
export function at(texts: TemplateStringsArray, ...values: string[]): string {
	return String.raw({ raw: texts }, ...values.map(pathSegment));
}

export function createApi(send: Send, mode?: Mode): Api {
	const withQuery = (path: string, query: Query = {}) => {
		const text = new URLSearchParams(query).toString();
		return text === '' ? path : `${path}?${text}`;
	};
	async function read<T>(call: Omit<Call, 'mode'>): Promise<T> {
		const response = await send({ ...call, mode });
		const text = await response.text();
		try {
			return parseExact(text) as T;
		} catch {
			throw new CommandError('What --server names does not answer like formsrv: its response is not valid JSON.');
		}
	}
	const call = <T>(method: Method, path: string, body?: object) =>
		read<T>({ method, path, ...(body && { body: JSON.stringify(body, asSent) }) });
	return {
		in: (other) => createApi(send, other),
		get: (path, query) => call('GET', withQuery(path, query)),
		post: (path, body) => call('POST', path, body),
		patch: (path, body) => call('PATCH', path, body),
		delete: (path) => call('DELETE', path),
		send: (path, { type, body }, query) =>
			read({ method: 'POST', path: withQuery(path, query), body, headers: { 'Content-Type': type } }),
		open: (path, query) => send({ method: 'GET', path: withQuery(path, query), mode }),
	};
}

/** No number is sent as `null`, which would mean the default. */
const asSent = (_: string, value: unknown) =>
	typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;

/** Finds a form by its id or slug. @throws CommandError if there is none */
export async function findForm(api: Api, idOrSlug: string): Promise<Form> {
	return pickForm((await api.get<{ forms: Form[] }>('/api/forms')).forms, idOrSlug);
}

/** The path of a form, by its id or slug. @throws CommandError if there is none */
export async function formPath(api: Api, idOrSlug: string): Promise<string> {
	return at`/api/forms/${(await findForm(api, idOrSlug)).id}`;
}
