/** The one error class of the domain, and the closed list of error codes. */

import type { Sentence } from './languages/translation.ts';
import { say } from './languages/translations.ts';

/** The HTTP status of each code. */
export const ERROR_STATUS = {
	VALIDATION_ERROR: 400,
	INVALID_BODY: 400,
	INVALID_HOST: 400,
	EMPTY_SUBMISSION: 400,
	FILES_NOT_SUPPORTED: 400,
	FILE_TOO_LARGE: 413,
	TOO_MANY_FILES: 413,
	FILE_TYPE_NOT_ALLOWED: 415,
	FILES_FULL: 413,
	CAPTCHA_REQUIRED: 400,
	CAPTCHA_FAILED: 400,
	UNAUTHORIZED: 401,
	FORBIDDEN: 403,
	FORM_DISABLED: 403,
	FORM_NOT_OPEN: 403,
	FORM_CLOSED: 403,
	FORM_FULL: 403,
	DOMAIN_NOT_ALLOWED: 403,
	NOT_FOUND: 404,
	FORM_NOT_FOUND: 404,
	METHOD_NOT_ALLOWED: 405,
	CONFLICT: 409,
	SLUG_TAKEN: 409,
	IDEMPOTENCY_KEY_REUSED: 409,
	PAYLOAD_TOO_LARGE: 413,
	UNSUPPORTED_MEDIA_TYPE: 415,
	RATE_LIMITED: 429,
	INTERNAL: 500,
	UNAVAILABLE: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

// Without the mark, browsers would load all codes for its sake.
export const ERROR_CODES = /* @__PURE__ */ Object.keys(ERROR_STATUS) as ErrorCode[];

/** One field of an error; `field` is a dotted path such as `allowedDomains.0` or a query parameter's name. */
export interface FieldError {
	field: string;
	code: string;
	message: string;
	/** The sentence for visitors in their language; without it they read `message`. */
	says?: Sentence;
}

interface ErrorDetails {
	fields?: FieldError[];
	/** The sentence for visitors in their language, or the owner's words, which stay as they are. */
	says?: Sentence | string;
	/** Seconds after which the same request may succeed. */
	retryAfterSeconds?: number;
	/** Response headers of the error, such as `Allow` or `WWW-Authenticate`. */
	headers?: Record<string, string>;
	/** The server has reached a limit of its own: a warning in the log. */
	isOverload?: true;
	/** The underlying error; for the log, never for the response. */
	cause?: unknown;
}

/** An error that a client can act on: `message` is one sentence for people, `code` is for programs. */
export class AppError extends Error {
	readonly code: ErrorCode;
	readonly details: ErrorDetails;

	constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
		super(message, details.cause === undefined ? undefined : { cause: details.cause });
		this.name = 'AppError';
		this.code = code;
		this.details = details;
	}
}

/** An error that visitors read in their language, and programs in English. */
export function spokenError(code: ErrorCode, says: Sentence, details: ErrorDetails = {}): AppError {
	return new AppError(code, say(...says), { ...details, says });
}

/** A `VALIDATION_ERROR` about one field or parameter. */
export function invalidField(field: string, code: string, message: string): AppError {
	return new AppError('VALIDATION_ERROR', message, { fields: [{ field, code, message }] });
}

/** @throws AppError VALIDATION_ERROR that names all fields at fault, if there are any */
export function rejectFaults(fields: FieldError[]): void {
	const [first] = fields;
	if (first) throw new AppError('VALIDATION_ERROR', first.message, { fields });
}
