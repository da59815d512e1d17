/** A client of the API of any version: what a version does not know is noted rather than an error. */

import type { RunningBinary } from '../binary.ts';

type Json = Record<string, unknown>;

export type Client = ReturnType<typeof openClient>;

/** @param note gets a line for everything that the version rejected */
export function openClient(
	{ baseUrl, submitUrl }: RunningBinary,
	key: string,
	note: (line: string) => void = () => {},
) {
	/** `undefined` if the version rejected it. */
	async function call<Body = Json>(route: string, json?: unknown): Promise<Body | undefined> {
		const [method, path] = route.split(' ', 2) as [string, string];
		const response = await fetch(`${baseUrl}${path}`, {
			method,
			headers: { Authorization: `Bearer ${key}`, ...(json !== undefined && { 'Content-Type': 'application/json' }) },
			...(json !== undefined && { body: JSON.stringify(json) }),
		});
		const text = await response.text();
		if (response.ok) return JSON.parse(text) as Body;
		note(`${route}: ${response.status} ${text}`);
		return undefined;
	}

	return {
		call,
		/** Calls that the version cannot do without. */
		async need<Body = Json>(route: string, json?: unknown): Promise<Body> {
			const body = await call<Body>(route, json);
			if (body === undefined) throw new Error(`${route} was rejected.`);
			return body;
		},
		async text(path: string): Promise<string> {
			const response = await fetch(`${baseUrl}${path}`, { headers: { Authorization: `Bearer ${key}` } });
			return `${response.ok ? '' : `${response.status} `}${await response.text()}`;
		},
		async sha256(path: string): Promise<string> {
			const response = await fetch(`${baseUrl}${path}`, { headers: { Authorization: `Bearer ${key}` } });
			return new Bun.CryptoHasher('sha256').update(await response.arrayBuffer()).digest('hex');
		},
		/** Sends a body that is no JSON. */
		async send(path: string, type: string, body: string): Promise<void> {
			const headers = { Authorization: `Bearer ${key}`, 'Content-Type': type };
			const response = await fetch(`${baseUrl}${path}`, { method: 'POST', headers, body });
			if (!response.ok) note(`POST ${path}: ${response.status} ${await response.text()}`);
		},
		/** Submits a JSON text, or a form as a browser does. */
		async submit(slug: string, body: string | FormData | URLSearchParams, headers: Record<string, string> = {}) {
			const type: Record<string, string> = typeof body === 'string' ? { 'Content-Type': 'application/json' } : {};
			const response = await fetch(`${submitUrl}/f/${slug}`, {
				method: 'POST',
				headers: { Accept: 'application/json', ...type, ...headers },
				body,
			});
			if (!response.ok) note(`POST /f/${slug}: ${response.status} ${await response.text()}`);
		},
		async challenge(slug: string, headers: Record<string, string>): Promise<Json> {
			return (await (await fetch(`${submitUrl}/f/${slug}/challenge`, { headers })).json()) as Json;
		},
	};
}

/** A webhook that does not respond is tried every two minutes. */
export const PATIENCE = { withinMs: 180_000 };
