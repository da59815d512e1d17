/** The probes in the OpenAPI document; `public.ts` serves them, at both addresses. */

import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { errorResponses, jsonResponse, operation } from '../http/openapi.ts';

const Healthy = Type.Object({ status: Type.Literal('ok') });
const responses = {
	200: jsonResponse('Yes.', { schema: Healthy, example: { status: 'ok' } }),
	...errorResponses('UNAVAILABLE'),
};

/** For the document only. */
export function describedProbes() {
	return new Elysia({ detail: { tags: ['Server'], security: [] } })
		.get('/health', () => {}, {
			detail: {
				...operation(
					'getHealth',
					'Check whether the server is healthy',
					'Fails only if a restart is needed. For liveness probes.',
				),
				responses,
			},
		})
		.get('/ready', () => {}, {
			detail: {
				...operation(
					'getReady',
					'Check whether submissions are accepted',
					'Whether a submission would be stored now. For readiness probes.',
				),
				responses,
			},
		});
}
