/** Dashboard sessions: listed and ended, by callers that may see them. */

import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import type { SignedIn } from '../../../src/dashboard/sessions/schema.ts';
import { openTestServer, type TestServer } from '../../server.ts';

const MINUTE_MS = 60_000;

let clock = Date.UTC(2026, 0, 2);
let server: TestServer;
let testKey: string;

beforeAll(async () => {
	server = await openTestServer({ now: () => clock });
	testKey = await server.createKey({ mode: 'test', name: 'tests' });
});
afterAll(() => server.close());
beforeEach(async () => {
	await server.app.sessions.endOthers();
	clock += MINUTE_MS;
});

async function signIn(json: object): Promise<string> {
	const { headers } = await server.call('POST /api/session', { key: null, json });
	return headers.get('Set-Cookie')?.split(';')[0] ?? '';
}

const signInByLink = async () => signIn({ token: await server.app.sessions.createLink() });
const asSession = (Cookie: string) => ({
	key: null,
	headers: { Cookie, 'X-Formsrv-CSRF': '1', Origin: server.baseUrl },
});
const list = async (who: object = {}) =>
	(await server.call<{ sessions: SignedIn[] }>('GET /api/sessions', who)).body.sessions;
const isOpen = async (cookie: string) => (await server.call('GET /api/session', asSession(cookie))).status === 200;

test('all are listed with what opened them, newest first, and that of the request is marked', async () => {
	const byKey = await signIn({ key: await server.createKey({ name: 'office', permissions: ['read'] }) });
	clock += MINUTE_MS;
	const byLink = await signInByLink();
	const sessions = await list(asSession(byLink));
	expect(sessions).toMatchObject([
		{ key: null, mode: 'live', isCurrent: true, createdAt: new Date(clock).toISOString() },
		{ key: { name: 'office', display: expect.stringMatching(/^sk_live_….{4}$/) }, isCurrent: false },
	]);
	expect(sessions[1]?.lastSeenAt).toBe(new Date(clock - MINUTE_MS).toISOString());
	expect((await list()).map(({ isCurrent }) => isCurrent)).toEqual([false, false]);
	expect(await isOpen(byKey)).toBe(true);
});

test('one from a setup link outlives every key, and is ended by its id', async () => {
	const byLink = await signInByLink();
	const [session] = await list();
	expect((await server.call(`DELETE /api/sessions/${session?.id}`)).body).toEqual({ success: true });
	expect(await isOpen(byLink)).toBe(false);
	expect(await list()).toEqual([]);
	expect((await server.call(`DELETE /api/sessions/${session?.id}`)).status).toBe(404);
	expect((await server.call('DELETE /api/sessions/nonsense')).status).toBe(404);
});

test('all others are ended at once, and links that were not used yet', async () => {
	const [first, mine] = [await signInByLink(), await signInByLink()];
	await signIn({ key: server.adminKey });
	const unused = await server.app.sessions.createLink();
	expect((await server.call('DELETE /api/sessions', asSession(mine))).body).toEqual({ ended: 2 });
	expect([await isOpen(first), await isOpen(mine)]).toEqual([false, true]);
	expect(await signIn({ token: unused })).toBe('');
	expect((await server.call('DELETE /api/sessions')).body).toEqual({ ended: 1 });
	expect(await isOpen(mine)).toBe(false);
});

test('a test key knows of sessions of test keys alone; a session from a link, in either mode, of all', async () => {
	const byLink = await signInByLink();
	const byKey = await signIn({ key: server.adminKey });
	const byTestKey = await signIn({ key: testKey });
	const [own] = await list({ key: testKey });
	expect(await list({ key: testKey })).toMatchObject([{ key: { name: 'tests' } }]);
	expect(await list()).toHaveLength(2);
	await server.call('PATCH /api/session', { ...asSession(byLink), json: { mode: 'test' } });
	const all = await list(asSession(byLink));
	expect(all).toHaveLength(3);
	for (const { id } of all.filter(({ id }) => id !== own?.id)) {
		expect((await server.call(`DELETE /api/sessions/${id}`, { key: testKey })).status).toBe(404);
	}
	const unused = await server.app.sessions.createLink();
	expect((await server.call('DELETE /api/sessions', { key: testKey })).body).toEqual({ ended: 1 });
	expect([await isOpen(byLink), await isOpen(byKey), await isOpen(byTestKey)]).toEqual([true, true, false]);
	expect(await signIn({ token: unused })).not.toBe('');
});

test('what has ended by itself is not listed, nor is asking for the list a use of anything', async () => {
	const { token, key } = await server.app.keys.create({ mode: 'live', permissions: ['read'] });
	await signIn({ key: token });
	const before = await list();
	clock += 11 * 60 * MINUTE_MS;
	expect(await list()).toEqual(before);
	await server.app.keys.revoke(key.id);
	expect(await list()).toEqual([]);
	await signInByLink();
	clock += 12 * 60 * MINUTE_MS;
	expect(await list()).toEqual([]);
});

test('a key keeps its thousand newest sessions, those of other keys stay', async () => {
	const other = await signIn({ key: await server.createKey({ permissions: ['submit'] }) });
	const key = await server.createKey({ permissions: ['submit'] });
	const first = await signIn({ key });
	const second = await signIn({ key });
	const principal = await server.app.keys.authenticate(key);
	await Promise.all(Array.from({ length: 998 }, () => server.app.sessions.openWithKey(principal)));
	expect([await isOpen(first), await isOpen(second)]).toEqual([true, true]);
	const last = await signIn({ key });
	expect([await isOpen(first), await isOpen(second), await isOpen(last)]).toEqual([false, true, true]);
	expect(await isOpen(other)).toBe(true);
	expect((await list()).length).toBe(1001);
});
