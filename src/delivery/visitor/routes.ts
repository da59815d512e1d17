/** The routes of the suppression list: addresses that get no mails for visitors. */

import { Elysia } from 'elysia';
import { readJson } from '../../http/json-body.ts';
import { jsonBody, jsonResponse, operation } from '../../http/openapi.ts';
import { succeed, successResponse } from '../../http/success.ts';
import type { Auth } from '../../keys/auth.ts';
import type { VisitorBounds } from './mail-bounds.ts';
import { SuppressedAddress, Suppressions } from './schema.ts';

const access = { permission: 'admin', isLiveOnly: 'sends' } as const;

export const suppressionRoutes = (list: Pick<VisitorBounds, 'suppressed' | 'release'>, auth: Auth) =>
	new Elysia({ prefix: '/api/suppressions', tags: ['Deliveries'] })
		.use(auth)
		.get('', () => list.suppressed(), {
			access,
			detail: operation('countSuppressions', 'Count suppressed addresses', {
				description:
					'How many addresses get no mails for visitors. They are kept as keyed hashes alone, so they cannot be listed.',
				returns: jsonResponse('The numbers.', { schema: Suppressions, example: { rejected: 3, asked: 1 } }),
			}),
		})
		.post('/remove', async ({ request }) => succeed(list.release((await readJson(request, SuppressedAddress)).email)), {
			access,
			detail: operation('removeSuppression', 'Remove a suppressed address', {
				description: 'The address gets mails for visitors again. Do this only if its owner asks for it.',
				requestBody: jsonBody(SuppressedAddress, { email: 'ada@example.com' }),
				returns: successResponse('Removed.'),
				errors: ['NOT_FOUND'],
			}),
		});
