/** The management routes of API keys. */

import { Elysia } from 'elysia';
import { readJson } from '../http/json-body.ts';
import { jsonBody, jsonResponse, operation, pathParameter } from '../http/openapi.ts';
import { succeed, successResponse } from '../http/success.ts';
import type { Auth } from './auth.ts';
import { newKeyOf, newMemberAddress } from './key-request.ts';
import type { Keys } from './keys.ts';
import { ApiKeyList, CreateApiKey, NewApiKey, RotateApiKey, RotatedApiKey } from './schema.ts';

const EXAMPLE = {
	id: 'cmnrg2x9b4e',
	name: 'website build',
	display: 'sk_live_…x7Qd',
	email: null,
	mode: 'live',
	form: null,
	forms: null,
	permissions: ['read'],
	createdAt: '2026-01-02T03:04:05.678Z',
	expiresAt: null,
	lastUsedAt: null,
	revokedAt: null,
};
const EXAMPLE_TOKEN = 'sk_live_ThisIsOnlyAnExampleOfAnApiKey000000x7Qd';

const SECOND_MS = 1000;
const access = { permission: 'admin' } as const;

export const keyRoutes = (keys: Keys, auth: Auth) =>
	new Elysia({ prefix: '/api/keys', tags: ['Keys'] })
		.use(auth)
		.get('', async ({ principal }) => ({ keys: await keys.list(principal.mode) }), {
			access,
			detail: operation('listKeys', 'List keys', {
				description: 'All keys of the mode of the key that asks, newest first, revoked ones too.',
				returns: jsonResponse('The keys.', { schema: ApiKeyList, example: { keys: [EXAMPLE] } }),
			}),
		})
		.post(
			'',
			async ({ principal, request, set }) => {
				const input = await readJson(request, CreateApiKey);
				const wanted = newKeyOf(input, principal);
				set.status = 201;
				if (input.email !== undefined) {
					return { ...(await keys.createMember(newMemberAddress(input.email), wanted)), key: null };
				}
				const { token, key } = await keys.create(wanted);
				return { ...key, key: token };
			},
			{
				access,
				detail: operation('createKey', 'Create a key', {
					description:
						'The response contains the key itself, this once: only its hash is stored. With `email` it makes a member, who has none.',
					requestBody: jsonBody(CreateApiKey, { name: EXAMPLE.name, permissions: EXAMPLE.permissions }),
					creates: jsonResponse('The new key.', { schema: NewApiKey, example: { ...EXAMPLE, key: EXAMPLE_TOKEN } }),
					errors: ['FORM_NOT_FOUND', 'CONFLICT'],
				}),
			},
		)
		.post(
			'/:id/rotate',
			async ({ principal: { mode }, params, request, set }) => {
				await keys.get(params.id, mode);
				const { overlapSeconds = 0 } = await readJson(request, RotateApiKey);
				const { token, key } = await keys.rotate(params.id, { mode, overlapMs: overlapSeconds * SECOND_MS });
				set.status = 201;
				return { ...key, key: token };
			},
			{
				access,
				detail: operation('rotateKey', 'Rotate a key', {
					description:
						'Creates a key with the same name, permissions, forms and lifetime in the place of one that is valid and was not rotated before. The ' +
						'old one is revoked, at once or after the overlap; sessions opened with it end then. The response contains the new key itself, this once. ' +
						'A member has no key to rotate: a conflict.',
					parameters: [pathParameter('id', { description: 'The key.', example: EXAMPLE.id })],
					requestBody: jsonBody(RotateApiKey, { overlapSeconds: 86_400 }),
					creates: jsonResponse('The new key.', { schema: RotatedApiKey, example: { ...EXAMPLE, key: EXAMPLE_TOKEN } }),
					errors: ['NOT_FOUND', 'CONFLICT'],
				}),
			},
		)
		.delete('/:id', ({ principal, params }) => succeed(keys.revoke(params.id, principal.mode)), {
			access,
			detail: operation('revokeKey', 'Revoke a key', {
				description:
					'From its next request on it is rejected, and sessions opened with it end. It stays in the list. Revoking it again is no error.',
				parameters: [pathParameter('id', { description: 'The key.', example: EXAMPLE.id })],
				returns: successResponse('Revoked.'),
				errors: ['NOT_FOUND'],
			}),
		});
