/** The stream of events. */

import { Elysia } from 'elysia';
import { operation, textResponse } from '../../http/openapi.ts';
import { requestInfo } from '../../http/request-info.ts';
import type { Auth } from '../../keys/auth.ts';
import type { EventStreams } from './streams.ts';

export const EVENTS_PATH = '/api/events';
const MEDIA_TYPE = 'text/event-stream';
const EXAMPLE = [
	'event: hello\ndata: {}',
	'event: beat\ndata: {}',
	'event: submission\ndata: {"formId":"cmnrg2x7k8w","submissionId":"cmnrg2x8a1c"}',
	'event: change\ndata: {"formId":"cmnrg2x7k8w"}',
	'event: delivery\ndata: {"formId":"cmnrg2x7k8w","id":"cmnrg2x8a1d","state":"sent"}\n\n',
].join('\n\n');
const HEADERS = {
	'Content-Type': MEDIA_TYPE,
	'Cache-Control': 'no-store',
	// Keeps buffering proxies, such as nginx, from delaying events.
	'X-Accel-Buffering': 'no',
};

export const eventRoutes = (streams: EventStreams, auth: Auth) =>
	new Elysia({ tags: ['Events'] }).use(auth).get(
		EVENTS_PATH,
		({ principal, request }) => {
			const reauthorize = async () => requestInfo(request).reauthorize?.();
			const stream = request.method === 'HEAD' ? null : streams.open({ principal, reauthorize });
			return new Response(stream, { headers: HEADERS });
		},
		{
			access: { permission: 'read', isConfined: true },
			detail: operation('streamEvents', 'Stream events', {
				description:
					'Server-sent events about the forms of the key: `submission` for a new submission, `change` if a form or any of ' +
					'its submissions changed, `delivery` (for `admin`) if a mail or webhook request changed state. Many at once become one ' +
					'`change`. The stream begins with `hello`, and has a `beat` every second. At each `hello` load the data again: missed events are not ' +
					'repeated, and what a command writes beside the server, or a change of keys, is another `hello` alone. The stream ends with the key or session, each of which may have ten at once.',
				returns: textResponse('The stream, until the client closes it.', { [MEDIA_TYPE]: EXAMPLE }),
			}),
		},
	);
