/** Section 9 of the interface: it knows no versions, so no path, header or body names one. */

import { expect, test } from 'bun:test';
import { openTestServer } from '../server.ts';
import type { FormBody } from './wire.ts';

test('the API lives under /api without a version, and under one is nothing', async () => {
	const server = await openTestServer();
	const { status, body, headers } = await server.call<{ forms: FormBody[] }>('GET /api/forms');
	expect([status, body]).toEqual([200, { forms: [] }]);
	expect([...headers.keys()].filter((name) => name.includes('version'))).toEqual([]);
	for (const path of ['/api/v1/forms', '/v1/forms', '/forms'] as const) {
		expect((await server.call(`GET ${path}`)).status).toBe(404);
	}
	await server.close();
});
