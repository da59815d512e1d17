/** Single sign-on of members by OpenID Connect, at a real provider and at one that lies. */

import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { startHostileProvider } from './hostile-provider.ts';
import { entriesOf, make, serversOfFile } from './members.ts';
import { CLIENT, startProvider } from './real-provider.ts';
import { newVisitor } from './visitor.ts';

setDefaultTimeout(60_000);

const CALLBACK = '/api/session/oidc/callback';
const { closing, openServer } = serversOfFile();
const provider = await startProvider();
closing.push(provider.close);
const server = await openServer({
	FORMSRV_OIDC_ISSUER: provider.issuer,
	FORMSRV_OIDC_CLIENT_ID: CLIENT.id,
	FORMSRV_OIDC_CLIENT_SECRET: CLIENT.secret,
});
await provider.serve(server.baseUrl + CALLBACK);
const ada = (await make(server, { email: 'ada@example.org', name: 'Ada' })).body;

const start = `${server.baseUrl}/api/session/oidc`;
const isCallback = (url: string) => url.startsWith(server.baseUrl + CALLBACK);
const isHome = (url: string) => url.startsWith(`${server.baseUrl}/#`);
const meOf = (visitor: ReturnType<typeof newVisitor>) => visitor.get(`${server.baseUrl}/api/session`);

describe('single sign-on with oidc-provider', () => {
	test('brings a member in, with a session and nothing of the provider', async () => {
		provider.person({ email: 'Ada@example.org', email_verified: true });
		const visitor = newVisitor();
		const first = await visitor.get(start);
		const asked = new URL(first.location ?? '');
		expect(asked.origin).toBe(provider.issuer);
		expect(Object.fromEntries(asked.searchParams)).toMatchObject({
			response_type: 'code',
			code_challenge_method: 'S256',
			redirect_uri: server.baseUrl + CALLBACK,
			scope: 'openid email',
		});
		expect(first.headers.get('Set-Cookie')).toMatch(
			/^formsrv_\d+-oidc=[\w-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
		);
		const end = await visitor.follow(asked.href, isHome);
		expect(end.location).toBe(`${server.baseUrl}/#/signed-in`);
		expect([...visitor.jar.keys()].filter((name) => name.startsWith('formsrv'))).toHaveLength(1);
		expect((await meOf(visitor)).status).toBe(200);
		const [entry] = await entriesOf(server, 'openSession');
		expect(entry).toMatchObject({
			...{ actor: { kind: 'key', id: ada.id, name: 'Ada' } },
			...{ details: { facts: { way: 'oidc', email: 'ada@example.org' } } },
		});
		server.app.log.flush();
		expect(server.logLines.join()).not.toContain(CLIENT.secret);
	});

	test('has no place for a stranger, and says whom to ask', async () => {
		provider.person({ email: 'eve@example.org', email_verified: true });
		const visitor = newVisitor();
		const { status, text } = await visitor.follow(start);
		expect(status).toBe(403);
		expect(text).toContain('eve@example.org is not a member here, or not any more. Ask the operator of this server');
		expect((await meOf(visitor)).status).toBe(401);
		const failures = await entriesOf(server, 'failedSignIn');
		expect(failures.map(({ details }) => details.facts)).toContainEqual({ way: 'oidc', email: 'eve@example.org' });
	});

	test.each([
		['does not say that it is verified', { email: 'ada@example.org' }],
		['says that it is not verified', { email: 'ada@example.org', email_verified: false }],
		['says so in a text', { email: 'ada@example.org', email_verified: 'true' as never }],
		['names no address', { email_verified: true }],
	])('lets no one in if the provider %s', async (_, claims) => {
		provider.person(claims);
		const visitor = newVisitor();
		const { status, text } = await visitor.follow(start);
		expect(status).toBe(403);
		expect(text).toContain('Your mail address is not verified');
		expect((await meOf(visitor)).status).toBe(401);
	});

	test('lets a person in once for each response of the provider, in the browser that began', async () => {
		provider.person({ email: 'ada@example.org', email_verified: true });
		const visitor = newVisitor();
		const { location } = await visitor.follow(start, isCallback);
		const kept = new Map(visitor.jar);
		const Cookie = [...kept].map(([name, value]) => `${name}=${value}`).join('; ');
		const looked = await fetch(location ?? '', { method: 'HEAD', headers: { Cookie }, redirect: 'manual' });
		expect([looked.status, looked.headers.get('Set-Cookie')]).toEqual([400, null]);
		const other = newVisitor();
		expect((await other.get(location ?? '')).status).toBe(400);
		expect((await meOf(other)).status).toBe(401);
		expect((await visitor.get(location ?? '')).location).toBe(`${server.baseUrl}/#/signed-in`);
		// Without the cookie of the flow, which is gone, and with a copy of it.
		expect((await visitor.get(location ?? '')).status).toBe(400);
		const thief = newVisitor();
		for (const [name, value] of kept) thief.jar.set(name, value);
		const replayed = await thief.get(location ?? '');
		expect(replayed.status).toBe(400);
		expect(replayed.text).toContain('This sign-in has ended');
		expect((await meOf(thief)).status).toBe(401);
	});

	test('goes on in the tab that began last', async () => {
		provider.person({ email: 'ada@example.org', email_verified: true });
		const visitor = newVisitor();
		const older = await visitor.follow(start, isCallback);
		const newer = await visitor.follow(start, isCallback);
		for (const location of [older.location, `${server.baseUrl}${CALLBACK}?code=made-up`]) {
			const { status, text } = await visitor.get(location ?? '');
			expect([status, text.includes('This sign-in has ended')]).toEqual([400, true]);
		}
		expect((await visitor.get(newer.location ?? '')).location).toBe(`${server.baseUrl}/#/signed-in`);
	});

	test('does not take the response to another browser, or a cookie that was changed', async () => {
		provider.person({ email: 'ada@example.org', email_verified: true });
		const attacker = newVisitor();
		const { location } = await attacker.follow(start, isCallback);
		const victim = newVisitor();
		await victim.get(start);
		expect((await victim.get(location ?? '')).status).toBe(400);
		expect((await meOf(victim)).status).toBe(401);
		const [name = '', value = ''] = [...attacker.jar].find(([one]) => one.startsWith('formsrv')) ?? [];
		attacker.jar.set(name, value.slice(0, 30) + (value[30] === 'A' ? 'B' : 'A') + value.slice(31));
		expect((await attacker.get(location ?? '')).status).toBe(400);
	});

	test('says so if the person declined', async () => {
		provider.person({ email: 'ada@example.org', email_verified: true });
		provider.deny();
		const { status, text } = await newVisitor().follow(start);
		expect(status).toBe(403);
		expect(text).toContain('The sign-in service did not let you in.');
	});

	test('ends with the member', async () => {
		const { body } = await make(server, { email: 'grace@example.org' });
		provider.person({ email: 'grace@example.org', email_verified: true });
		const visitor = newVisitor();
		await visitor.follow(start, isHome);
		expect((await meOf(visitor)).status).toBe(200);
		await server.call(`DELETE /api/keys/${body.id}`);
		expect((await meOf(visitor)).status).toBe(401);
		expect((await visitor.follow(start)).status).toBe(403);
	});

	test('is not begun by another page, and leads nowhere else', async () => {
		const foreign = await newVisitor().get(start, { 'Sec-Fetch-Site': 'cross-site' });
		expect(foreign.location).toBe(`${server.baseUrl}/`);
		expect(foreign.headers.get('Set-Cookie')).toBeNull();
		for (const query of [
			'?next=https://evil.example',
			'?redirect_uri=https://evil.example',
			'?iss=https://evil.example',
		]) {
			const { location } = await newVisitor().get(start + query);
			expect(new URL(location ?? '').origin).toBe(provider.issuer);
			expect(location).not.toContain('evil');
		}
		const { location } = await newVisitor().get(start, { Host: 'evil.example' });
		expect(location).toContain(encodeURIComponent(server.baseUrl));
	});

	test('is offered where it is set up, and a page where it is not', async () => {
		expect((await server.call('GET /api/session/ways', { key: null })).body).toEqual({ proxy: null, oidc: start });
		const other = await openServer({});
		expect((await fetch(`${other.baseUrl}/api/session/oidc`)).status).toBe(404);
		expect((await fetch(`${other.baseUrl}${CALLBACK}?code=c&state=s`)).status).toBe(404);
	});
});

describe('a provider that is wrong', async () => {
	const hostile = await startHostileProvider(CLIENT.id);
	closing.push(hostile.close);
	/** Each knows nothing of the provider yet. */
	async function visit() {
		const target = await openServer({
			FORMSRV_OIDC_ISSUER: hostile.issuer,
			FORMSRV_OIDC_CLIENT_ID: CLIENT.id,
		});
		await make(target, { email: 'ada@example.org', name: 'Ada' });
		const visitor = newVisitor();
		const begin = () => visitor.get(`${target.baseUrl}/api/session/oidc`);
		const come = (query: string) => visitor.get(`${target.baseUrl}${CALLBACK}?${query}`);
		return { target, visitor, begin, come };
	}
	const target = await visit();

	async function attempt(change: Record<string, string | null> = {}) {
		const { location } = await target.begin();
		return target.come(hostile.response(location ?? '', change));
	}

	test('lets a person in if nothing is wrong', async () => {
		hostile.reset();
		expect((await attempt()).location).toBe(`${target.target.baseUrl}/#/signed-in`);
	});

	test.each([
		['a nonce of another sign-in', { claims: { nonce: 'other' } }],
		['no nonce', { claims: { nonce: undefined } }],
		['another issuer', { claims: { iss: 'https://evil.example' } }],
		['another audience', { claims: { aud: 'other' } }],
		['several audiences for another party', { claims: { aud: [CLIENT.id, 'other'], azp: 'other' } }],
		['a token that has expired', { claims: { exp: 1 } }],
		['a signature of another key', { isForged: true }],
		['no signature', { header: { alg: 'none' } }],
	])('does not get in by %s', async (_, token) => {
		hostile.reset();
		hostile.say(token);
		const { status, text } = await attempt();
		expect(status).toBe(400);
		expect(text).toContain('This sign-in has ended');
	});

	test.each([
		['another state', { state: 'other' }],
		['no state', { state: null }],
		['another issuer', { iss: 'https://evil.example' }],
		['no issuer', { iss: null }],
		['no code', { code: null }],
	])('does not get in with %s in the address', async (_, change) => {
		hostile.reset();
		expect((await attempt(change)).status).toBe(400);
	});

	test('that has other keys or addresses by now is asked for them once a sign-in has failed', async () => {
		hostile.reset();
		const home = `${target.target.baseUrl}/#/signed-in`;
		expect((await attempt()).location).toBe(home);
		await hostile.rotate();
		expect((await attempt()).status).toBe(400);
		expect((await attempt()).location).toBe(home);
		hostile.describeAs({ token_endpoint: `${hostile.issuer}/moved/token` });
		hostile.answer('/token', () => new Response(null, { status: 404 }));
		expect((await attempt()).status).toBe(400);
		expect((await attempt()).location).toBe(home);
	});

	test.each([
		['does not say whether the address is verified', { email_verified: undefined }, 303],
		['does not name the address', { email: undefined }, 303],
		['says that the address is not verified', { email_verified: false }, 403],
	])('is asked for more only if its ID token leaves something open: one that %s', async (_, claims, status) => {
		hostile.reset();
		hostile.describeAs({ userinfo_endpoint: `${hostile.issuer}/userinfo` });
		hostile.say({ claims });
		const person = { sub: 'ada', email: 'ada@example.org', email_verified: true };
		hostile.answer('/userinfo', () => Response.json(person));
		const { begin, come } = await visit();
		const { location } = await begin();
		expect((await come(hostile.response(location ?? ''))).status).toBe(status);
	});

	test('is told apart by its issuer, to the letter', async () => {
		for (const issuer of [`${hostile.issuer}/`, `${hostile.issuer}/other`, 'https://evil.example']) {
			hostile.reset();
			hostile.describeAs({ issuer });
			const { begin } = await visit();
			const { status, text, headers } = await begin();
			expect(status).toBe(503);
			expect(text).toContain('The sign-in service cannot be reached');
			expect(headers.get('Location')).toBeNull();
		}
	});

	test('is named in the log with the setting that leads to it', async () => {
		hostile.reset();
		const { begin, target: one } = await visit();
		hostile.answer('/.well-known/openid-configuration', () => new Response('Not here', { status: 404 }));
		await begin();
		hostile.reset();
		hostile.describeAs({ issuer: `${hostile.issuer}/` });
		await begin();
		one.app.log.flush();
		const reasons = one.logLines.map((line) => JSON.parse(line).reason).filter(Boolean);
		expect(reasons).toEqual([
			`FORMSRV_OIDC_ISSUER, ${hostile.issuer}: no provider describes itself there (status 404)`,
			`FORMSRV_OIDC_ISSUER, ${hostile.issuer}: its issuer is ${hostile.issuer}/`,
		]);
	});

	test.each([undefined, 'nonsense', 'javascript:alert(1)', 'file:///etc/passwd'])(
		'cannot lead to %p',
		async (address) => {
			hostile.reset();
			hostile.describeAs({ authorization_endpoint: address });
			const { begin } = await visit();
			const { status, location } = await begin();
			expect({ status, location }).toEqual({ status: 503, location: null });
		},
	);

	test('cannot have a person wait for ever', async () => {
		hostile.reset();
		const { begin } = await visit();
		hostile.answer('/.well-known/openid-configuration', () => new Promise(() => {}));
		expect((await begin()).status).toBe(503);
	});

	test('is away without harm, and is asked again', async () => {
		hostile.reset();
		const { begin, come, target: one } = await visit();
		for (const respond of [
			() => new Response(null, { status: 500 }),
			() => new Response('not JSON', { headers: { 'Content-Type': 'application/json' } }),
			() => new Response('{"issuer":"'.padEnd(10_000_000, 'x'), { headers: { 'Content-Type': 'application/json' } }),
			() => Response.redirect('https://evil.example/'),
		]) {
			hostile.answer('/.well-known/openid-configuration', respond);
			expect((await begin()).status).toBe(503);
		}
		hostile.reset();
		const { status, location } = await begin();
		expect(status).toBe(303);
		hostile.answer('/token', () => new Response(null, { status: 502 }));
		expect((await come(hostile.response(location ?? ''))).status).toBe(503);
		one.app.log.flush();
		const warnings = one.logLines.filter((line) => line.includes('could not sign in by OpenID Connect'));
		expect(warnings).toHaveLength(5);
		hostile.reset();
		expect((await begin()).status).toBe(303);
	});
});
