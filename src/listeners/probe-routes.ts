/** How the probes are described to programmers; they are answered by `public.ts`, at both addresses. */

import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { errorResponses, jsonResponse, operation } from '../http/openapi.ts';

const Well = Type.Object({ status: Type.Literal('ok') });
const responses = {
	200: jsonResponse('Yes.', { schema: Well, example: { status: 'ok' } }),
	...errorResponses('UNAVAILABLE'),
};

/** For the document alone. */
export function describedProbes() {
	return new Elysia({ detail: { tags: ['Server'], security: [] } })
		.get('/health', () => {}, {
			detail: {
				...operation(
					'getHealth',
					'Ask whether the server is well',
					'Whether it serves, on the database that it opened; if not, only a restart helps. For liveness.',
				),
				responses,
			},
		})
		.get('/ready', () => {}, {
			detail: {
				...operation(
					'getReady',
					'Ask whether submissions are taken',
					'Whether what is submitted now would be stored. For readiness.',
				),
				responses,
			},
		});
}
