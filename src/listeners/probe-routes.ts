/** The probes in the OpenAPI document; `public.ts` serves them, at both addresses. */

import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { jsonResponse, operation } from '../http/openapi.ts';

const Healthy = Type.Object({ status: Type.Literal('ok') });
const Ready = Type.Object({
	status: Type.Literal('ok'),
	problem: Type.Optional(
		Type.String({ description: 'What is wrong although submissions are accepted; those with files may be rejected.' }),
	),
});
const outcome = (schema: typeof Healthy | typeof Ready) => ({
	returns: jsonResponse('Yes.', { schema, example: { status: 'ok' } }),
	errors: ['UNAVAILABLE'] as const,
});

/** For the document only. */
export function describedProbes() {
	return new Elysia({ detail: { tags: ['Server'], security: [] } })
		.get('/health', () => {}, {
			detail: operation('getHealth', 'Check whether the server is healthy', {
				description: 'Fails only if a restart is needed. For liveness probes.',
				...outcome(Healthy),
			}),
		})
		.get('/ready', () => {}, {
			detail: operation('getReady', 'Check whether submissions are accepted', {
				description: 'Whether a submission would be stored now. For readiness probes.',
				...outcome(Ready),
			}),
		});
}
