/** The management routes of API keys. */

import { Elysia } from 'elysia';
import { readJson } from '../http/json-body.ts';
import { errorResponses, jsonBody, jsonResponse, operation, pathParameter } from '../http/openapi.ts';
import { Success } from '../http/success.ts';
import type { Auth } from './auth.ts';
import { newKeyOf } from './key-request.ts';
import type { Keys } from './keys.ts';
import { ApiKeyList, CreateApiKey, NewApiKey } from './schema.ts';

const EXAMPLE = {
	id: 'cmnrg2x9b4e',
	name: 'website build',
	display: 'sk_live_…x7Qd',
	mode: 'live',
	form: null,
	permissions: ['read'],
	createdAt: '2026-01-02T03:04:05.678Z',
	expiresAt: null,
	lastUsedAt: null,
	revokedAt: null,
};
const EXAMPLE_TOKEN = 'sk_live_ThisIsOnlyAnExampleOfAnApiKey000000x7Qd';

const access = { permission: 'admin' } as const;

export const keyRoutes = (keys: Keys, auth: Auth) =>
	new Elysia({ prefix: '/api/keys', tags: ['Keys'] })
		.use(auth)
		.get('', async ({ principal }) => ({ keys: await keys.list(principal.mode) }), {
			access,
			detail: {
				...operation(
					'listKeys',
					'List keys',
					'All keys of the mode of the key that asks, newest first, revoked ones too.',
				),
				responses: {
					200: jsonResponse('The keys.', { schema: ApiKeyList, example: { keys: [EXAMPLE] } }),
					...errorResponses('UNAUTHORIZED', 'FORBIDDEN', 'RATE_LIMITED'),
				},
			},
		})
		.post(
			'',
			async ({ principal, request, set }) => {
				const input = newKeyOf(await readJson(request, CreateApiKey), principal);
				const { token, key } = await keys.create(input);
				set.status = 201;
				set.headers['cache-control'] = 'no-store';
				return { ...key, key: token };
			},
			{
				access,
				detail: {
					...operation(
						'createKey',
						'Create a key',
						'The response contains the key itself, this once: only its hash is stored.',
					),
					requestBody: jsonBody(CreateApiKey, { name: EXAMPLE.name, permissions: EXAMPLE.permissions }),
					responses: {
						201: jsonResponse('The new key.', { schema: NewApiKey, example: { ...EXAMPLE, key: EXAMPLE_TOKEN } }),
						...errorResponses('VALIDATION_ERROR', 'INVALID_BODY', 'UNAUTHORIZED', 'FORBIDDEN', 'FORM_NOT_FOUND'),
						...errorResponses('PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'RATE_LIMITED', 'UNAVAILABLE'),
					},
				},
			},
		)
		.delete(
			'/:id',
			async ({ principal, params }) => {
				await keys.revoke(params.id, principal.mode);
				return { success: true as const };
			},
			{
				access,
				detail: {
					...operation(
						'revokeKey',
						'Revoke a key',
						'From its next request on it is refused, and sessions opened with it end. It stays in the list. Again is no error.',
					),
					parameters: [pathParameter('id', { description: 'The key.', example: EXAMPLE.id })],
					responses: {
						200: jsonResponse('Revoked.', { schema: Success, example: { success: true } }),
						...errorResponses('UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'RATE_LIMITED', 'UNAVAILABLE'),
					},
				},
			},
		);
