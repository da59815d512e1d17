/** The routes of erasures. */

import { Elysia } from 'elysia';
import { readJson } from '../../http/json-body.ts';
import { jsonBody, jsonResponse, operation, pathParameter } from '../../http/openapi.ts';
import { allowToTakeLong } from '../../http/request-info.ts';
import type { Auth } from '../../keys/auth.ts';
import { callerOf, type Principal } from '../../keys/permissions.ts';
import type { Erasures } from './erasures.ts';
import { outcomeOf } from './records.ts';
import { EraseRequest, Erasure, ErasureList, ErasureOutcome } from './schema.ts';

/** How long a request waits for the end of its erasure. */
const WAIT_MS = 20_000;

const ERASURE = {
	id: 'cmnrg2x9d6g',
	hash: '6f1ed002ab5595859014ebf0951522d9ccf1a3b2d7c1f0b1a5f5e2b6a4a9f3c1',
	by: 'key:cmnrg2x9b4e',
	createdAt: '2026-01-02T03:04:05.678Z',
	state: 'done',
	finishedAt: '2026-01-02T03:04:06.789Z',
	againAt: null,
	submissions: 3,
	files: 1,
	deliveries: 2,
	listEntries: 0,
};
/** No more is needed to search than to read, and to erase than to delete; that nothing of it is confined to a form, or a mode, is why it takes both. */
const access = { permission: 'delete', isTelling: true, isLiveOnly: 'erases' } as const;

export const erasureRoutes = (erasures: Erasures, auth: Auth) =>
	new Elysia({ prefix: '/api/erasures', tags: ['Submissions'] })
		.use(auth)
		.get('', async () => ({ erasures: await erasures.list() }), {
			access,
			detail: operation('listErasures', 'List erasures', {
				description: 'All erasures, newest first: whom they erased is kept as a hash alone.',
				returns: jsonResponse('The erasures.', { schema: ErasureList, example: { erasures: [ERASURE] } }),
			}),
		})
		.get('/:id', ({ params }) => erasures.settled(params.id, 0), {
			access,
			detail: operation('getErasure', 'Get an erasure', {
				description: 'Whether it is done, and what went so far.',
				parameters: [pathParameter('id', { description: 'The erasure.', example: ERASURE.id })],
				returns: jsonResponse('The erasure.', { schema: Erasure, example: ERASURE }),
				errors: ['NOT_FOUND'],
			}),
		})
		.post(
			'',
			async ({ principal, request }) => {
				allowToTakeLong(request);
				const { email, dryRun = true } = await readJson(request, EraseRequest);
				if (dryRun) {
					const found = await erasures.preview(email, callerOf(principal));
					await erasures.recordPreview();
					return found;
				}
				const { erasure, settings } = await erasures.note(email, nameOf(principal));
				return outcomeOf(await erasures.settled(erasure.id, WAIT_MS), settings);
			},
			{
				access,
				detail: operation('erase', 'Erase a person', {
					description:
						'Removes what names a mail address, compared as a whole and whatever the case, from all forms of both modes: submissions with ' +
						'their files, mails and webhook requests, wherever in their fields, names of files or `meta` it stands; digests and other kept ' +
						'content; entries of lists. Only counts it unless `dryRun` is `false`. What was acknowledged before the request goes. ' +
						'The response comes when it is done, or after 20 seconds with the `state` `running`: it goes on, also after a ' +
						'restart. It takes a live key for all forms with the permissions `read` and `delete`. This cannot be undone.',
					requestBody: jsonBody(EraseRequest, { email: 'ada@example.com', dryRun: true }),
					returns: jsonResponse('What went, or what would go.', {
						schema: ErasureOutcome,
						example: { dryRun: true, submissions: 3, files: 1, deliveries: 2, listEntries: 0, settings: [] },
					}),
				}),
			},
		);

function nameOf({ keyId, sessionId }: Principal): string {
	return keyId === null ? `session:${sessionId}` : `key:${keyId}`;
}
