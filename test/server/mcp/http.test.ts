/** The protocol over HTTP: what of a request is looked at before anything is done, and how that is said. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openTestServer, type TestServer } from '../../server.ts';

const MODERN = '2026-07-28';
const meta = (version: string) => ({
	'io.modelcontextprotocol/protocolVersion': version,
	'io.modelcontextprotocol/clientCapabilities': {},
});

let server: TestServer;

beforeAll(async () => {
	server = await openTestServer();
});
afterAll(() => server.close());

interface Posted {
	message: unknown;
	headers?: Record<string, string>;
	key?: string;
}

async function post({ message, headers, key = server.adminKey }: Posted) {
	const response = await fetch(`${server.baseUrl}/mcp`, {
		method: 'POST',
		headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
		body: typeof message === 'string' ? message : JSON.stringify(message),
	});
	const text = await response.text();
	return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
}

const request = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 7, method, params });
const modern = (method: string, params: object = {}) => request(method, { ...params, _meta: meta(MODERN) });
const named = (method: string, name?: string) => ({
	'MCP-Protocol-Version': MODERN,
	'Mcp-Method': method,
	...(name !== undefined && { 'Mcp-Name': name }),
});

describe('a message', () => {
	test.each<[string, unknown, number]>([
		['a notification', { jsonrpc: '2.0', method: 'notifications/initialized' }, 202],
		['a response', { jsonrpc: '2.0', id: 1, result: {} }, 202],
		['a batch', [request('ping')], 400],
		['another JSON-RPC', { ...request('ping'), jsonrpc: '1.0' }, 400],
		['an id of null', { ...request('ping'), id: null }, 400],
		['an id that would lose digits', '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', 400],
		['params that are a list', { ...request('ping'), params: [] }, 400],
		['no JSON', '{', 400],
		['nothing', '', 400],
		['too much', JSON.stringify(request('ping', { x: 'y'.repeat(1_100_000) })), 413],
		['JSON that does not end', `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":${'['.repeat(100_000)}`, 400],
		['very deep JSON', `{"jsonrpc":"2.0","id":1,"params":{"x":${'['.repeat(1e5)}${']'.repeat(1e5)}}}`, 400],
	])('that is %s', async (_, message, status) => {
		expect((await post({ message })).status).toBe(status);
	});

	test('of another type of content is not read', async () => {
		const headers = { 'Content-Type': 'text/plain' };
		expect((await post({ message: request('ping'), headers })).status).toBe(415);
	});

	test.each([
		['initialize', { protocolVersion: { toString: 5 } }, undefined],
		['ping', { _meta: { 'io.modelcontextprotocol/protocolVersion': { toString: 5 } } }, -32602],
		['tools/call', { name: { toString: 5 } }, -32602],
		['tools/call', { name: ['list_forms'] }, -32602],
		['tools/call', {}, -32602],
		['tools/call', { name: 'list_forms', arguments: [] }, -32602],
		['tools/call', { name: 'list_forms', arguments: 5 }, -32602],
		['tools/call', { name: 'list_forms', arguments: null }, undefined],
	])('with a member of another type is told so: %s %j', async (method, params, code) => {
		const { body } = await post({ message: request(method, params) });
		expect([body.id, body.error?.code, body.result === undefined]).toEqual([7, code, code !== undefined]);
	});

	test('has its id in the response', async () => {
		for (const id of ['a', 0, -5]) {
			const { status, body } = await post({ message: { ...request('ping'), id } });
			expect({ status, body }).toEqual({ status: 200, body: { jsonrpc: '2.0', id, result: {} } });
		}
	});
});

describe('the era before', () => {
	test.each([
		['2025-06-18', '2025-06-18'],
		['2024-11-05', '2024-11-05'],
		['1999-01-01', '2025-11-25'],
		[undefined, '2025-11-25'],
	])('asked for %s is %s', async (protocolVersion, version) => {
		const { body } = await post({ message: request('initialize', { protocolVersion }) });
		expect(body.result).toMatchObject({ protocolVersion: version, serverInfo: { name: 'formsrv' } });
	});

	test('gets an error with status 200 for a method or tool that there is not', async () => {
		const method = await post({ message: request('resources/list') });
		expect([method.status, method.body.error.code]).toEqual([200, -32601]);
		for (const name of ['nope', 'constructor', undefined]) {
			const tool = await post({ message: request('tools/call', { name }) });
			expect([tool.status, tool.body.error.code]).toEqual([200, -32602]);
		}
	});
});

describe('the version 2026-07-28', () => {
	test('is discovered, with all versions that are supported', async () => {
		const { status, body } = await post({ message: modern('server/discover'), headers: named('server/discover') });
		expect(status).toBe(200);
		expect(body.result).toMatchObject({
			resultType: 'complete',
			supportedVersions: expect.arrayContaining([MODERN, '2025-11-25']),
			cacheScope: 'private',
			_meta: { 'io.modelcontextprotocol/serverInfo': { name: 'formsrv' } },
		});
	});

	const list = modern('tools/list');
	const call = modern('tools/call', { name: 'list_forms' });
	test.each<[string, Posted, number, number | undefined]>([
		['what it should be', { message: list, headers: named('tools/list') }, 200, undefined],
		['no headers', { message: list }, 400, -32020],
		['no version in the headers', { message: list, headers: { 'Mcp-Method': 'tools/list' } }, 400, -32020],
		['another method in the headers', { message: list, headers: named('tools/call') }, 400, -32020],
		['a version in the headers alone', { message: request('tools/list'), headers: named('tools/list') }, 400, -32020],
		['no tool in the headers', { message: call, headers: named('tools/call') }, 400, -32020],
		['another tool in the headers', { message: call, headers: named('tools/call', 'mark') }, 400, -32020],
		[
			'its tool encoded',
			{ message: call, headers: named('tools/call', `=?base64?${btoa('list_forms')}?=`) },
			200,
			undefined,
		],
		[
			'another tool encoded',
			{ message: call, headers: named('tools/call', `=?base64?${btoa('mark')}?=`) },
			400,
			-32020,
		],
		[
			'no capabilities',
			{
				message: request('tools/list', { _meta: { 'io.modelcontextprotocol/protocolVersion': MODERN } }),
				headers: named('tools/list'),
			},
			400,
			-32602,
		],
		['a method that there is not', { message: modern('tasks/get'), headers: named('tasks/get') }, 404, -32601],
		['an unknown version', { message: request('tools/list', { _meta: meta('2031-01-01') }) }, 400, -32022],
		[
			'an unknown version in the headers',
			{ message: request('ping'), headers: { 'MCP-Protocol-Version': '1' } },
			400,
			-32022,
		],
	])('with %s', async (_, posted, status, code) => {
		const { status: actual, body } = await post(posted);
		expect([actual, body.error?.code]).toEqual([status, code]);
		if (code === -32022) expect(body.error.data.supported).toContain(MODERN);
	});
});

describe('a request', () => {
	test('of another page is rejected, and one of its own is not', async () => {
		const at = async (Origin: string) => (await post({ message: request('ping'), headers: { Origin } })).status;
		expect(await at('https://evil.example')).toBe(403);
		expect(await at('null')).toBe(403);
		expect(await at(server.baseUrl)).toBe(200);
		const rebound = { Origin: 'http://evil.example', Host: 'evil.example' };
		expect((await post({ message: request('ping'), headers: rebound })).status).toBe(403);
	});

	test('without a valid key gets the challenge of the API', async () => {
		const { status, headers } = await post({ message: request('ping'), key: 'sk_live_nothing' });
		expect([status, headers.get('WWW-Authenticate')]).toEqual([401, 'Bearer realm="formsrv", error="invalid_token"']);
	});

	test('with a session in place of a key is none', async () => {
		const signedIn = await server.call('POST /api/session', { key: null, json: { key: server.adminKey } });
		const cookie = signedIn.headers.get('Set-Cookie')?.split(';')[0] ?? '';
		const { status } = await server.call('POST /mcp', {
			key: null,
			json: request('ping'),
			headers: { Cookie: cookie, 'X-Formsrv-CSRF': '1', 'Sec-Fetch-Site': 'same-origin' },
		});
		expect(status).toBe(401);
	});

	test.each(['GET', 'DELETE', 'PUT'] as const)('by %s is none', async (method) => {
		const { status, headers } = await server.call(`${method} /mcp`);
		expect([status, headers.get('Allow')]).toEqual([405, 'POST']);
	});

	test('is for the base address only, and not for pages elsewhere', async () => {
		expect((await fetch(`${server.submitUrl}/mcp`, { method: 'POST' })).status).toBe(404);
		const { headers } = await post({ message: request('ping') });
		expect(headers.get('Access-Control-Allow-Origin')).toBeNull();
		expect(headers.get('Cache-Control')).toBe('no-store');
	});
});

test('the rate of a key holds for its messages, and for the calls of its tools', async () => {
	const limited = await openTestServer({ settings: { FORMSRV_RATE_API: '4' } });
	const call = (message: object) => limited.call<{ result: object }>('POST /mcp', { json: message });
	const list = request('tools/call', { name: 'list_forms' });
	expect((await call(request('ping'))).status).toBe(200);
	expect((await call(list)).body.result).not.toHaveProperty('isError');
	const { body } = await call(list);
	expect(body.result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('RATE_LIMITED') }] });
	const { status, headers } = await call(list);
	expect([status, headers.has('Retry-After')]).toEqual([429, true]);
	await limited.close();
});
