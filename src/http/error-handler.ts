/** How a face says no: in the error envelope, or with a page to a browser that is somewhere where there is nothing for it. */

import type { AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import { errorResponse, statusOf } from './error-envelope.ts';
import type { RequestInfo } from './request-info.ts';

export interface ErrorHandlerOptions {
	log: Log;
	page(error: AppError, requestId: string): Response;
}

export type ErrorHandler = (request: Request, error: AppError, info: RequestInfo) => Response;

export function createErrorHandler({ log, page }: ErrorHandlerOptions): ErrorHandler {
	return (request, error, { id, path }) => {
		reportFault(log, error, id);
		return wantsPage(request, path) ? page(error, id) : errorResponse(error, id);
	};
}

/**
 * Logs what is our fault, with its cause. A refusal of the caller is in the access log alone, and so is a bound that does
 * its work, or what the log tells of already: both are without a cause.
 */
export function reportFault(log: Log, error: AppError, requestId: string): void {
	if (error.cause === undefined || statusOf(error) < 500) return;
	log.error(error.message, { requestId, code: error.code, cause: error.cause });
}

/** Only a browser that navigates gets a page; the API answers JSON whatever it is asked by. */
function wantsPage(request: Request, path: string): boolean {
	return !path.startsWith('/api/') && (request.headers.get('accept')?.includes('text/html') ?? false);
}
