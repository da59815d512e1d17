/** The route of tokens for test submissions. */

import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { Forms } from '../../forms/forms.ts';
import { jsonResponse, operation, pathParameter } from '../../http/openapi.ts';
import { rowId } from '../../ids.ts';
import type { Auth } from '../../keys/auth.ts';
import type { TestTokens } from './tokens.ts';

const TestToken = Type.Object(
	{
		token: Type.String({ description: 'For the header `Authorization: Bearer …` of one submission to this form.' }),
		expiresAt: Type.String({ format: 'date-time' }),
	},
	{ $id: 'TestToken' },
);

export const testRoutes = (forms: Pick<Forms, 'get'>, tests: Pick<TestTokens, 'make'>, auth: Auth) =>
	new Elysia({ tags: ['Forms'] }).use(auth).post(
		'/api/forms/:id/test-token',
		async ({ principal, params }) => {
			const { id } = await forms.get(params.id, principal.mode);
			return tests.make(rowId(id));
		},
		{
			access: { permission: 'write' },
			detail: operation('createTestToken', 'Make a token for a test submission', {
				description:
					'With it one submission to this form passes allowed domains, captcha and rates, is not judged as spam, and is marked: its ' +
					'`meta` has `test: true`. All else holds: field rules, limits, opening and closing. Its mails and webhook requests ' +
					'are sent. The token is valid for two minutes.',
				parameters: [pathParameter('id', { description: 'The form.', example: 'cmnrg2x7k8w' })],
				returns: jsonResponse('The token.', {
					schema: TestToken,
					example: {
						token: 'tt_9f86d081884c7d659a2feaa0c55ad015.mjvwk3r1.Vb1cVt5y0Yf8Zr2n3XhTqwVb1cVt5y0Yf8Zr2n3XhTqw',
						expiresAt: '2026-01-02T03:06:05.678Z',
					},
				}),
				errors: ['FORM_NOT_FOUND'],
			}),
		},
	);
