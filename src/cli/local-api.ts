/** The API of the opened application, called in this process, without a listener and without a key. */

import type { App } from '../app.ts';
import { publicUrls } from '../config.ts';
import type { AppError } from '../errors.ts';
import { statusOf } from '../http/error-responses.ts';
import { setRequestInfo } from '../http/request-info.ts';
import { openManagement } from '../server/management-routes.ts';
import { databaseFileAt, isFile } from '../storage/open.ts';
import { type Api, createApi } from './api.ts';

/** That of the opened application, for the operator, who sees the forms of both modes. */
export function localApi(app: App, operator: string): Api {
	const errors = new WeakMap<Request, AppError>();

	/** A server beside this process takes an object without a row for what a dead process left. */
	async function holdingFiles<T>(mayKeepFile: boolean, run: () => Promise<T>): Promise<T> {
		const { database } = app.config;
		const letGo = mayKeepFile && isFile(database) ? databaseFileAt(database).holdFiles() : () => {};
		try {
			return await run();
		} finally {
			letGo();
		}
	}

	const handle = openManagement(app, {
		urls: publicUrls(app.config),
		onError: (request, error) => {
			errors.set(request, error);
			return new Response(null, { status: statusOf(error) });
		},
	});
	return createApi(async ({ method, path, body, headers: own, mode }) => {
		const headers = new Headers({ ...(body !== undefined && { 'Content-Type': 'application/json' }), ...own });
		const sent = typeof body === 'function' ? await body() : body;
		const request = new Request(`http://localhost${path}`, { method, body: sent, headers });
		setRequestInfo(request, {
			...{ id: 'command', request, started: performance.now(), path: new URL(request.url).pathname },
			...{ clientAddress: '', peerAddress: '' },
			listener: { requestIP: () => null, timeout: () => {} },
			caller: undefined,
			operator: { keyId: null, sessionId: null, mode, permissions: ['admin'], formIds: null, operator },
		});
		const response = await holdingFiles(typeof body === 'function', () => handle(request));
		const error = errors.get(request);
		if (error) throw error.code === 'INTERNAL' ? (error.cause ?? error) : error;
		return response;
	});
}
