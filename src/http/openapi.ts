/** Builders for the descriptions of routes in the OpenAPI document. */

import { type TObject, type TSchema, Type } from '@sinclair/typebox';
import type { DocumentDecoration } from 'elysia';
import { ERROR_CODES, ERROR_STATUS, type ErrorCode } from '../errors.ts';
import { stringEnum } from './schema-types.ts';

interface Parameter {
	schema: TSchema;
	description: string;
	example?: unknown;
}

/** The error envelope of every route. */
export const ErrorBody = Type.Object(
	{
		error: Type.String({ description: 'A sentence a person can act on. May change; programs look at `code`.' }),
		code: stringEnum(ERROR_CODES, { description: 'The kind of error, for programs.' }),
		errors: Type.Optional(
			Type.Array(
				Type.Object({
					field: Type.String({ description: 'Dotted path of the field, or the name of the parameter.' }),
					code: Type.String(),
					message: Type.String(),
				}),
				{ description: 'The invalid fields; absent if no field is.' },
			),
		),
		requestId: Type.String({ description: 'The value of the `X-Request-Id` header; the server logs it too.' }),
	},
	{ $id: 'Error' },
);

/** The envelope of the submission endpoint, with two more members that form libraries read. */
const SubmitErrorBody = Type.Object(
	{
		success: Type.Literal(false),
		message: Type.String({ description: 'For visitors, in their language; `error` is in English.' }),
		...ErrorBody.properties,
	},
	{ $id: 'SubmitError' },
);

interface ErrorExample {
	description: string;
	/** A sentence that the server sends with this code. */
	error: string;
	field?: { field: string; code: string };
	/** Its headers and their descriptions. */
	headers?: Record<string, string>;
}

const REQUEST_ID = '01k3v9x2qm5t';

const ERRORS: Record<ErrorCode, ErrorExample> = {
	VALIDATION_ERROR: {
		description: 'A field or parameter is missing, unknown, there twice or out of its bounds; `errors` names it.',
		error: 'name must have 1 to 200 characters.',
		field: { field: 'name', code: 'INVALID_NAME' },
	},
	INVALID_BODY: { description: 'The body cannot be read.', error: 'The body is not valid JSON.' },
	INVALID_HOST: {
		description: 'The Host header is not usable.',
		error: 'The Host header must be a single host name, with an optional port.',
	},
	EMPTY_SUBMISSION: {
		description: 'Nothing is left to store once the special fields are taken out.',
		error: 'The submission has no fields to store.',
	},
	FILES_NOT_SUPPORTED: {
		description: 'The body contains a file, and the form accepts none.',
		error: 'This form does not accept files; the field "cv" holds one. Leave the file out and send the rest.',
		field: { field: 'cv', code: 'FILES_NOT_SUPPORTED' },
	},
	FILE_TOO_LARGE: {
		description: 'A file is larger than the form allows.',
		error: '“cv.pdf” can’t be attached: a file may have at most 10 MiB.',
		field: { field: 'cv', code: 'FILE_TOO_LARGE' },
	},
	TOO_MANY_FILES: {
		description: 'There are more files than the form allows.',
		error: '“cv.pdf” can’t be attached: this form accepts at most 5 files per submission.',
		field: { field: 'cv', code: 'TOO_MANY_FILES' },
	},
	FILE_TYPE_NOT_ALLOWED: {
		description: 'A file is, by its content, of a type that the form does not accept.',
		error: '“plan.dwg” can’t be attached: this form accepts PDF and pictures.',
		field: { field: 'cv', code: 'FILE_TYPE_NOT_ALLOWED' },
	},
	FILES_FULL: {
		description:
			'The files of the form, or of all forms, take as much room as they may. Submissions without files are accepted.',
		error: '“cv.pdf” can’t be attached: there is no room left for the files of this form.',
		field: { field: 'cv', code: 'FILES_FULL' },
	},
	CAPTCHA_REQUIRED: {
		description: 'The form requires a captcha and none was sent.',
		error: 'Please complete the captcha.',
	},
	CAPTCHA_FAILED: {
		description: 'The captcha was not passed.',
		error: 'The captcha was not passed. Please try again.',
	},
	UNAUTHORIZED: {
		description: 'No key was sent, or it is unknown, revoked or expired.',
		error: 'A valid API key is required: Authorization: Bearer <API_KEY>.',
		headers: { 'WWW-Authenticate': 'The Bearer challenge.' },
	},
	FORBIDDEN: {
		description: 'The key lacks the permission, or is confined to another form.',
		error: 'This key lacks the permission "write".',
	},
	FORM_DISABLED: {
		description: 'The form does not accept submissions.',
		error: 'This form is not accepting submissions.',
	},
	FORM_NOT_OPEN: {
		description: 'The form does not accept submissions yet; see its status.',
		error: 'This form is not open yet. It opens on 1 Feb 2027, 09:00 UTC.',
	},
	FORM_CLOSED: {
		description: 'The form no longer accepts submissions.',
		error: 'This form is closed.',
	},
	FORM_FULL: {
		description: 'The form has reached its maximum number of submissions.',
		error: 'This form is full.',
	},
	DOMAIN_NOT_ALLOWED: {
		description: 'The submission comes from a page that the form does not allow.',
		error: 'This form does not accept submissions from this website.',
	},
	NOT_FOUND: { description: 'There is no such object for this key.', error: 'There is nothing at this address.' },
	FORM_NOT_FOUND: { description: 'There is no such form.', error: 'There is no such form.' },
	METHOD_NOT_ALLOWED: {
		description: 'The path does not support this method.',
		error: 'Post to this address to submit to the form.',
		headers: { Allow: 'The methods that it supports.' },
	},
	CONFLICT: {
		description: 'The request contradicts the present state.',
		error: 'The webhook is disabled. Set isActive first.',
	},
	SLUG_TAKEN: {
		description: 'Another form has this slug.',
		error: 'The slug "contact" is taken by another form.',
		field: { field: 'slug', code: 'SLUG_TAKEN' },
	},
	IDEMPOTENCY_KEY_REUSED: {
		description: 'This Idempotency-Key came with another body before.',
		error: 'This Idempotency-Key was used with a different body.',
	},
	PAYLOAD_TOO_LARGE: {
		description: 'The body or a part of it exceeds a limit; `error` names it.',
		error: 'The body must not be larger than 1 MiB.',
	},
	UNSUPPORTED_MEDIA_TYPE: {
		description: 'The media type of the body is not supported.',
		error: 'Send the body as JSON, with "Content-Type: application/json".',
	},
	RATE_LIMITED: {
		description: 'The rate limit was reached.',
		error: 'Too many requests. Please try again in 12 seconds.',
		headers: { 'Retry-After': 'Seconds to wait.' },
	},
	INTERNAL: {
		description: 'An error of the server; its log has the cause under `requestId`.',
		error: 'Something went wrong on the server. Its log has the cause under this request id.',
	},
	UNAVAILABLE: {
		description: 'The server cannot reach its data, or cannot store anything, at the moment.',
		error: 'The server cannot store anything at the moment. Please try again shortly.',
		headers: { 'Retry-After': 'Seconds to wait.' },
	},
};

type Described = ReturnType<typeof jsonResponse> | ReturnType<typeof textResponse> | ReturnType<typeof binaryResponse>;

interface Operation extends Pick<DocumentDecoration, 'parameters'> {
	description: string;
	/** Adds the errors of a JSON body. */
	requestBody?: ReturnType<typeof jsonBody | typeof linesBody | typeof bytesBody>;
	/** The response with status 200, or … */
	returns?: Described;
	/** … with 201. */
	creates?: Described;
	/** Responses with other statuses that are no errors of JSON. */
	others?: Record<number, { description: string }>;
	/** Besides those of the body and of unknown parameters, and those of the guard of the route. */
	errors?: readonly ErrorCode[];
	/** For all the world, whatever else stands in its query. */
	isPublic?: true;
	/** Makes a read that lets content out leave an entry in the audit log, with these query parameters. What changes something leaves one anyway. */
	recorded?: readonly string[];
	/** A part of what a caller does in a form: all parts of an hour leave one entry. */
	isPart?: true;
}

/** The members of a described operation for {@link Operation.recorded} and {@link Operation.isPart}. */
export const RECORDED = 'x-recorded';
export const IS_PART = 'x-part';

/** The member of the description of a GET that changes something, and so leaves an entry in the audit log. */
export const ACTING = 'x-acting';

/** Describes a page that is asked for by GET, and changes something like the operation of this name. */
export function actingPage(operationId: string): DocumentDecoration {
	return { operationId, ...{ [ACTING]: true } };
}

const BODY_ERRORS = ['VALIDATION_ERROR', 'INVALID_BODY', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const;

/** Describes an operation; its tag comes from the Elysia instance. */
export function operation(operationId: string, summary: string, described: Operation): DocumentDecoration {
	const { returns, creates, others, errors = [], isPublic, recorded, isPart, ...rest } = described;
	const shared = rest.requestBody ? BODY_ERRORS : BODY_ERRORS.slice(0, isPublic ? 0 : 1);
	const codes = [...shared, ...errors];
	const succeeded = { ...(returns && { 200: returns }), ...(creates && { 201: creates }) };
	const responses = { ...succeeded, ...others, ...errorResponses(...codes) };
	const forAudit = { ...(recorded && { [RECORDED]: recorded }), ...(isPart && { [IS_PART]: isPart }) };
	return { operationId, summary, ...rest, responses, ...forAudit };
}

/** A required JSON body. */
export function jsonBody(schema: TSchema, example?: unknown) {
	return { required: true, content: { 'application/json': media({ schema, example }) } };
}

/** A required body of JSON texts, one a line. */
export function linesBody(schema: TSchema, example: unknown) {
	return { required: true, content: { 'application/x-ndjson': media({ schema, example }) } };
}

/** A required body of bytes of any kind. */
export function bytesBody() {
	return { required: true, content: { 'application/octet-stream': { schema: Type.String({ format: 'binary' }) } } };
}

/** A required body that may be JSON, urlencoded or multipart, as browsers and scripts post forms. */
export function formBody(schema: TObject | TSchema, example?: unknown) {
	const content = media({ schema, example });
	return {
		required: true,
		content: {
			'application/json': content,
			'application/x-www-form-urlencoded': content,
			'multipart/form-data': content,
		},
	};
}

/** A JSON response; `headers` maps a header's name to its description. */
export function jsonResponse(
	description: string,
	{ schema, example, headers }: { schema: TSchema; example?: unknown; headers?: Record<string, string> },
) {
	return {
		description,
		...(headers && { headers: describeHeaders(headers) }),
		content: { 'application/json': media({ schema, example }) },
	};
}

/** A text response in one or more media types, such as CSV or HTML, each with an example. */
export function textResponse(description: string, examples: Record<string, string>) {
	const content = Object.entries(examples).map(([type, example]) => [type, media({ schema: Type.String(), example })]);
	return { description, content: Object.fromEntries(content) };
}

/** A response of any bytes. */
export function binaryResponse(description: string, type = 'application/octet-stream') {
	const headers = describeHeaders({ 'Content-Disposition': 'Has it saved under its name.' });
	return { description, headers, content: { [type]: { schema: Type.String({ format: 'binary' }) } } };
}

/** A redirect. */
export function redirectResponse(description: string, headers: Record<string, string> = {}) {
	return { description, headers: describeHeaders({ Location: 'Where to go next.', ...headers }) };
}

/** Error responses by status; codes with the same status share one response with several examples. */
export function errorResponses(...codes: readonly ErrorCode[]) {
	return responsesByStatus(codes, { schema: ErrorBody, extra: () => ({}) });
}

/** The 403 of a route that takes all of these permissions. @param isForForms Keys of single forms will do, for those. */
export function forbiddenResponse(needed: string[], { isForForms = false, isLiveOnly = false }) {
	const permissions = needed.map((permission) => `\`${permission}\``).join(' or ');
	const confined = `is confined to ${isForForms ? 'other' : 'single'} forms`;
	const description = `The key lacks the permission ${permissions}, or ${confined}${isLiveOnly ? ', or is a test key' : ''}.`;
	const error = `This key lacks the permission "${needed[0]}".`;
	const examples = { FORBIDDEN: { value: { error, code: 'FORBIDDEN', requestId: REQUEST_ID } } };
	return { description, content: { 'application/json': { schema: ErrorBody, examples } } };
}

/** Like {@link errorResponses}, for the submission endpoint. */
export function submitErrorResponses(...codes: ErrorCode[]) {
	return responsesByStatus(codes, { schema: SubmitErrorBody, extra: (message) => ({ success: false, message }) });
}

export function queryParameter(name: string, parameter: Parameter) {
	return { in: 'query' as const, name, ...parameter };
}

export function headerParameter(name: string, parameter: Parameter) {
	return { in: 'header' as const, name, ...parameter };
}

export function pathParameter(name: string, { description, example }: { description: string; example?: string }) {
	return { in: 'path' as const, name, required: true, description, example, schema: Type.String() };
}

interface ErrorShape {
	schema: TSchema;
	/** Members in addition to the envelope's. */
	extra(message: string): object;
}

/**
 * Lazy: every route has several error responses, and few processes ever serve the document. Each is built when it is
 * turned into JSON.
 */
function responsesByStatus(codes: readonly ErrorCode[], shape: ErrorShape) {
	const byStatus: Record<string, { description: string; toJSON(): object }> = {};
	for (const status of new Set(codes.map((code) => ERROR_STATUS[code]))) {
		const group = codes.filter((code) => ERROR_STATUS[code] === status);
		byStatus[status] = { description: '', toJSON: () => errorResponse(group, shape) };
	}
	return byStatus;
}

function errorResponse(codes: ErrorCode[], { schema, extra }: ErrorShape) {
	const headers: Record<string, string> = Object.assign({}, ...codes.map((code) => ERRORS[code].headers));
	return {
		description: codes.map((code) => ERRORS[code].description).join(' Or: '),
		...(Object.keys(headers).length > 0 && { headers: describeHeaders(headers) }),
		content: { 'application/json': { schema, examples: examplesOf(codes, extra) } },
	};
}

function examplesOf(codes: ErrorCode[], extra: (message: string) => object) {
	const examples = codes.map((code) => {
		const { error, field } = ERRORS[code];
		const errors = field && { errors: [{ ...field, message: error }] };
		return [code, { value: { ...extra(error), error, code, ...errors, requestId: REQUEST_ID } }];
	});
	return Object.fromEntries(examples);
}

function describeHeaders(headers: Record<string, string>) {
	const entries = Object.entries(headers);
	return Object.fromEntries(entries.map(([name, description]) => [name, { description, schema: Type.String() }]));
}

function media({ schema, example }: { schema: TSchema; example?: unknown }) {
	return example === undefined ? { schema } : { schema, example };
}
