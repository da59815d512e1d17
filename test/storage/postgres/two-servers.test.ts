/** Two servers on one database in PostgreSQL: what one changes, the other sees, and none stands in the other's way. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { newPostgresDatabase } from '../../postgres.ts';
import { openTestServer, type TestServer } from '../../server.ts';
import { until } from '../../until.ts';

const SUBMISSIONS = 200;

interface Form {
	id: string;
	submissionCount: number;
}

interface List {
	submissions: { id: string; createdAt: string; data: { n: number } }[];
	pagination: { total: number };
}

let one: TestServer;
let other: TestServer;

beforeAll(async () => {
	const database = await newPostgresDatabase();
	// A client that polls without a pause may send more than 1,000 requests.
	const settings = { FORMSRV_RATE_API: '0' };
	one = await openTestServer({ database, settings });
	other = await openTestServer({ database, settings });
}, 30_000);
afterAll(async () => {
	await one.close();
	await other.close();
});

const makeForm = async (slug: string) => (await one.createForm<Form>({ name: slug, slug })).id;

test('a change of settings, and of keys, holds at the other server from its next request', async () => {
	const id = await makeForm('first');
	expect((await other.submit('first', { n: 1 })).status).toBe(200);
	expect((await one.submit('first', { n: 2 })).status).toBe(200);
	await other.call(`PATCH /api/forms/${id}`, { json: { isActive: false } });
	expect((await one.submit('first', { n: 3 })).body.code).toBe('FORM_DISABLED');
	await one.call(`PATCH /api/forms/${id}`, { json: { isActive: true, slug: 'second' } });
	expect((await other.submit('second', { n: 4 })).status).toBe(200);
	const key = (await one.call<{ id: string; key: string }>('POST /api/keys', { json: { permissions: ['read'] } })).body;
	expect((await other.call('GET /api/forms', { key: key.key })).status).toBe(200);
	await one.call(`DELETE /api/keys/${key.id}`);
	expect((await other.call('GET /api/forms', { key: key.key })).status).toBe(401);
	for (const server of [one, other])
		expect((await server.call<Form>(`GET /api/forms/${id}`)).body.submissionCount).toBe(3);
}, 30_000);

test('a webhook request is due at once, whatever the clock of the machine that took the submission says', async () => {
	const machine = Date.now;
	Date.now = () => machine() + 5 * 60_000;
	const ahead = await openTestServer({ database: one.app.config.database }).finally(() => {
		Date.now = machine;
	});
	const { id } = await one.createForm<Form>({ name: 'Due', slug: 'due' });
	await one.call(`POST /api/forms/${id}/webhooks`, { json: { url: 'https://hook.invalid/' } });
	expect((await ahead.submit('due', { n: 1 })).status).toBe(200);
	const { body } = await one.call<{ deliveries: { createdAt: string; nextAttemptAt: string }[] }>(
		'GET /api/deliveries',
	);
	const [request] = body.deliveries;
	// It may have been tried already.
	expect(Math.abs(Date.parse(`${request?.nextAttemptAt}`) - Date.now())).toBeLessThan(60_000);
	await ahead.close();
}, 30_000);

test('who signs in at one server is signed in at the other, until the sign-out; a setup link works once', async () => {
	const page = { 'X-Formsrv-CSRF': '1', 'Sec-Fetch-Site': 'same-origin' };
	const signIn = (server: TestServer, proof: object) =>
		server.call('POST /api/session', { key: null, json: proof, headers: page });
	const opened = await signIn(one, { key: one.adminKey });
	const cookie = opened.headers
		.get('set-cookie')
		?.split(';')[0]
		?.replace(/^[^=]+/, '') as string;
	const withCookie = (server: TestServer) => ({
		key: null,
		headers: { ...page, Cookie: `formsrv_${new URL(server.baseUrl).port}${cookie}` },
	});
	expect((await other.call('GET /api/forms', withCookie(other))).status).toBe(200);
	expect((await one.call('DELETE /api/session', withCookie(one))).status).toBe(200);
	expect((await other.call('GET /api/forms', withCookie(other))).status).toBe(401);
	const token = await one.app.sessions.createLink();
	const used = await Promise.all([one, other, one, other].map((server) => signIn(server, { token })));
	expect(used.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401]);
}, 30_000);

test('a submission that is repeated at the other server under its key is stored once', async () => {
	const id = await makeForm('once');
	const headers = { 'Idempotency-Key': 'k' };
	const sent = await Promise.all([one, other, one, other].map((server) => server.submit('once', { n: 1 }, headers)));
	expect(sent.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
	expect((await one.call<Form>(`GET /api/forms/${id}`)).body.submissionCount).toBe(1);
}, 30_000);

test('a client that continues from the newest moment it saw misses nothing, whichever servers store and list', async () => {
	const id = await makeForm('polled');
	const seen = new Set<number>();
	let since = '2020-01-01T00:00:00.000Z';
	let isOver = false;
	async function poll(): Promise<void> {
		const path = `/api/forms/${id}/submissions?order=asc&limit=100&since=${since}` as const;
		const { submissions } = (await other.call<List>(`GET ${path}`)).body;
		for (const { data, createdAt } of submissions) {
			seen.add(data.n);
			since = createdAt;
		}
	}
	const polling = (async () => {
		while (!isOver) await poll();
	})();
	let sent = 0;
	const send = async (server: TestServer) => {
		while (sent < SUBMISSIONS) expect((await server.submit('polled', { n: ++sent })).status).toBe(200);
	};
	await Promise.all([one, other, one, other].map(send));
	const { total } = (await one.call<List>(`GET /api/forms/${id}/submissions`)).body.pagination;
	await until(() => seen.size >= total);
	isOver = true;
	await polling;
	expect(seen.size).toBe(total);
}, 60_000);
