/** How the probes are described to programmers; they are answered by `public.ts`, at both addresses. */

import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { errorResponses, jsonResponse } from '../http/openapi.ts';

const Well = Type.Object({ status: Type.Literal('ok') });
/** For the document alone. */
export function describedProbes() {
	return new Elysia()
		.get('/health', () => {}, {
			detail: probeDetail({
				operationId: 'getHealth',
				summary: 'Ask whether the server is well',
				description: 'Whether it serves, on the database that it opened; if not, only a restart helps. For liveness.',
			}),
		})
		.get('/ready', () => {}, {
			detail: probeDetail({
				operationId: 'getReady',
				summary: 'Ask whether submissions are taken',
				description: 'Whether what is submitted now would be stored. For readiness.',
			}),
		});
}

function probeDetail(texts: Record<'operationId' | 'summary' | 'description', string>) {
	return {
		...texts,
		tags: ['Server'],
		security: [],
		responses: {
			200: jsonResponse('Yes.', { schema: Well, example: { status: 'ok' } }),
			...errorResponses('UNAVAILABLE'),
		},
	};
}
