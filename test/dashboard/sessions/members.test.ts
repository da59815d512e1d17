/** Members: people who sign in as whom a trusted proxy knows, and have no key. */

import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createToken } from '../../../src/keys/token.ts';
import { sendRaw, splitResponses } from '../../hostile/raw.ts';
import type { TestServer } from '../../server.ts';
import { entriesOf, type Made, make, serversOfFile } from './members.ts';

setDefaultTimeout(60_000);

const { openServer } = serversOfFile();
const own = (server: TestServer) => ({ 'X-Formsrv-CSRF': '1', Origin: server.baseUrl });

describe('a member', () => {
	test('is made with an address, and has no key', async () => {
		const server = await openServer({});
		const { status, body } = await make(server, { email: 'Ada@Example.ORG', name: 'Ada' });
		expect({ status, ...body }).toMatchObject({
			...{ status: 201, key: null, email: 'ada@example.org', display: 'ada@example.org', name: 'Ada' },
		});
		expect((await make(server, {})).body).toMatchObject({ email: null });
		for (const key of [body.id, 'ada@example.org', `member:${body.id}`, createToken('live')]) {
			expect((await server.call('GET /api/forms', { key })).status).toBe(401);
		}
		const rotated = await server.call<Made>(`POST /api/keys/${body.id}/rotate`, { json: {} });
		expect([rotated.status, rotated.body.code]).toEqual([409, 'CONFLICT']);
		expect(rotated.body.error).toStartWith('ada@example.org is a member');
	});

	test('is there once, until it is revoked', async () => {
		const server = await openServer({});
		const { body } = await make(server, { email: 'ada@example.org' });
		const twice = await make(server, { email: 'ADA@example.org' });
		expect([twice.status, twice.body.code]).toEqual([409, 'CONFLICT']);
		await server.call(`DELETE /api/keys/${body.id}`);
		expect((await make(server, { email: 'ada@example.org' })).status).toBe(201);
		expect((await make(server, { email: 'grace@example.org' })).status).toBe(201);
	});

	test('is known by both spellings of an international domain', async () => {
		const server = await openServer({ FORMSRV_AUTH_HEADER: 'Remote-Email', FORMSRV_TRUSTED_PROXIES: '127.0.0.1' });
		expect((await make(server, { email: 'Ada@Bücher.example' })).body.email).toBe('ada@xn--bcher-kva.example');
		expect((await make(server, { email: 'ada@xn--bcher-kva.example' })).status).toBe(409);
		expect((await enter(server, { 'Remote-Email': 'ada@xn--bcher-kva.example' })).status).toBe(200);
	});

	test('is one of a mode: a test key neither learns of the live one nor keeps a person from becoming one', async () => {
		const server = await openServer({ FORMSRV_AUTH_HEADER: 'Remote-Email', FORMSRV_TRUSTED_PROXIES: '127.0.0.1' });
		const testKey = await server.createKey({ mode: 'test', permissions: ['admin'] });
		const email = 'ada@example.org';
		const modeOf = async () => (await enter(server, { 'Remote-Email': email })).body.mode;
		const unlike = { email: 'eve@example.org' };
		for (const json of [unlike, { email }]) expect((await make(server, json, testKey)).status).toBe(201);
		expect((await make(server, { email }, testKey)).body.error).toBe(
			'ada@example.org is a member already, perhaps an expired one: revoke that one first.',
		);
		expect(await modeOf()).toBe('test');
		const { status, body } = await make(server, { email });
		expect(status).toBe(201);
		expect(await modeOf()).toBe('live');
		await server.call(`DELETE /api/keys/${body.id}`);
		expect(await modeOf()).toBe('test');
	});

	test.each(['ada', 'ada@example.org, grace@example.org', 'Ada <ada@example.org>', '', 'ada@localhost'])(
		'cannot be called %j',
		async (email) => {
			const [server] = await shared();
			const { status, body } = await make(server, { email });
			expect([status, body.code]).toEqual([400, 'VALIDATION_ERROR']);
		},
	);
});

/** A server behind a proxy at the address of this machine. */
let opened: Promise<[TestServer]> | undefined;
function shared(): Promise<[TestServer]> {
	opened ??= openServer({ FORMSRV_AUTH_HEADER: 'Remote-Email', FORMSRV_TRUSTED_PROXIES: '127.0.0.1' }).then(
		async (server) => {
			await make(server, { email: 'ada@example.org', name: 'Ada', permissions: ['read', 'write'] });
			await make(server, { email: 'grace@example.org', name: 'Grace' });
			return [server];
		},
	);
	return opened;
}

async function enter(server: TestServer, headers: Record<string, string>, json: object = { proxy: true }) {
	const answer = await server.call<{ mode: string; permissions: string[]; error: string; code: string }>(
		'POST /api/session',
		{
			...{ key: null, json, headers: { ...own(server), ...headers } },
		},
	);
	return { ...answer, cookie: answer.headers.get('Set-Cookie')?.split(';')[0] ?? '' };
}
const statusWith = async (server: TestServer, headers: Record<string, string>) =>
	(await server.call('GET /api/forms', { key: null, headers })).status;

describe('the header of a trusted proxy', () => {
	test('opens a session of the member that it names, and nothing else', async () => {
		const [server] = await shared();
		const { status, body, cookie } = await enter(server, { 'Remote-Email': 'Ada@example.org' });
		expect(status).toBe(200);
		expect(body.permissions).toEqual(['read', 'write']);
		expect(await statusWith(server, { Cookie: cookie })).toBe(200);
		expect(await statusWith(server, { 'Remote-Email': 'ada@example.org' })).toBe(401);
		const made = await server.call<{ id: string }>('POST /api/forms', {
			...{ key: null, json: { name: 'By Ada' }, headers: { ...own(server), Cookie: cookie } },
		});
		expect(made.status).toBe(201);
		const [entry] = await entriesOf(server, 'createForm');
		expect(entry?.actor).toMatchObject({ kind: 'key', name: 'Ada' });
		const [signedIn] = await entriesOf(server, 'openSession');
		expect(signedIn).toMatchObject({
			...{ actor: { kind: 'key', name: 'Ada' }, details: { facts: { way: 'proxy', email: 'ada@example.org' } } },
		});
	});

	test('is shown to the page for signing in', async () => {
		const [server] = await shared();
		const ways = async (headers: Record<string, string>) =>
			(await server.call('GET /api/session/ways', { key: null, headers })).body;
		expect(await ways({ 'Remote-Email': 'ada@example.org' })).toEqual({ proxy: 'ada@example.org', oidc: null });
		expect(await ways({})).toEqual({ proxy: null, oidc: null });
	});

	test('is nothing for whom there is no member', async () => {
		const [server] = await shared();
		const { status, body, cookie } = await enter(server, { 'Remote-Email': 'eve@example.org' });
		expect({ status, cookie }).toEqual({ status: 401, cookie: '' });
		expect(body.error).toStartWith('eve@example.org is not a member here');
		const failures = await entriesOf(server, 'failedSignIn');
		expect(failures[0]?.details.facts).toEqual({ way: 'proxy', email: 'eve@example.org' });
		expect((await enter(server, {})).status).toBe(401);
		expect((await enter(server, { 'Remote-Email': 'Ada' })).status).toBe(401);
	});

	test('counts only if it names one person', async () => {
		const [server] = await shared();
		expect((await enter(server, { 'Remote-Email': 'ada@example.org, grace@example.org' })).status).toBe(401);
		const body = '{"proxy":true}';
		const head = [
			'POST /api/session HTTP/1.1',
			`Host: ${new URL(server.baseUrl).host}`,
			`Origin: ${server.baseUrl}`,
			'Content-Type: application/json',
			`Content-Length: ${body.length}`,
		];
		const send = async (...lines: string[]) => {
			const [response] = splitResponses(await sendRaw(server.baseUrl, [...head, ...lines, '', body].join('\r\n')));
			return response?.status;
		};
		expect(await send('Remote-Email: ada@example.org')).toBe(200);
		expect(await send('Remote-Email: ada@example.org', 'Remote-Email: grace@example.org')).toBe(401);
		expect(await send('Remote-Email: ada@example.org', 'remote-email: ada@example.org')).toBe(401);
	});

	test('opens nothing for another page', async () => {
		const [server] = await shared();
		const named = { 'Remote-Email': 'ada@example.org' };
		expect((await enter(server, { ...named, Origin: 'https://evil.example' })).status).toBe(403);
		expect((await enter(server, { ...named, 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
		const rebound = { ...named, Host: 'evil.example', Origin: 'http://evil.example' };
		expect((await enter(server, rebound)).status).toBe(403);
		const bare = await server.call('POST /api/session', { key: null, json: { proxy: true }, headers: named });
		expect(bare.status).toBe(403);
		expect((await enter(server, named, { proxy: true, key: server.adminKey })).status).toBe(400);
		expect((await enter(server, named, { proxy: false })).status).toBe(400);
	});

	test('ends the session of a member as soon as it names another one, or none clearly', async () => {
		const [server] = await shared();
		for (const other of ['grace@example.org', 'eve@example.org', 'ada@example.org, grace@example.org', 'Ada']) {
			const { cookie } = await enter(server, { 'Remote-Email': 'ada@example.org' });
			expect(await statusWith(server, { Cookie: cookie, 'Remote-Email': 'ADA@example.org' })).toBe(200);
			expect(await statusWith(server, { Cookie: cookie, 'Remote-Email': other })).toBe(401);
			expect(await statusWith(server, { Cookie: cookie })).toBe(401);
		}
		const byKey = await enter(server, {}, { key: server.adminKey });
		expect(await statusWith(server, { Cookie: byKey.cookie, 'Remote-Email': 'ada@example.org' })).toBe(200);
	});

	test.each([
		['an address that is not listed', '10.9.9.9,192.168.0.0/16'],
		['this machine, which is not listed', '::1'],
	])('is nothing from %s', async (_, trusted) => {
		const server = await openServer({ FORMSRV_AUTH_HEADER: 'Remote-Email', FORMSRV_TRUSTED_PROXIES: trusted });
		await make(server, { email: 'ada@example.org' });
		for (const headers of [{}, { 'X-Forwarded-For': '10.9.9.9' }, { 'X-Forwarded-For': '192.168.0.1, ::1' }]) {
			const forged = { 'Remote-Email': 'ada@example.org', ...headers } as Record<string, string>;
			const { status, cookie } = await enter(server, forged);
			expect({ status, cookie }).toEqual({ status: 401, cookie: '' });
			expect((await server.call('GET /api/session/ways', { key: null, headers: forged })).body).toMatchObject({
				proxy: null,
			});
		}
	});

	test('is nothing where no header is set', async () => {
		const server = await openServer({ FORMSRV_TRUSTED_PROXIES: '127.0.0.1' });
		await make(server, { email: 'ada@example.org' });
		expect((await enter(server, { 'Remote-Email': 'ada@example.org' })).status).toBe(401);
	});
});

describe('a session of a member', () => {
	test('ends when the member is revoked or expires', async () => {
		const [server] = await shared();
		const expiresAt = new Date(Date.now() + 1500);
		const { body } = await make(server, { email: 'short@example.org' });
		await make(server, { email: 'brief@example.org', expiresAt: expiresAt.toISOString() });
		const revoked = await enter(server, { 'Remote-Email': 'short@example.org' });
		const expiring = await enter(server, { 'Remote-Email': 'brief@example.org' });
		for (const { cookie } of [revoked, expiring]) expect(await statusWith(server, { Cookie: cookie })).toBe(200);
		await server.call(`DELETE /api/keys/${body.id}`);
		expect(await statusWith(server, { Cookie: revoked.cookie })).toBe(401);
		expect((await enter(server, { 'Remote-Email': 'short@example.org' })).status).toBe(401);
		await Bun.sleep(expiresAt.getTime() - Date.now() + 1);
		expect(await statusWith(server, { Cookie: expiring.cookie })).toBe(401);
		expect((await enter(server, { 'Remote-Email': 'brief@example.org' })).status).toBe(401);
	});
});
