/** Routes that list and end dashboard sessions. */

import { Elysia } from 'elysia';
import { jsonResponse, operation, pathParameter } from '../../http/openapi.ts';
import { succeed, successResponse } from '../../http/success.ts';
import type { Auth } from '../../keys/auth.ts';
import { Ended, SignedInList } from './schema.ts';
import type { Sessions } from './sessions.ts';

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

export const sessionsRoutes = (sessions: Sessions, auth: Auth) =>
	new Elysia({ prefix: '/api/sessions', tags: ['Session'] })
		.use(auth)
		.get('', async ({ principal }) => ({ sessions: await sessions.list(principal) }), {
			access,
			detail: operation('listSessions', 'List sessions', {
				description:
					'Dashboard sessions, newest first: those of keys in the mode of your key; for a live key also those that a setup ' +
					'link opened.',
				returns: jsonResponse('The sessions.', { schema: SignedInList, example: { sessions: [EXAMPLE] } }),
			}),
		})
		.delete('', async ({ principal }) => ({ ended: await sessions.endOthers(principal) }), {
			access,
			detail: operation('endOtherSessions', 'End all other sessions', {
				description:
					'Ends every session in the list but your own. With a live key or session, unused setup links and invitations stop working.',
				returns: jsonResponse('The number of ended sessions.', { schema: Ended, example: { ended: 2 } }),
			}),
		})
		.delete('/:id', ({ principal, params }) => succeed(sessions.end(params.id, principal)), {
			access,
			detail: operation('endSession', 'End a session', {
				description: 'Rejects its requests from now on, and closes its event streams.',
				parameters: [pathParameter('id', { description: 'The session.', example: EXAMPLE.id })],
				returns: successResponse('Ended.'),
				errors: ['NOT_FOUND'],
			}),
		});
