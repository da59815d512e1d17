/** Routes that change many submissions at once. */

import { Elysia } from 'elysia';
import { readJson } from '../../http/json-body.ts';
import { errorResponses, jsonBody, jsonResponse, operation } from '../../http/openapi.ts';
import { allowToTakeLong } from '../../http/request-info.ts';
import type { Auth } from '../../keys/auth.ts';
import { formId } from '../openapi-parts.ts';
import type { Bulk } from './bulk.ts';
import { BulkTarget, BulkUpdate, Deleted, Updated } from './schema.ts';

const errors = {
	...errorResponses('VALIDATION_ERROR', 'INVALID_BODY', 'UNAUTHORIZED', 'FORBIDDEN', 'FORM_NOT_FOUND'),
	...errorResponses('PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'RATE_LIMITED', 'UNAVAILABLE'),
};

export const bulkRoutes = (bulk: Bulk, auth: Auth) =>
	new Elysia({ prefix: '/api/forms/:id/submissions', tags: ['Submissions'] })
		.use(auth)
		.patch(
			'',
			async ({ principal, checkDisclosure, params, request }) => {
				allowToTakeLong(request);
				const readInput = () => readJson(request, BulkUpdate);
				return { updated: await bulk.update(params.id, { mode: principal.mode, readInput, checkDisclosure }) };
			},
			{
				access: { permission: 'write' },
				detail: {
					...operation(
						'updateSubmissions',
						'Flag many submissions',
						'Sets flags of the submissions with these `ids`, or of all that match `filter`, `search`, `since` and `until`; `search` needs the permission to read as well.',
					),
					parameters: [formId],
					requestBody: jsonBody(BulkUpdate, { filter: 'unread', set: { isRead: true } }),
					responses: {
						200: jsonResponse('The number of submissions.', { schema: Updated, example: { updated: 3 } }),
						...errors,
					},
				},
			},
		)
		.post(
			'/delete',
			async ({ principal, checkDisclosure, params, request }) => {
				allowToTakeLong(request);
				const readInput = () => readJson(request, BulkTarget);
				return { deleted: await bulk.remove(params.id, { mode: principal.mode, readInput, checkDisclosure }) };
			},
			{
				access: { permission: 'delete' },
				detail: {
					...operation(
						'deleteSubmissions',
						'Delete many submissions',
						'Removes the submissions with these `ids`, or all that match `filter`, `search`, `since` and `until`; `search` needs the permission to read as well. This cannot be undone.',
					),
					parameters: [formId],
					requestBody: jsonBody(BulkTarget, { ids: ['cmnrg2x8a1c'] }),
					responses: {
						200: jsonResponse('The number of deleted submissions.', { schema: Deleted, example: { deleted: 1 } }),
						...errors,
					},
				},
			},
		);
