/** Responds to errors: with the error envelope, or with a page to a browser that navigates to a wrong address. */

import type { AppError } from '../errors.ts';
import type { Log } from '../log/log.ts';
import { errorResponse, statusOf } from './error-envelope.ts';
import type { RequestInfo } from './request-info.ts';

export interface ErrorHandlerOptions {
	log: Log;
	page(error: AppError, requestId: string): Response;
}

export type ErrorHandler = (request: Request, error: AppError, info: RequestInfo) => Response;

export function createErrorHandler({ log, page }: ErrorHandlerOptions): ErrorHandler {
	return (request, error, { id, path }) => {
		logServerError(log, error, id);
		return prefersPage(request, path) ? page(error, id) : errorResponse(error, id);
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
