/** Turns every thrown value into an error response: a status and the error envelope. */

import type { Static } from '@sinclair/typebox';
import { AppError, ERROR_STATUS } from '../errors.ts';
import type { ErrorBody } from './openapi.ts';

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
	const { fields } = error.details;
	return { error: error.message, code: error.code, ...(fields && { errors: fields }), requestId };
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
