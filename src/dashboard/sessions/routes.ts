/** Who is signed in to the dashboard, and an end to it. */

import { Elysia } from 'elysia';
import { errorResponses, jsonResponse, operation, pathParameter } from '../../http/openapi.ts';
import { Success } from '../../http/success.ts';
import type { Auth } from '../../keys/auth.ts';
import type { Sessions } from '../session/sessions.ts';
import { Ended, SignedInList } from './schema.ts';

const EXAMPLE = {
	id: 'cmnrg2x9c5f',
	key: null,
	mode: 'live',
	createdAt: '2026-01-02T03:04:05.678Z',
	lastSeenAt: '2026-01-02T09:30:00.000Z',
	expiresAt: '2026-01-02T21:30:00.000Z',
	isCurrent: true,
};

const access = { permission: 'admin' } as const;
const refused = () => errorResponses('UNAUTHORIZED', 'FORBIDDEN', 'RATE_LIMITED');

export const sessionsRoutes = (sessions: Sessions, auth: Auth) =>
	new Elysia({ prefix: '/api/sessions', tags: ['Session'] })
		.use(auth)
		.get('', async ({ principal }) => ({ sessions: await sessions.list(principal) }), {
			access,
			detail: {
				...operation(
					'listSessions',
					'List who is signed in',
					'Sessions in the dashboard, newest first: those of keys of the mode of the key that asks; to a live one also those ' +
						'that came by a set-up link.',
				),
				responses: {
					200: jsonResponse('The sessions.', { schema: SignedInList, example: { sessions: [EXAMPLE] } }),
					...refused(),
				},
			},
		})
		.delete('', async ({ principal }) => ({ ended: await sessions.endOthers(principal) }), {
			access,
			detail: {
				...operation(
					'endOtherSessions',
					'End all other sessions',
					'All that the list shows but the one that asks. Asked by a live one, set-up links that were not used yet work no more.',
				),
				responses: {
					200: jsonResponse('How many there were.', { schema: Ended, example: { ended: 2 } }),
					...refused(),
					...errorResponses('UNAVAILABLE'),
				},
			},
		})
		.delete(
			'/:id',
			async ({ principal, params }) => {
				await sessions.end(params.id, principal);
				return { success: true as const };
			},
			{
				access,
				detail: {
					...operation(
						'endSession',
						'End a session',
						'From its next request on it is refused, and its event streams end.',
					),
					parameters: [pathParameter('id', { description: 'The session.', example: EXAMPLE.id })],
					responses: {
						200: jsonResponse('Ended.', { schema: Success, example: { success: true } }),
						...refused(),
						...errorResponses('NOT_FOUND', 'UNAVAILABLE'),
					},
				},
			},
		);
