import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Form } from '../../../src/forms/schema.ts';
import { decodeId } from '../../../src/ids.ts';
import { createToken } from '../../../src/keys/token.ts';
import { invitations, sessions, setupLinks } from '../../../src/storage/session-tables.ts';
import { testOnSqlite } from '../../engine.ts';
import { sendRaw, splitResponses } from '../../hostile/raw.ts';
import { openTestServer, type TestServer } from '../../server.ts';

const HOUR_MS = 3_600_000;

interface View {
	mode: string;
	modes: string[];
	permissions: string[];
	form: string | null;
	baseUrl: string;
	submitUrl: string;
	expiresAt: string;
	code: string;
	error: string;
}

let clock = Date.UTC(2026, 0, 2);
let server: TestServer;
let form: Form;

/** Headers that the dashboard's page sends with every change. */
const own = () => ({ 'X-Formsrv-CSRF': '1', Origin: server.baseUrl });

async function signIn(json: unknown, headers: Record<string, string> = {}) {
	const answer = await server.call<View>('POST /api/session', { key: null, json, headers });
	const set = answer.headers.get('Set-Cookie');
	return { ...answer, set, cookie: set?.split(';')[0] ?? '' };
}

const withCookie = (cookie: string, rest: object = {}) => ({ key: null, headers: { Cookie: cookie, ...rest } });
const read = (cookie: string) => server.call<View>('GET /api/session', withCookie(cookie));

beforeAll(async () => {
	server = await openTestServer({ now: () => clock, settings: { FORMSRV_RATE_AUTH: '0' } });
	form = await server.createForm<Form>({ name: 'Contact' });
	await server.submit(form.slug, { name: 'Ada' });
});
afterAll(() => server.close());
beforeEach(() => {
	clock += 30 * 24 * HOUR_MS;
});

describe('signing in with a key', () => {
	test('opens a session with the rights of the key, and does not show the key again', async () => {
		const key = await server.createKey({ permissions: ['read', 'write'] });
		const { status, body, set, cookie, text } = await signIn({ key });
		expect(status).toBe(200);
		expect(body).toMatchObject({
			mode: 'live',
			modes: ['live'],
			permissions: ['read', 'write'],
			form: null,
			baseUrl: server.baseUrl,
			submitUrl: server.submitUrl,
			expiresAt: new Date(clock + 12 * HOUR_MS).toISOString(),
		});
		expect(set).toMatch(/^formsrv_\d+=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Strict$/);
		expect(text + set).not.toContain(key);
		expect((await read(cookie)).body).toEqual(body);
		expect((await server.call('GET /api/forms', withCookie(cookie))).status).toBe(200);
		expect((await server.call(`DELETE /api/forms/${form.id}`, withCookie(cookie, own()))).status).toBe(403);
	});

	test('of one form shows the inbox of that form and nothing else', async () => {
		const { body, cookie } = await signIn({ key: await server.createKey({ form: form.id }) });
		expect(body).toMatchObject({ form: form.id, forms: [{ id: form.id, name: 'Contact' }], permissions: ['read'] });
		expect((await server.call(`GET /api/forms/${form.id}/submissions`, withCookie(cookie))).status).toBe(200);
		expect((await server.call('GET /api/forms', withCookie(cookie))).status).toBe(403);
	});

	test('is rejected for a wrong one, without a cookie', async () => {
		for (const json of [{ key: 'sk_live_x' }, { token: 'x' }, { key: server.adminKey.toLowerCase() }]) {
			const { status, set, body } = await signIn(json);
			expect({ status, set }).toEqual({ status: 401, set: null });
			expect(body.error).toStartWith('This key or link is not known here');
		}
		for (const json of [{}, { key: server.adminKey, token: 'x' }, { key: 1 }, { other: 'x' }]) {
			expect((await signIn(json)).status).toBe(400);
		}
		expect((await signIn({ key: server.adminKey }, { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
	});

	test('reads no more than a key takes, and nothing at all of what declares more', async () => {
		const padded = (bytes: number) => JSON.stringify({ key: server.adminKey }).padEnd(bytes);
		const headers = { 'Content-Type': 'application/json' };
		const send = (body: BodyInit) => fetch(`${server.baseUrl}/api/session`, { method: 'POST', headers, body });
		expect((await send(padded(4096))).status).toBe(200);
		const undeclared = await send(new Blob([padded(4097)]).stream());
		expect(undeclared.status).toBe(413);
		expect(await undeclared.json()).toMatchObject({
			code: 'PAYLOAD_TOO_LARGE',
			error: 'The body must not be larger than 4 KiB.',
		});
		const head = `POST /api/session HTTP/1.1\r\nHost: ${new URL(server.baseUrl).host}\r\nContent-Type: application/json`;
		const [declared] = splitResponses(await sendRaw(server.baseUrl, `${head}\r\nContent-Length: 4097\r\n\r\n`));
		expect(declared?.status).toBe(413);
	});

	test('does not reuse a cookie that was planted before', async () => {
		const name = (await signIn({ key: server.adminKey })).cookie.split('=')[0];
		const planted = `${name}=${'A'.repeat(43)}`;
		const { cookie } = await signIn({ key: server.adminKey }, { Cookie: planted });
		expect(cookie).not.toBe(planted);
		expect((await read(planted)).status).toBe(401);
		const link = `${name}=${await server.app.sessions.createLink()}`;
		expect((await read(link)).status).toBe(401);
		expect((await read(`${cookie}; ${planted}`)).status).toBe(401);
	});

	test('ends the session that the browser had, and always begins with a new token', async () => {
		const first = await signIn({ key: server.adminKey });
		const second = await signIn({ key: server.adminKey }, { Cookie: first.cookie });
		expect(second.cookie).not.toBe(first.cookie);
		expect((await read(first.cookie)).status).toBe(401);
		expect((await read(second.cookie)).status).toBe(200);
	});
});

describe('a session', () => {
	test('ends with its key, at once', async () => {
		const { token, key } = await server.app.keys.create({ mode: 'live', permissions: ['read'] });
		const { cookie } = await signIn({ key: token });
		await server.app.keys.revoke(key.id);
		expect((await read(cookie)).status).toBe(401);
		const short = await server.createKey({ expiresAt: new Date(clock + HOUR_MS) });
		const other = await signIn({ key: short });
		expect(other.body.expiresAt).toBe(new Date(clock + HOUR_MS).toISOString());
		clock += HOUR_MS;
		expect((await server.call('GET /api/forms', withCookie(other.cookie))).status).toBe(401);
	});

	test('ends after twelve hours without use, and after seven days whatever is done', async () => {
		const { cookie } = await signIn({ key: server.adminKey });
		const start = clock;
		while (clock + 11 * HOUR_MS < start + 7 * 24 * HOUR_MS) {
			clock += 11 * HOUR_MS;
			const end = new Date(Math.min(clock + 12 * HOUR_MS, start + 7 * 24 * HOUR_MS)).toISOString();
			// That it was used is noted behind the answer.
			for (let seen = ''; seen < end; ) {
				const { status, body } = await read(cookie);
				expect(status).toBe(200);
				seen = body.expiresAt;
			}
		}
		clock = start + 7 * 24 * HOUR_MS;
		expect((await read(cookie)).status).toBe(401);
		const idle = await signIn({ key: server.adminKey });
		clock += 12 * HOUR_MS;
		expect((await read(idle.cookie)).status).toBe(401);
	});

	test('is over after signing out, also for a copy of the cookie', async () => {
		const { cookie } = await signIn({ key: server.adminKey });
		const answer = await server.call('DELETE /api/session', withCookie(cookie, own()));
		expect(answer.body).toEqual({ success: true });
		expect(answer.headers.get('Set-Cookie')).toContain('Max-Age=0');
		expect((await read(cookie)).status).toBe(401);
		expect((await server.call('DELETE /api/session', withCookie(cookie, own()))).status).toBe(200);
	});

	test('changes nothing for another page', async () => {
		const { cookie } = await signIn({ key: server.adminKey });
		const json = { name: 'Made' };
		const make = (headers: Record<string, string>) =>
			server.call('POST /api/forms', { json, ...withCookie(cookie, headers) });
		for (const headers of [
			{},
			{ Origin: server.baseUrl },
			{ 'X-Formsrv-CSRF': '1' },
			{ 'X-Formsrv-CSRF': '1', Origin: 'https://evil.example' },
			{ 'X-Formsrv-CSRF': '1', 'Sec-Fetch-Site': 'same-site', Origin: server.baseUrl },
		]) {
			expect((await make(headers as Record<string, string>)).status).toBe(403);
		}
		expect((await make(own())).status).toBe(201);
		expect((await server.call('DELETE /api/session', withCookie(cookie))).status).toBe(403);
	});

	test('is never looked at beside a key', async () => {
		const { cookie } = await signIn({ key: server.adminKey });
		const answer = await server.call('GET /api/forms', { key: 'sk_live_wrong', headers: { Cookie: cookie } });
		expect(answer.status).toBe(401);
	});

	test('ends with the form of its form-level key', async () => {
		const { id } = await server.app.forms.create('live', { name: 'Short' });
		const { cookie } = await signIn({ key: await server.createKey({ form: id }) });
		expect((await read(cookie)).status).toBe(200);
		await server.app.forms.remove(id);
		expect((await read(cookie)).status).toBe(401);
	});

	test('of a key counts as a use of the key, and holds nothing that could be stolen from the file', async () => {
		const { token, key } = await server.app.keys.create({ mode: 'live', permissions: ['read'] });
		const { cookie } = await signIn({ key: token });
		clock += HOUR_MS;
		await read(cookie);
		// The use is noted after the answer; this comes behind it.
		await server.app.storage.batch(() => []);
		const stored = JSON.stringify(await server.app.storage.db.select().from(sessions));
		expect(stored).not.toContain(cookie.split('=')[1] ?? '');
		const found = (await server.app.keys.list()).find(({ id }) => id === key.id);
		expect(found?.lastUsedAt).toBe(new Date(clock).toISOString());
	});

	testOnSqlite('is worth nothing without its key, however the key went', async () => {
		const { token, key } = await server.app.keys.create({ mode: 'live', permissions: ['admin'] });
		const { cookie } = await signIn({ key: token });
		const file = new Database(server.app.config.database);
		file.run('pragma foreign_keys = off');
		file.run('delete from api_keys where id = ?', [decodeId(key.id) ?? -1]);
		file.close();
		expect((await read(cookie)).status).toBe(401);
		expect((await server.call('GET /api/forms', withCookie(cookie))).status).toBe(401);
	});

	test('is not known at the submit address', async () => {
		const { cookie } = await signIn({ key: server.adminKey });
		const answer = await fetch(`${server.submitUrl}/api/session`, { headers: { Cookie: cookie } });
		expect(answer.status).toBe(404);
	});

	test('is removed once it is over', async () => {
		const { storage } = server.app;
		const count = async () => (await storage.db.select().from(sessions)).length;
		await signIn({ key: server.adminKey });
		await server.app.sessions.createLink();
		expect(await count()).toBeGreaterThan(0);
		clock += 8 * 24 * HOUR_MS;
		await server.app.sessions.expire();
		expect(await count()).toBe(0);
		expect(await storage.db.select().from(setupLinks)).toEqual([]);
	});
});

describe('an invitation', () => {
	const invite = async () => {
		const { key } = await server.app.keys.create({ mode: 'live', permissions: ['read'], forms: [form.id] });
		return { key, token: await server.app.sessions.invite(key.id) };
	};

	test('signs in once, for a week, with the rights of its key and as long as they last', async () => {
		const { key, token } = await invite();
		clock += 7 * 24 * HOUR_MS - 1;
		const { body, cookie } = await signIn({ token });
		expect(body).toMatchObject({ mode: 'live', modes: ['live'], permissions: ['read'], form: form.id });
		expect((await signIn({ token })).status).toBe(401);
		expect((await server.call('GET /api/keys', withCookie(cookie))).status).toBe(403);
		await server.app.keys.revoke(key.id);
		expect((await read(cookie)).status).toBe(401);
	});

	test('is over after a week, and then removed; one of a clock that was set back is none', async () => {
		const { token } = await invite();
		clock -= 1;
		expect((await signIn({ token })).status).toBe(401);
		clock += 7 * 24 * HOUR_MS + 1;
		expect((await signIn({ token })).status).toBe(401);
		await server.app.sessions.expire();
		expect(await server.app.storage.db.select().from(invitations)).toEqual([]);
	});
});

describe('a setup link', () => {
	test('signs in once, with all rights in both modes', async () => {
		const token = await server.app.sessions.createLink();
		const { body, cookie } = await signIn({ token });
		expect(body).toMatchObject({ mode: 'live', modes: ['live', 'test'], permissions: ['admin'], form: null });
		expect((await signIn({ token })).status).toBe(401);
		const change = (mode: string, headers = own()) =>
			server.call<View>('PATCH /api/session', { json: { mode }, ...withCookie(cookie, headers) });
		expect((await change('test')).body.mode).toBe('test');
		expect((await server.call<{ forms: unknown[] }>('GET /api/forms', withCookie(cookie))).body.forms).toEqual([]);
		expect((await change('live')).body.mode).toBe('live');
		expect((await change('other')).status).toBe(400);
		expect((await server.call('PATCH /api/session', { json: { mode: 'test' }, ...withCookie(cookie) })).status).toBe(
			403,
		);
	});

	test('is good for an hour', async () => {
		const token = await server.app.sessions.createLink();
		clock += HOUR_MS;
		expect((await signIn({ token })).status).toBe(401);
	});

	test('is what only such a session may switch modes by', async () => {
		const { cookie } = await signIn({ key: server.adminKey });
		const answer = await server.call('PATCH /api/session', { json: { mode: 'test' }, ...withCookie(cookie, own()) });
		expect(answer.status).toBe(403);
	});
});

test('failures to sign in are counted together with wrong keys, and keep out nothing but failures', async () => {
	const limited = await openTestServer({ settings: { FORMSRV_RATE_AUTH: '3' } });
	const attempt = (json: object) => limited.call('POST /api/session', { key: null, json });
	const { headers } = await attempt({ key: limited.adminKey });
	const cookie = headers.get('Set-Cookie')?.split(';')[0] ?? '';
	expect((await attempt({ key: 'x' })).status).toBe(401);
	expect((await attempt({ token: 'x' })).status).toBe(401);
	expect((await limited.call('GET /api/forms', { key: 'x' })).status).toBe(401);
	const refused = [await attempt({ key: 'x' }), await attempt({ token: 'x' })];
	for (const key of ['x', '', createToken('live')]) refused.push(await limited.call('GET /api/forms', { key }));
	for (const { status, headers: of } of refused) {
		expect(status).toBe(429);
		expect(Number(of.get('Retry-After'))).toBeWithin(1, 61);
	}
	expect((await limited.call('GET /api/forms')).status).toBe(200);
	expect((await limited.call('GET /api/forms', withCookie(cookie))).status).toBe(200);
	expect((await attempt({ key: limited.adminKey })).status).toBe(200);
	expect((await attempt({ token: await limited.app.sessions.createLink() })).status).toBe(200);
	await limited.close();
});

test('a session asks as often as its key may, and with it', async () => {
	const limited = await openTestServer({ settings: { FORMSRV_RATE_API: '3' } });
	const { headers } = await limited.call('POST /api/session', { key: null, json: { key: limited.adminKey } });
	const cookie = headers.get('Set-Cookie')?.split(';')[0] ?? '';
	expect((await limited.call('GET /api/session', withCookie(cookie))).status).toBe(200);
	expect((await limited.call('GET /api/forms', withCookie(cookie))).status).toBe(200);
	expect((await limited.call('GET /api/forms')).status).toBe(429);
	expect((await limited.call('GET /api/session', withCookie(cookie))).status).toBe(429);
	expect((await limited.call('POST /api/session', { key: null, json: { key: limited.adminKey } })).status).toBe(429);
	await limited.close();
});
