/** Calls operations of the API for tools, in this process and by its own routes, so that rights, rates, audit log and errors are theirs. */

import type { App } from '../../app.ts';
import type { PublicUrls } from '../../config.ts';
import { AppError, type ErrorCode } from '../../errors.ts';
import { collectChunks } from '../../http/collect-chunks.ts';
import type { ErrorEnvelope } from '../../http/error-responses.ts';
import { pathSegment } from '../../http/path-segment.ts';
import { type RequestInfo, requestInfo, setRequestInfo } from '../../http/request-info.ts';
import { lazy } from '../../tasks/lazy.ts';
import { roughSize } from '../../text/byte-sizes.ts';
import { parseExact } from '../../text/exact-json.ts';
import { createPublicRoutes } from '../public.ts';
import type { ToolContext } from './tool.ts';

/** The longest response that is read for a tool. */
const RESPONSE_BYTES = 4 * 1024 * 1024;

/** Makes what the tools have that a request calls: with its key, and as from its client. */
export type ContextOf = (outer: Request) => ToolContext;

interface ApiCalls {
	handle: (request: Request) => Promise<Response>;
	app: App;
	urls: PublicUrls;
}

export function createApiCalls({ handle, app, urls }: ApiCalls): ContextOf {
	// The endpoint is none of the router's routes.
	const publicAt = lazy(() => createPublicRoutes(app, { prefixes: ['/api/f'], urls }));

	async function respond(request: Request, info: RequestInfo): Promise<Response> {
		const endpoint = publicAt()(info.path);
		if (endpoint) return endpoint(request, info);
		setRequestInfo(request, info);
		return handle(request);
	}

	return (outer) => {
		const info = requestInfo(outer);
		const own = outer.headers.get('authorization');
		return {
			urls,
			async call(operation, { params = {}, query = {}, body, token } = {}) {
				const [method = '', pattern = ''] = operation.split(' ');
				const path = pattern.replace(/:(\w+)/g, (_, name) => pathSegment(params[name] ?? ''));
				const sent = Object.entries(query).flatMap(([name, value]) =>
					value === undefined ? [] : [[name, `${value}`]],
				);
				const request = new Request(`http://localhost${path}?${new URLSearchParams(sent)}`, {
					method,
					headers: {
						Authorization: token === undefined ? `${own}` : `Bearer ${token}`,
						Accept: 'application/json',
						'Content-Type': 'application/json',
					},
					...(body && { body: JSON.stringify(body) }),
				});
				return resultOf(await respond(request, { ...info, request, path }));
			},
		};
	};
}

/** @throws AppError as the response says it */
async function resultOf<Result>(response: Response): Promise<Result> {
	const bytes = await collectChunks(response.body as ReadableStream<Uint8Array>, (total) => {
		if (total <= RESPONSE_BYTES) return;
		throw new AppError('PAYLOAD_TOO_LARGE', `That is more than ${roughSize(RESPONSE_BYTES)}. Ask for less at a time.`);
	});
	const result = parseExact(new TextDecoder().decode(bytes));
	if (response.ok) return result as Result;
	const { code, error, errors } = result as ErrorEnvelope;
	throw new AppError(code as ErrorCode, error, errors && { fields: errors });
}
