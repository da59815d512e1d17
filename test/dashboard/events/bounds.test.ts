/** How many event streams there may be, of whom, and when they end. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Form } from '../../../src/forms/schema.ts';
import { isFile } from '../../../src/storage/open.ts';
import { openTestServer, type TestServer } from '../../server.ts';
import { until } from '../../until.ts';

const MAIN = join(import.meta.dir, '..', '..', '..', 'src', 'main.ts');

let server: TestServer;
let abort: AbortController;
beforeEach(async () => {
	server = await openTestServer({ settings: { FORMSRV_RATE_AUTH: '0' } });
	abort = new AbortController();
});
afterEach(async () => {
	abort.abort();
	await server.close();
});

type Headers = Record<string, string>;
const byKey = (key: string): Headers => ({ Authorization: `Bearer ${key}` });

async function signIn(json: object): Promise<Headers> {
	const { headers } = await server.call('POST /api/session', { key: null, json });
	return { Cookie: headers.get('Set-Cookie')?.split(';')[0] ?? '' };
}

async function open(headers: Headers) {
	const response = await fetch(`${server.baseUrl}/api/events`, { headers, signal: abort.signal });
	const { status } = response;
	if (status !== 200) {
		const body = (await response.json()) as { code: string; error: string };
		return { status, body, retryAfter: Number(response.headers.get('Retry-After')), ended: Promise.resolve() };
	}
	const ended = (async () => {
		for await (const _ of response.body as ReadableStream<Uint8Array>);
	})();
	ended.catch(() => {});
	return { status, body: { code: '', error: '' }, retryAfter: 0, ended };
}

const openMany = (count: number, headers: Headers) => Promise.all(Array.from({ length: count }, () => open(headers)));

describe('at once', () => {
	test('a key has ten, and another key, or a session of it, is not held up by that', async () => {
		const form = await server.createForm<Form>({ name: 'Contact' });
		const fk = await server.createKey({ form: form.id });
		const statuses = (await openMany(14, byKey(fk))).map(({ status }) => status);
		expect(statuses.filter((status) => status === 200)).toHaveLength(10);
		const eleventh = await open(byKey(fk));
		expect([eleventh.status, eleventh.body.code]).toEqual([429, 'RATE_LIMITED']);
		expect(eleventh.body.error).toContain('at most 10 event streams');
		expect(eleventh.retryAfter).toBeGreaterThan(0);
		expect((await open(byKey(server.adminKey))).status).toBe(200);
		expect((await open(await signIn({ key: fk }))).status).toBe(200);
	});

	test('a session has ten, and all sessions of a key have forty', async () => {
		const link = await signIn({ token: await server.app.sessions.createLink() });
		expect(
			(await openMany(11, link))
				.map(({ status }) => status)
				.sort()
				.slice(-2),
		).toEqual([200, 429]);
		for (let sessions = 0; sessions < 4; sessions++) {
			for (const { status } of await openMany(10, await signIn({ key: server.adminKey }))) expect(status).toBe(200);
		}
		expect((await open(await signIn({ key: server.adminKey }))).status).toBe(429);
		expect((await open(byKey(server.adminKey))).status).toBe(429);
		expect((await open(byKey(await server.createKey()))).status).toBe(200);
	});

	test('form-level keys share a part, in which each finds a place, and never take an owner’s', async () => {
		const { id: form } = await server.createForm<Form>({ name: 'Contact' });
		const opened: { status: number }[] = [];
		for (let keys = 0; keys < 6; keys++) {
			const key = await server.createKey({ form });
			for (let sessions = 0; sessions < 4; sessions++) opened.push(...(await openMany(10, await signIn({ key }))));
		}
		expect(opened.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(60);
		expect(server.app.streams.count()).toBe(60);
		expect((await open(byKey(await server.createKey({ form })))).status).toBe(200);
		expect(server.app.streams.count()).toBe(60);
		for (let keys = 0; keys < 9; keys++) {
			for (const { status } of await openMany(10, byKey(await server.createKey()))) expect(status).toBe(200);
		}
		expect((await open(await signIn({ key: server.adminKey }))).status).toBe(200);
	});

	test('of form-level keys with one each none ends that of another, which would only come back', async () => {
		const { id: form } = await server.createForm<Form>({ name: 'Contact' });
		for (let keys = 0; keys < 60; keys++) {
			expect((await open(byKey(await server.createKey({ form })))).status).toBe(200);
		}
		expect((await open(byKey(await server.createKey({ form })))).status).toBe(503);
		expect((await open(await signIn({ key: server.adminKey }))).status).toBe(200);
	});

	test('an owner’s session finds a place among other owners’ as well', async () => {
		for (let keys = 0; keys < 5; keys++) {
			const key = await server.createKey({ permissions: ['read'] });
			for (let sessions = 0; sessions < 4; sessions++) {
				for (const { status } of await openMany(10, await signIn({ key }))) expect(status).toBe(200);
			}
		}
		const link = await signIn({ token: await server.app.sessions.createLink() });
		expect((await open(link)).status).toBe(200);
		expect((await openMany(3, await signIn({ key: server.adminKey }))).map(({ status }) => status)).toEqual([
			200, 200, 200,
		]);
		expect(server.app.streams.count()).toBe(200);
	});

	test('keys leave some streams to sessions', async () => {
		for (let keys = 0; keys < 15; keys++) {
			for (const { status } of await openMany(10, byKey(await server.createKey()))) expect(status).toBe(200);
		}
		// A key that has none gets one of those who have ten; who has as many as others gets no more.
		const key = await server.createKey();
		const some = await openMany(10, byKey(key));
		expect(some[0]?.status).toBe(200);
		expect(server.app.streams.count()).toBe(150);
		const refused = some.find(({ status }) => status !== 200);
		expect([refused?.status, refused?.body.code]).toEqual([503, 'UNAVAILABLE']);
		expect((await open(await signIn({ key: server.adminKey }))).status).toBe(200);
	});

	test('a closed stream makes room', async () => {
		const key = await server.createKey();
		await openMany(10, byKey(key));
		abort.abort();
		abort = new AbortController();
		await until(() => server.app.streams.count() === 0);
		expect((await open(byKey(key))).status).toBe(200);
	});
});

describe('a stream ends', () => {
	const own = () => ({ 'X-Formsrv-CSRF': '1', Origin: server.baseUrl });

	test('with its key, revoked over the API, and with it that of its session; others go on', async () => {
		const key = await server.createKey();
		const { body } = await server.call<{ keys: { id: string }[] }>('GET /api/keys');
		const [mine, inSession, other] = [
			await open(byKey(key)),
			await open(await signIn({ key })),
			await open(byKey(server.adminKey)),
		];
		await server.call(`DELETE /api/keys/${body.keys[0]?.id}`);
		await Promise.all([mine.ended, inSession.ended]);
		expect([other.status, server.app.streams.count()]).toEqual([200, 1]);
	});

	test('with its key, revoked by a command while the server runs', async () => {
		const key = await server.createKey();
		const { ended } = await open(byKey(key));
		const { database, dataDir } = server.app.config;
		const place = isFile(database) ? ['--data-dir', dataDir] : ['--database-url', database];
		const child = Bun.spawn([process.execPath, MAIN, 'keys', 'revoke', key, ...place], {
			env: { PATH: process.env.PATH },
			stdout: 'ignore',
			stderr: 'ignore',
			timeout: 20_000,
		});
		expect(await child.exited).toBe(0);
		await ended;
	});

	test('when its key expires', async () => {
		const { ended } = await open(byKey(await server.createKey({ expiresAt: new Date(Date.now() + 700) })));
		await ended;
	});

	test('with signing out, and when its session is ended', async () => {
		const [one, two] = [await signIn({ key: server.adminKey }), await signIn({ key: server.adminKey })];
		const [mine, other] = [await open(one), await open(two)];
		await server.call('DELETE /api/session', { key: null, headers: { ...one, ...own() } });
		await mine.ended;
		expect(server.app.streams.count()).toBe(1);
		await server.app.sessions.endOthers();
		await other.ended;
	});

	test('when its form is deleted, of a form-level key', async () => {
		const form = await server.createForm<Form>({ name: 'Contact' });
		const { ended } = await open(byKey(await server.createKey({ form: form.id })));
		await server.call(`DELETE /api/forms/${form.id}`);
		await ended;
	});
});
