/** Routes that change many submissions at once. */

import { Elysia } from 'elysia';
import { readJson } from '../../http/json-body.ts';
import { jsonBody, jsonResponse, operation } from '../../http/openapi.ts';
import { allowToTakeLong } from '../../http/request-info.ts';
import type { Auth } from '../../keys/auth.ts';
import { checkMark, isFormLevel } from '../../keys/permissions.ts';
import { formId } from '../openapi-parts.ts';
import type { Bulk } from './bulk.ts';
import { BulkDeletion, BulkUpdate, Deleted, Updated } from './schema.ts';

export const bulkRoutes = (bulk: Bulk, auth: Auth) =>
	new Elysia({ prefix: '/api/forms/:id/submissions', tags: ['Submissions'] })
		.use(auth)
		.patch(
			'',
			async ({ principal, checkDisclosure, params, request }) => {
				allowToTakeLong(request);
				const readInput = () => readJson(request, BulkUpdate).then((read) => checkMark(read, principal));
				const scope = { mode: principal.mode, isFormLevel: isFormLevel(principal), checkDisclosure };
				return bulk.update(params.id, { ...scope, readInput });
			},
			{
				access: { permission: 'write', form: 'id' },
				detail: operation('updateSubmissions', 'Flag many submissions', {
					description:
						'Sets flags of the submissions with these `ids`, or of all that match `filter`, `search`, `since` and `until`; `search` and `label` need the permission to read as well.',
					parameters: [formId],
					requestBody: jsonBody(BulkUpdate, { filter: 'unread', set: { isRead: true } }),
					returns: jsonResponse('The number of submissions.', { schema: Updated, example: { updated: 3 } }),
					errors: ['FORM_NOT_FOUND'],
				}),
			},
		)
		.post(
			'/delete',
			async ({ principal, checkDisclosure, params, request }) => {
				allowToTakeLong(request);
				const readInput = () => readJson(request, BulkDeletion);
				return bulk.remove(params.id, { mode: principal.mode, readInput, checkDisclosure });
			},
			{
				access: { permission: 'delete' },
				detail: operation('deleteSubmissions', 'Delete many submissions', {
					description:
						'Removes the submissions with these `ids`, or all that match `filter`, `search`, `since` and `until`; `search` and `label` need the permission to read as well, and a search only ' +
						'counts them unless `dryRun` is `false`: it also finds parts of words, as `ada@…` in `nada@…`. This cannot be undone.',
					parameters: [formId],
					requestBody: jsonBody(BulkDeletion, { ids: ['cmnrg2x8a1c'] }),
					returns: jsonResponse('The number of deleted submissions.', { schema: Deleted, example: { deleted: 1 } }),
					errors: ['FORM_NOT_FOUND'],
				}),
			},
		);
