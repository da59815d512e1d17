/** The stream of events. */

import { Elysia } from 'elysia';
import { errorResponses, textResponse } from '../../http/openapi.ts';
import type { Auth } from '../../keys/auth.ts';
import type { EventStreams } from './streams.ts';

export const EVENTS_PATH = '/api/events';
const MEDIA_TYPE = 'text/event-stream';
const EXAMPLE = [
	'event: hello\ndata: {}',
	'event: submission\ndata: {"formId":"cmnrg2x7k8w","submissionId":"cmnrg2x8a1c"}',
	'event: change\ndata: {"formId":"cmnrg2x7k8w"}',
	'event: delivery\ndata: {"formId":"cmnrg2x7k8w","id":"cmnrg2x8a1d","state":"sent"}\n\n',
].join('\n\n');
const HEADERS = {
	'Content-Type': MEDIA_TYPE,
	'Cache-Control': 'no-store',
	// Proxies that collect answers, such as nginx, pass this one on as it comes.
	'X-Accel-Buffering': 'no',
};

export const eventRoutes = (streams: EventStreams, auth: Auth) =>
	new Elysia({ tags: ['Events'] }).use(auth).get(
		EVENTS_PATH,
		({ principal, recogniseAgain, request }) => {
			const stream = request.method === 'HEAD' ? null : streams.open({ principal, recogniseAgain });
			return new Response(stream, { headers: HEADERS });
		},
		{
			access: { permission: 'read', isConfined: true },
			detail: {
				operationId: 'streamEvents',
				summary: 'Hear what happens',
				description:
					'Server-sent events about the forms of the key: `submission` for an arrival, `change` if a form or any of its ' +
					'submissions is not what it was, `delivery` for a mail or webhook event on its way, to whom may see deliveries. Many at once become one ' +
					'`change`. The stream begins with `hello`: whoever has seen an earlier one looks anew, for what happened in ' +
					'between is not told again. It ends with the key or session. Each may have ten at once.',
				responses: {
					200: textResponse('The stream, until the client ends it.', { [MEDIA_TYPE]: EXAMPLE }),
					...errorResponses('UNAUTHORIZED', 'FORBIDDEN', 'RATE_LIMITED', 'UNAVAILABLE'),
				},
			},
		},
	);
