/** The response of `/formsrv.js`. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openTestServer, type TestServer } from '../../server.ts';

const MAX_COMPRESSED_BYTES = 6144;

let server: TestServer;
beforeAll(async () => {
	server = await openTestServer();
});
afterAll(() => server.close());

async function ask(headers: Record<string, string> = {}): Promise<Response> {
	const sent = { 'Accept-Encoding': 'identity', ...headers };
	const response = await fetch(`${server.submitUrl}/formsrv.js`, { headers: sent, decompress: false });
	if (response.status === 404) throw new Error('dist/script is missing: run `bun run build` first');
	return response;
}

describe('/formsrv.js', () => {
	test('is at most 6 kB compressed', async () => {
		const response = await ask({ 'Accept-Encoding': 'gzip' });
		expect(response.headers.get('Content-Encoding')).toBe('gzip');
		expect((await response.bytes()).length).toBeLessThanOrEqual(MAX_COMPRESSED_BYTES);
	});

	test('is a script of its own that leaves no names behind', async () => {
		const response = await ask();
		expect(response.headers.get('Content-Type')).toMatch(/^text\/javascript/);
		expect(await response.text()).toMatch(/^\(\(\)=>\{.*\}\)\(\);\s*$/s);
	});

	test('may be loaded by pages of any origin', async () => {
		const { headers } = await ask();
		expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
		expect(headers.get('Cross-Origin-Resource-Policy')).toBe('cross-origin');
	});

	test('is not sent again to a browser that has it', async () => {
		const etag = (await ask()).headers.get('ETag') ?? '';
		const again = await ask({ 'If-None-Match': `"other", ${etag}`, 'Accept-Encoding': 'gzip' });
		expect(again.status).toBe(304);
		expect(again.headers.get('ETag')).toBe(etag);
		expect(again.headers.get('Content-Encoding')).toBeNull();
		expect((await ask({ 'If-None-Match': '"other"' })).status).toBe(200);
	});
});
