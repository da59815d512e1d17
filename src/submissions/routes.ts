/** The management routes of a form's submissions. */

import { Elysia } from 'elysia';
import { readJson } from '../http/json-body.ts';
import { jsonBody, jsonResponse, operation } from '../http/openapi.ts';
import { pageParameters } from '../http/paging.ts';
import { LIMIT_DEFAULT, queryOf } from '../http/query-parameters.ts';
import type { StreamResponse } from '../http/streamed.ts';
import { succeed, successResponse } from '../http/success.ts';
import type { Auth } from '../keys/auth.ts';
import { callerOf, checkMark, isFormLevel, type Principal } from '../keys/permissions.ts';
import { parseListQuery } from './list-query.ts';
import { afterParameter, criteriaParameters, formId, SUBMISSION_EXAMPLE, submissionId } from './openapi-parts.ts';
import type { JsonText } from './page-writer.ts';
import { changeOf, FlaggedSubmission, Submission, SubmissionList, UpdateSubmission } from './schema.ts';
import type { Submissions } from './submissions.ts';

const EXAMPLE_PAGE = {
	submissions: [SUBMISSION_EXAMPLE],
	fields: ['name', 'email', 'cv'],
	pagination: { limit: LIMIT_DEFAULT, offset: 0, total: 1, hasMore: false },
};
const HEADERS = { 'Content-Type': 'application/json' };

export const submissionRoutes = (submissions: Submissions, auth: Auth, stream: StreamResponse) => {
	/** Sends JSON text, whole or as a stream. */
	const toResponse = async (request: Request, json: Promise<JsonText>): Promise<Response> => {
		const text = await json;
		return typeof text === 'string'
			? new Response(text, { headers: HEADERS })
			: stream(request, text, { headers: HEADERS });
	};

	return new Elysia({ prefix: '/api/forms/:id/submissions', tags: ['Submissions'] })
		.use(auth)
		.get(
			'',
			({ principal, params, request }) => {
				const readQuery = () => parseListQuery(queryOf(request));
				return toResponse(request, submissions.list(params.id, { ...scopeOf(principal), readQuery }));
			},
			{
				access: { permission: 'read', form: 'id' },
				detail: operation('listSubmissions', 'List submissions', {
					description:
						'One page of the submissions of a form: `limit` of them while there are more, whatever their size.',
					parameters: [formId, ...pageParameters, afterParameter, ...criteriaParameters],
					returns: jsonResponse('The page.', { schema: SubmissionList, example: EXAMPLE_PAGE }),
					errors: ['FORM_NOT_FOUND'],
				}),
			},
		)
		.get(
			'/:submissionId',
			({ principal, params, request }) =>
				toResponse(request, submissions.get(params.id, { ...scopeOf(principal), id: params.submissionId })),
			{
				access: { permission: 'read', form: 'id' },
				detail: operation('getSubmission', 'Read a submission', {
					description: 'One submission with all its fields.',
					parameters: [formId, submissionId],
					returns: jsonResponse('The submission.', { schema: Submission, example: SUBMISSION_EXAMPLE }),
					errors: ['FORM_NOT_FOUND', 'NOT_FOUND'],
				}),
			},
		)
		.patch(
			'/:submissionId',
			({ principal, mayRead, params, request }) => {
				const readChange = () =>
					readJson(request, UpdateSubmission).then((read) => checkMark(changeOf(read), principal));
				const change = { ...scopeOf(principal), id: params.submissionId, mayRead, readChange };
				return toResponse(request, submissions.update(params.id, change));
			},
			{
				access: { permission: 'write', form: 'id' },
				detail: operation('updateSubmission', 'Flag a submission', {
					description:
						'Sets the given members. For a key without the permission to read, the response has nothing that was sent, and of what owners write only flags.',
					parameters: [formId, submissionId],
					requestBody: jsonBody(UpdateSubmission, { isRead: true }),
					returns: jsonResponse('The submission after the change.', {
						schema: FlaggedSubmission,
						example: { ...SUBMISSION_EXAMPLE, isRead: true },
					}),
					errors: ['FORM_NOT_FOUND', 'NOT_FOUND'],
				}),
			},
		)
		.delete(
			'/:submissionId',
			({ principal: { mode }, params }) => succeed(submissions.remove(params.id, { mode, id: params.submissionId })),
			{
				access: { permission: 'delete' },
				detail: operation('deleteSubmission', 'Delete a submission', {
					description: 'Removes it. This cannot be undone.',
					parameters: [formId, submissionId],
					returns: successResponse('Deleted.'),
					errors: ['FORM_NOT_FOUND', 'NOT_FOUND'],
				}),
			},
		);
};

function scopeOf(principal: Principal) {
	return { mode: principal.mode, caller: callerOf(principal), isFormLevel: isFormLevel(principal) };
}
