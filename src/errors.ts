/** The one error class of the domain, and the closed list of error codes. */

export const ERROR_CODES = [
	'VALIDATION_ERROR',
	'INVALID_BODY',
	'INVALID_HOST',
	'EMPTY_SUBMISSION',
	'FILES_NOT_SUPPORTED',
	'CAPTCHA_REQUIRED',
	'CAPTCHA_FAILED',
	'UNAUTHORIZED',
	'FORBIDDEN',
	'FORM_DISABLED',
	'DOMAIN_NOT_ALLOWED',
	'NOT_FOUND',
	'FORM_NOT_FOUND',
	'METHOD_NOT_ALLOWED',
	'CONFLICT',
	'SLUG_TAKEN',
	'IDEMPOTENCY_KEY_REUSED',
	'PAYLOAD_TOO_LARGE',
	'UNSUPPORTED_MEDIA_TYPE',
	'RATE_LIMITED',
	'INTERNAL',
	'UNAVAILABLE',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** One field of an error; `field` is a dotted path such as `allowedDomains.0` or a query parameter's name. */
export interface FieldError {
	field: string;
	code: string;
	message: string;
}

export interface ErrorDetails {
	fields?: FieldError[];
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

/** A `VALIDATION_ERROR` about one field or parameter. */
export function invalidField(field: string, code: string, message: string): AppError {
	return new AppError('VALIDATION_ERROR', message, { fields: [{ field, code, message }] });
}
