/** The request pipeline: what each request is given. */

import { expect, test } from 'bun:test';
import { createClientAddress } from '../../src/http/client-address.ts';
import { createDrain } from '../../src/http/drain.ts';
import { errorResponse } from '../../src/http/error-responses.ts';
import { createRequestPipeline } from '../../src/http/request-pipeline.ts';
import { createLog } from '../../src/log/log.ts';

test('each request has an id of its own, which counts up in digits and letters', async () => {
	const fetch = createRequestPipeline({
		log: createLog({ level: 'error', format: 'json', write: () => {} }),
		clientAddress: createClientAddress('none'),
		drain: createDrain(),
		observe: () => {},
		loggedAddress: (address) => address,
		onError: (_request, error, { id }) => errorResponse(error, id),
		handler: () => new Response(),
	});
	const listener = { requestIP: () => ({ address: '127.0.0.1' }), timeout: () => {} };
	const request = new Request('http://localhost/', { headers: { Host: 'localhost' } });
	const ids: string[] = [];
	for (let i = 0; i < 2000; i++) ids.push((await fetch(request, listener)).headers.get('X-Request-Id') ?? '');
	const [prefix] = (ids[0] as string).split('-');
	expect(ids).toEqual(ids.map((_, i) => `${prefix}-${i.toString(36)}`));
});
