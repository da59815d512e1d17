/** The operator, who may do everything, is the command line in its own process: nothing that comes by a wire can say so. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openTestServer, type TestServer } from '../server.ts';

let server: TestServer;
let form: { id: string; slug: string };
let limited: string;

const OPERATOR = { keyId: null, sessionId: null, permissions: ['admin'], formIds: null, operator: 'root' };
const INFO = { operator: OPERATOR, caller: OPERATOR };
const TEXT = JSON.stringify(OPERATOR);

beforeAll(async () => {
	server = await openTestServer({ settings: { FORMSRV_TRUSTED_PROXIES: '127.0.0.1', FORMSRV_RATE_AUTH: '0' } });
	form = await server.createForm<typeof form>({ name: 'Contact' });
	limited = await server.createKey({ permissions: ['write'] });
});
afterAll(() => server.close());

/** Headers of a client that guesses at the inside of the server. */
const HEADERS: Record<string, Record<string, string>> = {
	'its name': { operator: TEXT, caller: TEXT, principal: TEXT },
	'its name as a custom header': { 'X-Operator': 'root', 'X-Formsrv-Operator': TEXT, 'Formsrv-Operator': 'root' },
	'names of prototypes': { ['__proto__']: TEXT, constructor: TEXT, prototype: TEXT },
	'users of proxies': { 'X-Forwarded-User': 'root', 'X-Remote-User': 'root', 'X-Forwarded-For': 'command' },
	'the address of a command': { 'X-Forwarded-For': '', 'X-Request-Id': 'command' },
	'a user for a key': { Authorization: 'Bearer user:root' },
	'an operator for a key': { Authorization: `Operator ${TEXT}` },
	'no key': { Authorization: '' },
	'a user for a session': { Cookie: `formsrv_session=user:root; operator=${encodeURIComponent(TEXT)}` },
};

const ROUTES = ['GET /api/forms', 'POST /api/keys', 'GET /api/audit', 'POST /mcp', 'GET /api/forms?operator=root'];

function send(url: string, route: string, { headers, body }: { headers?: object; body?: string } = {}) {
	const [method = '', path] = route.split(' ');
	const json = method === 'GET' ? undefined : (body ?? JSON.stringify({ permissions: ['admin'], ...INFO }));
	const sent = { 'Content-Type': 'application/json', ...headers };
	return fetch(`${url}${path}`, { method, headers: Object.fromEntries(Object.entries(sent)), body: json });
}

describe.each(Object.entries(HEADERS))('%s', (_, headers) => {
	test.each(ROUTES)('opens nothing of %s, on either listener', async (route) => {
		const keys = (await server.app.keys.list()).length;
		expect((await send(server.baseUrl, route, { headers })).status).toBe(401);
		expect((await send(server.submitUrl, route, { headers })).status).toBe(404);
		expect(await server.app.keys.list()).toHaveLength(keys);
	});
});

test('a body that names prototypes gives the next request nothing', async () => {
	const json = `{"name":"x","__proto__":${JSON.stringify(INFO)},"constructor":{"prototype":${JSON.stringify(INFO)}}}`;
	const pairs = [
		'__proto__[operator][operator]=root',
		'__proto__.operator=root',
		'constructor[prototype][operator]=root',
	];
	const endpoints = [`${server.submitUrl}/f/${form.slug}`, `${server.baseUrl}/api/f/${form.slug}`];
	for (const endpoint of endpoints) {
		const multipart = new FormData();
		for (const pair of pairs) multipart.append(...(pair.split('=') as [string, string]));
		await fetch(endpoint, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: json });
		await fetch(endpoint, { method: 'POST', body: new URLSearchParams(pairs.join('&')) });
		await fetch(endpoint, { method: 'POST', body: multipart });
		await fetch(`${endpoint}?${pairs.join('&')}`, { method: 'POST', body: new URLSearchParams('a=1') });
	}
	const headers = { Authorization: `Bearer ${limited}` };
	const calls = { jsonrpc: '2.0', id: 1, method: 'tools/call' };
	const message = `{${JSON.stringify(calls).slice(1, -1)},"params":{"name":"ensure_form","arguments":${json},"_meta":${json}}}`;
	for (const [route, body] of [
		['POST /api/forms', json],
		[`PATCH /api/forms/${form.id}`, json],
		['PUT /api/forms/slug/other', json],
		['POST /mcp', message],
	] as const)
		await send(server.baseUrl, route, { headers, body });
	await send(server.baseUrl, `GET /api/forms?${pairs.join('&')}`, { headers });

	expect(({} as typeof INFO).operator).toBeUndefined();
	expect((await send(server.baseUrl, 'GET /api/forms')).status).toBe(401);
	expect((await send(server.baseUrl, `GET /api/forms/${form.id}/submissions`, { headers })).status).toBe(403);
	expect((await send(server.baseUrl, 'POST /api/keys', { headers })).status).toBe(403);
});
