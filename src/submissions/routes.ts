/** The management routes of a form's submissions. */

import { Elysia } from 'elysia';
import { readJson } from '../http/json-body.ts';
import { errorResponses, jsonBody, jsonResponse, operation } from '../http/openapi.ts';
import type { StreamResponse } from '../http/streamed.ts';
import { Success } from '../http/success.ts';
import type { Auth } from '../keys/auth.ts';
import { callerOf } from '../keys/permissions.ts';
import { LIMIT_DEFAULT } from './bounds.ts';
import { parseListQuery } from './list-query.ts';
import { criteriaParameters, formId, pageParameters, submissionId } from './openapi-parts.ts';
import type { JsonText } from './page-writer.ts';
import { FlaggedSubmission, Submission, SubmissionList, UpdateSubmission } from './schema.ts';
import type { Submissions } from './submissions.ts';

const EXAMPLE = {
	id: 'cmnrg2x8a1c',
	data: { name: 'Ada', email: 'ada@example.com', message: 'Hello' },
	createdAt: '2026-01-02T03:04:05.678Z',
	isRead: false,
	isStarred: false,
	isSpam: false,
};
const EXAMPLE_PAGE = {
	submissions: [EXAMPLE],
	fields: ['name', 'email', 'message'],
	pagination: { limit: LIMIT_DEFAULT, offset: 0, total: 1, hasMore: false },
};
const HEADERS = { 'Content-Type': 'application/json' };

export const submissionRoutes = (submissions: Submissions, auth: Auth, stream: StreamResponse) => {
	/** Sends JSON text, whole or as a stream. */
	const toResponse = (request: Request, text: JsonText): Response =>
		typeof text === 'string' ? new Response(text, { headers: HEADERS }) : stream(request, text, HEADERS);

	return new Elysia({ prefix: '/api/forms/:id/submissions', tags: ['Submissions'] })
		.use(auth)
		.get(
			'',
			async ({ principal, params, request }) =>
				toResponse(
					request,
					await submissions.list(params.id, {
						mode: principal.mode,
						caller: callerOf(principal),
						readQuery: () => parseListQuery(new URL(request.url).searchParams),
					}),
				),
			{
				access: { permission: 'read', form: 'id' },
				detail: {
					...operation(
						'listSubmissions',
						'List submissions',
						'One page of the submissions of a form: `limit` of them while there are more, whatever their size.',
					),
					parameters: [formId, ...pageParameters, ...criteriaParameters],
					responses: {
						200: jsonResponse('The page.', { schema: SubmissionList, example: EXAMPLE_PAGE }),
						...errorResponses('VALIDATION_ERROR', 'UNAUTHORIZED', 'FORBIDDEN', 'FORM_NOT_FOUND', 'RATE_LIMITED'),
						...errorResponses('UNAVAILABLE'),
					},
				},
			},
		)
		.get(
			'/:submissionId',
			async ({ principal, params, request }) =>
				toResponse(
					request,
					await submissions.get(params.id, {
						mode: principal.mode,
						caller: callerOf(principal),
						id: params.submissionId,
					}),
				),
			{
				access: { permission: 'read', form: 'id' },
				detail: {
					...operation('getSubmission', 'Read a submission', 'One submission with all its fields.'),
					parameters: [formId, submissionId],
					responses: {
						200: jsonResponse('The submission.', { schema: Submission, example: EXAMPLE }),
						...errorResponses('UNAUTHORIZED', 'FORBIDDEN', 'FORM_NOT_FOUND', 'NOT_FOUND', 'RATE_LIMITED'),
						...errorResponses('UNAVAILABLE'),
					},
				},
			},
		)
		.patch(
			'/:submissionId',
			async ({ principal, mayRead, params, request }) =>
				toResponse(
					request,
					await submissions.update(params.id, {
						mode: principal.mode,
						caller: callerOf(principal),
						id: params.submissionId,
						mayRead,
						readChange: () => readJson(request, UpdateSubmission),
					}),
				),
			{
				access: { permission: 'write' },
				detail: {
					...operation(
						'updateSubmission',
						'Flag a submission',
						'Sets the given flags. For a key without the permission to read, the response has no `data`.',
					),
					parameters: [formId, submissionId],
					requestBody: jsonBody(UpdateSubmission, { isRead: true }),
					responses: {
						200: jsonResponse('The submission after the change.', {
							schema: FlaggedSubmission,
							example: { ...EXAMPLE, isRead: true },
						}),
						...errorResponses('VALIDATION_ERROR', 'INVALID_BODY', 'UNAUTHORIZED', 'FORBIDDEN'),
						...errorResponses('FORM_NOT_FOUND', 'NOT_FOUND'),
						...errorResponses('PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'RATE_LIMITED', 'UNAVAILABLE'),
					},
				},
			},
		)
		.delete(
			'/:submissionId',
			async ({ principal, params }) => {
				await submissions.remove(params.id, { mode: principal.mode, id: params.submissionId });
				return { success: true as const };
			},
			{
				access: { permission: 'delete' },
				detail: {
					...operation('deleteSubmission', 'Delete a submission', 'Removes it. This cannot be undone.'),
					parameters: [formId, submissionId],
					responses: {
						200: jsonResponse('Deleted.', { schema: Success, example: { success: true } }),
						...errorResponses('UNAUTHORIZED', 'FORBIDDEN', 'FORM_NOT_FOUND', 'NOT_FOUND'),
						...errorResponses('RATE_LIMITED', 'UNAVAILABLE'),
					},
				},
			},
		);
};
