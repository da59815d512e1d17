/** Responds to errors: with a status and the error envelope, or with a page to a browser that navigates to a wrong address. */

import type { Static } from '@sinclair/typebox';
import { AppError, ERROR_STATUS } from '../errors.ts';
import type { Log } from '../log/log.ts';
import type { ErrorBody } from './openapi.ts';
import type { RequestInfo } from './request-info.ts';

export type ErrorEnvelope = Static<typeof ErrorBody>;

/** A value that is not an `AppError` is a bug: its text goes to the log, never to the client. */
export function toAppError(thrown: unknown): AppError {
	if (thrown instanceof AppError) return thrown;
	return new AppError('INTERNAL', 'Something went wrong on the server. Its log has the cause under this request id.', {
		cause: thrown ?? new Error(`${thrown} was thrown`),
	});
}

export function statusOf(error: AppError): number {
	return ERROR_STATUS[error.code];
}

export function toEnvelope(error: AppError, requestId: string): ErrorEnvelope {
	const errors = error.details.fields?.map(({ field, code, message }) => ({ field, code, message }));
	return { error: error.message, code: error.code, ...(errors && { errors }), requestId };
}

/** Headers that belong to an error, such as `Allow`, `WWW-Authenticate` and `Retry-After`. */
export function errorHeaders(error: AppError): Record<string, string> {
	const { headers, retryAfterSeconds } = error.details;
	return { ...headers, ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }) };
}

export function errorResponse(error: AppError, requestId: string): Response {
	return Response.json(toEnvelope(error, requestId), {
		status: statusOf(error),
		headers: { ...errorHeaders(error), 'Cache-Control': 'no-store' },
	});
}

interface ErrorHandlerOptions {
	log: Log;
	page(request: Request, error: AppError, requestId: string): Promise<Response>;
}

export type ErrorHandler = (request: Request, error: AppError, info: RequestInfo) => Response | Promise<Response>;

export function createErrorHandler({ log, page }: ErrorHandlerOptions): ErrorHandler {
	return (request, error, { id, path }) => {
		logServerError(log, error, id);
		return prefersPage(request, path) ? page(request, error, id) : errorResponse(error, id);
	};
}

/**
 * Logs server errors with their cause, and overload as a warning. Other errors without a cause are only in the access
 * log: client errors, and states that have their own log line.
 */
export function logServerError(log: Log, error: AppError, requestId: string): void {
	if (error.details.isOverload) log.warn(error.message, { requestId, code: error.code });
	if (error.cause === undefined || statusOf(error) < 500) return;
	log.error(error.message, { requestId, code: error.code, cause: error.cause });
}

/** Only a browser that navigates gets a page; the API always responds with JSON. */
function prefersPage(request: Request, path: string): boolean {
	return !path.startsWith('/api/') && (request.headers.get('accept')?.includes('text/html') ?? false);
}
