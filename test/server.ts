/** The real server for tests: in this process, on free ports of the loopback address, its data in a folder of its own. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openApp } from '../src/app.ts';
import { loadConfig } from '../src/config.ts';
import type { NewKey } from '../src/keys/new-keys.ts';
import { createLog } from '../src/log/log.ts';
import { startServer } from '../src/server.ts';
import { newDatabase } from './engine.ts';

const STOP_WITHIN_MS = 1000;

type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';

export interface TestServerOptions {
	/** Settings by their names in the environment, such as `FORMSRV_RATE_SUBMIT`. */
	settings?: Record<string, string>;
	/** The place of the database, if it is not to be a new one. */
	database?: string;
	now?: () => number;
	/** Time that passes; as the clock says, unless this says otherwise. */
	elapsed?: () => number;
}

export interface CallOptions {
	/** The API key; an admin key of the live mode unless told otherwise, `null` for none. */
	key?: string | null;
	/** Sent as JSON. */
	json?: unknown;
	/** Sent as it is. */
	body?: string | Uint8Array<ArrayBuffer>;
	headers?: Record<string, string>;
}

export interface ServerResponse<Body> {
	status: number;
	headers: Headers;
	/** The body as text, and as JSON if it is that. */
	text: string;
	body: Body;
}

export type TestServer = Awaited<ReturnType<typeof openTestServer>>;

/** Starts a server; the caller closes it, which removes its data as well. */
export async function openTestServer({ settings = {}, database, now, elapsed = now }: TestServerOptions = {}) {
	const folder = mkdtempSync(join(tmpdir(), 'formsrv-test-'));
	const env: Record<string, string> = {
		FORMSRV_LOG_LEVEL: 'warn',
		FORMSRV_PORT: '0',
		FORMSRV_SUBMIT_PORT: '0',
		FORMSRV_DATA_DIR: folder,
		// Tests wait for what comes by asking again and again.
		FORMSRV_RATE_API: '1000000',
		...settings,
	};
	const settled = loadConfig({ env, flags: {}, cwd: folder, isTerminal: false });
	const config = { ...settled, database: database ?? (await newDatabase(folder)) };
	/** The server's log, line by line. */
	const logLines: string[] = [];
	const log = createLog({
		level: config.logLevel,
		format: 'json',
		write: (lines) => logLines.push(...Buffer.from(lines).toString().trimEnd().split('\n')),
	});
	const app = await openApp(config, { log, now, elapsed });
	const server = await startServer(app);

	/** `form` stands for a list of one. */
	async function createKey({ form, ...key }: Partial<NewKey> & { form?: string } = {}): Promise<string> {
		const forms = form === undefined ? key.forms : [form];
		const permissions = forms === undefined ? (['admin'] as const) : (['read'] as const);
		const { token } = await app.keys.create({ mode: 'live', permissions, ...key, forms });
		return token;
	}
	const adminKey = await createKey();

	/** Calls the management API, as in `call('GET /api/forms')`. */
	async function call<Body = unknown>(
		route: `${Method} /${string}`,
		{ key = adminKey, json, body, headers }: CallOptions = {},
	): Promise<ServerResponse<Body>> {
		const [method, path] = route.split(/ (.*)/s, 2);
		const response = await fetch(`${server.baseUrl}${path}`, {
			method,
			redirect: 'manual',
			headers: {
				...(key !== null && { Authorization: `Bearer ${key}` }),
				...(json !== undefined && { 'Content-Type': 'application/json' }),
				...headers,
			},
			...(json !== undefined && { body: JSON.stringify(json) }),
			...(body !== undefined && { body }),
		});
		return readAnswer<Body>(response);
	}

	/** Creates a form; with the admin key unless told otherwise. @throws Error with what the server said, if it creates none */
	async function createForm<Form = { id: string; slug: string }>(json: object, key = adminKey): Promise<Form> {
		const { status, text, body } = await call<Form>('POST /api/forms', { json, key });
		if (status !== 201) throw new Error([`No form was created: ${status} ${text}`, ...logLines].join('\n'));
		return body;
	}

	/** Submits fields as JSON at the submit address, and wants JSON back unless `headers` say otherwise. */
	async function submit(slug: string, fields: object, headers: Record<string, string> = {}) {
		const response = await fetch(`${server.submitUrl}/f/${slug}`, {
			method: 'POST',
			redirect: 'manual',
			headers: { 'Content-Type': 'application/json', Accept: 'application/json', ...headers },
			body: JSON.stringify(fields),
		});
		return readAnswer<{ success: boolean; message: string; code?: string }>(response);
	}

	return {
		app,
		/** Its settings, for a reload. */
		env,
		baseUrl: server.baseUrl,
		submitUrl: server.submitUrl,
		adminKey,
		logLines,
		createKey,
		call,
		createForm,
		submit,
		async close(): Promise<void> {
			await server.stop(STOP_WITHIN_MS);
			await app.close();
			log.flush();
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

export async function readAnswer<Body>(response: Response): Promise<ServerResponse<Body>> {
	const text = await response.text();
	const isJson = response.headers.get('Content-Type')?.startsWith('application/json');
	return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
}
