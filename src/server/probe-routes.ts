/** The probes in the OpenAPI document; `public.ts` serves them, at both addresses. */

import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { jsonResponse, operation } from '../http/openapi.ts';

const Outcome = Type.Object({
	status: Type.Literal('ok'),
	problem: Type.Optional(Type.String({ description: 'Problems that do not fail the probe.' })),
});
const outcome = {
	returns: jsonResponse('Yes.', { schema: Outcome, example: { status: 'ok' } }),
	errors: ['UNAVAILABLE'] as const,
	isPublic: true as const,
};

/** For the document only. */
export function describedProbes() {
	return new Elysia({ detail: { tags: ['Server'], security: [] } })
		.get('/health', () => {}, {
			detail: operation('getHealth', 'Check whether the server is healthy', {
				description: 'Fails only if a restart is needed. For liveness probes.',
				...outcome,
			}),
		})
		.get('/ready', () => {}, {
			detail: operation('getReady', 'Check whether submissions are accepted', {
				description: 'Whether a submission would be stored now. For readiness probes.',
				...outcome,
			}),
		});
}
