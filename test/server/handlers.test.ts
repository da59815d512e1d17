/** The paths of each listener, from the first moment on. */

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { createDrain } from '../../src/http/drain.ts';
import { createLog } from '../../src/log/log.ts';
import { openHandlers } from '../../src/server/handlers.ts';
import { testOnSqlite } from '../engine.ts';
import { openTestServer, type TestServer } from '../server.ts';

let server: TestServer;
beforeEach(async () => {
	server = await openTestServer();
});
afterEach(() => server.close());

test('requests during the loading of the management routes get their responses', async () => {
	const asked = ['GET /api/forms', 'GET /api/keys', 'GET /api/nothing', 'PUT /api/forms', 'GET /health'] as const;
	const answers = await Promise.all([...asked, ...asked, ...asked].map((route) => server.call(route)));
	const expected = [200, 200, 404, 405, 200];
	expect(answers.map(({ status }) => status)).toEqual([...expected, ...expected, ...expected]);
});

test.each([
	['GET', '/health', 200],
	['HEAD', '/health', 200],
	['POST', '/health', 405],
	['GET', '/health/', 404],
	['GET', '/thanks', 200],
	['GET', '/formsrv.js', 200],
	['DELETE', '/thanks', 405],
	['GET', '/api/f', 404],
	['GET', '/api/f/', 404],
	['GET', '/api/f/nobody', 404],
	['PUT', '/api/f/nobody/challenge', 405],
	['POST', '/api/f/nobody/further/down', 404],
	['POST', '/f/nobody', 404],
	['GET', '/api/%66/nobody', 404],
	['OPTIONS', '/thanks', 204],
])('%s %s at the base responds with %d', async (method, path, status) => {
	const response = await fetch(`${server.baseUrl}${path}`, { method });
	expect(response.status).toBe(status);
	expect(response.headers.get('X-Request-Id')).toMatch(/./);
	expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff');
	await response.bytes();
});

test.each(['/', '/docs', '/api/forms', '/api/f/nobody'])('%s is nothing at the submit address', async (path) => {
	expect((await fetch(`${server.submitUrl}${path}`)).status).toBe(404);
});

test('what is looked for at the other address is told where it is', async () => {
	const errorAt = async (url: string) =>
		((await (await fetch(url, { method: 'POST' })).json()) as { error: string }).error;
	const atBase = 'The API is at the base address, not at this one.';
	expect(await errorAt(`${server.baseUrl}/f/contact`)).toBe('Forms are at the submit address, or here below /api/f/.');
	expect(await errorAt(`${server.submitUrl}/api/forms`)).toBe(atBase);
	expect(await errorAt(`${server.submitUrl}/mcp`)).toBe(atBase);
	expect(await errorAt(`${server.submitUrl}/apis`)).toBe('There is nothing at this address.');
});

test('management paths are found only in their unescaped form', async () => {
	const form = await server.createForm<{ id: string }>({ name: 'Contact' });
	const escaped = `%${form.id.charCodeAt(0).toString(16)}${form.id.slice(1)}`;
	const statusOf = async (id: string) => (await server.call(`GET /api/forms/${id}`)).status;
	expect([await statusOf(form.id), await statusOf(escaped)]).toEqual([200, 404]);
});

test('a script with a header of its own may follow to the thank-you page', async () => {
	const response = await fetch(`${server.submitUrl}/thanks`, {
		method: 'OPTIONS',
		headers: { Origin: 'https://example.com', 'Access-Control-Request-Headers': 'idempotency-key' },
	});
	expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*');
	expect(response.headers.get('Access-Control-Allow-Headers')).toBe('idempotency-key');
});

test('a browser that opens the address of a form gets the help page', async () => {
	const form = await server.createForm<{ slug: string }>({ name: 'Contact' });
	const ask = (accept: string) => fetch(`${server.submitUrl}/f/${form.slug}`, { headers: { Accept: accept } });
	const [page, json] = [await ask('*/*'), await ask('application/json')];
	expect([page.status, json.status]).toEqual([405, 405]);
	expect(await page.text()).toContain('This address accepts messages');
	expect(await json.json()).toMatchObject({ code: 'METHOD_NOT_ALLOWED' });
});

test('the address of a deleted form is a 404, also while its rows are swept', async () => {
	const form = await server.createForm<{ id: string; slug: string }>({ name: 'Old' });
	await server.call(`DELETE /api/forms/${form.id}`);
	const [slug, left] = [
		await server.submit(form.slug, { a: 'b' }),
		await server.submit(`deleted:${form.id}`, { a: 'b' }),
	];
	expect([slug.status, left.status]).toEqual([404, 404]);
});

test('a submission has one access line, however it ends', async () => {
	const { base, access } = openLogged();
	const { slug } = await server.app.forms.create('live', { name: 'Contact' });
	const post = (path: string, headers: Record<string, string> = {}) =>
		base(
			new Request(`http://localhost${path}`, {
				method: 'POST',
				headers: { Host: 'localhost', ...headers },
				body: 'a=b',
			}),
			{
				requestIP: () => null,
				timeout: () => {},
			},
		);
	const key = (token: string) => ({ Authorization: `Bearer ${token}` });
	const responses = await Promise.all([
		post(`/f/${slug}`),
		post(`/f/${slug}`, { 'Content-Encoding': 'br' }),
		post('/f/nobody'),
		post(`/f/${slug}`, { Host: 'a/b' }),
		post(`/f/${slug}`, key(server.adminKey)),
		post(`/f/${slug}`, key(`${server.adminKey.slice(0, -4)}zzzz`)),
	]);
	const expected = [303, 415, 404, 400, 303, 401];
	expect(responses.map(({ status }) => status)).toEqual(expected);
	const ids = responses.map(({ headers }) => headers.get('X-Request-Id'));
	const lines = new Map(access().map((line) => [line.requestId, line.status]));
	expect(access()).toHaveLength(expected.length);
	expect(ids.map((id) => lines.get(id ?? ''))).toEqual(expected);
});

testOnSqlite('of 3,000 responses made at once, each has the id, the rate and the body of its own request', async () => {
	const { base, access } = openLogged();
	const open = await server.app.forms.create('live', { name: 'Open' });
	const restricted = await server.app.forms.create('live', { name: 'Restricted', allowedDomains: ['example.com'] });
	const kinds = [
		{ status: 200, accept: 'application/json', body: '{"a":"b"}' },
		{ status: 303, accept: 'text/html', body: '{"a":"b"}' },
		{ status: 400, accept: 'application/json', body: '{"a"' },
	] as const;
	// One address sends one of each kind, so that their remaining rates differ.
	const cases = Array.from({ length: 3000 }, (_, i) => {
		const sender = Math.floor(i / kinds.length);
		const rank = i % kinds.length;
		const address = `10.0.${sender >> 8}.${sender & 255}`;
		return { ...(kinds[rank] as (typeof kinds)[number]), rank, address, form: sender % 2 === 0 ? open : restricted };
	});
	const responses = await Promise.all(
		cases.map(({ accept, body, address, form }) => {
			const headers = {
				Host: 'localhost',
				Accept: accept,
				Origin: 'https://example.com',
				'Content-Type': 'application/json',
				'Content-Length': `${body.length}`,
			};
			const request = new Request(`http://localhost/f/${form.slug}`, { method: 'POST', headers, body });
			return base(request, { requestIP: () => ({ address }), timeout: () => {} });
		}),
	);
	const lines = access();
	const logged = new Map(lines.map(({ requestId, address, status }) => [requestId, { address, status }]));
	expect([lines.length, logged.size]).toEqual([cases.length, cases.length]);
	const limit = Number(responses[0]?.headers.get('RateLimit-Limit'));
	const seen = await Promise.all(
		responses.map(async (response) => {
			const header = (name: string) => response.headers.get(name);
			const id = header('X-Request-Id') ?? '';
			const idInBody = JSON.parse((await response.text()) || '{}').requestId ?? id;
			return [response.status, logged.get(id), idInBody === id, header('RateLimit-Remaining'), header('Vary')];
		}),
	);
	expect(seen).toEqual(
		cases.map(({ status, address, rank, form }) => {
			const vary = [...(form === restricted ? ['Origin'] : []), ...(status === 400 ? ['Accept-Language'] : [])];
			return [status, { address, status }, true, String(limit - 1 - rank), vary.join(', ') || null];
		}),
	);
});

/** Handlers of their own, and the lines that they wrote to the log. */
function openLogged() {
	const lines: string[] = [];
	const log = createLog({
		level: 'info',
		format: 'json',
		write: (bytes) => lines.push(...Buffer.from(bytes).toString().trimEnd().split('\n')),
	});
	const urls = { base: 'http://localhost', submit: 'http://localhost' };
	const { base } = openHandlers({ ...server.app, log }, { isShared: true, urls, drain: createDrain() });
	return {
		base,
		access: (): { requestId: string; address: string; status: number }[] => {
			log.flush();
			return lines.map((line) => JSON.parse(line));
		},
	};
}
