/** The binary on a PostgreSQL that is away, or hangs: it says so at once, stores nothing meanwhile, and goes on by itself. */

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import postgres from 'postgres';
import { type RunningBinary, runBinary, startBinary } from '../../binary.ts';
import { type PostgresServer, startPostgres } from '../../postgres-server.ts';
import { tempFolder } from '../../temp-folder.ts';
import { until } from '../../until.ts';

let database: PostgresServer;
let server: RunningBinary;
let key: string;
let env: Record<string, string>;
let receiver: Bun.Server<undefined>;
const received: string[] = [];
const stopped = new Set<number>();

beforeAll(async () => {
	database = await startPostgres({ settings: ['fsync=off'] });
	receiver = Bun.serve({
		port: 0,
		hostname: '127.0.0.1',
		async fetch(request) {
			const { data } = (await request.json()) as { data: { submission: { data: { n: string } } } };
			received.push(data.submission.data.n);
			return new Response();
		},
	});
}, 60_000);

afterAll(async () => {
	await receiver.stop(true);
	await database.stop('immediate');
});

beforeEach(async () => {
	const cwd = tempFolder();
	const sql = postgres(database.address(), { max: 1, onnotice() {} });
	await sql.unsafe('drop database if exists forms with (force)');
	await sql.unsafe('create database forms');
	await sql.end();
	env = {
		FORMSRV_DATABASE_URL: database.address('forms'),
		FORMSRV_WEBHOOK_ALLOW: '127.0.0.1',
		FORMSRV_RATE_SUBMIT: '0',
	};
	key = (await runBinary(['keys', 'create'], { cwd, env })).stdout.trim();
	await runBinary(['forms', 'create', 'Contact', '--slug', 'contact'], { cwd, env });
	server = await startBinary({ cwd, env });
});

afterEach(async () => {
	for (const pid of stopped) process.kill(pid, 'SIGCONT');
	stopped.clear();
	expect(await server.end('SIGTERM')).toBe(0);
});

function submit(n: string): Promise<Response> {
	return fetch(`${server.submitUrl}/f/contact`, {
		method: 'POST',
		headers: { Accept: 'application/json' },
		body: new URLSearchParams({ n }),
	});
}

const read = (path: string) => fetch(`${server.baseUrl}${path}`, { headers: { Authorization: `Bearer ${key}` } });

const isReady = async () => (await fetch(`${server.baseUrl}/ready`)).ok;

/** Checks the response to every kind of request, at once. */
async function expectAway(): Promise<void> {
	const since = performance.now();
	for (const response of await Promise.all([submit('away'), read('/api/forms'), read('/api/status')])) {
		expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '30']);
	}
	const sentence = 'The database cannot be reached: nothing is stored until it is back';
	const ready = await fetch(`${server.submitUrl}/ready`);
	expect([ready.status, ((await ready.json()) as { error: string }).error]).toEqual([
		503,
		expect.stringContaining(sentence),
	]);
	const health = await fetch(`${server.submitUrl}/health`);
	expect([health.status, ((await health.json()) as { problem: string }).problem]).toEqual([
		200,
		expect.stringContaining(sentence),
	]);
	expect(performance.now() - since).toBeLessThan(1500);
}

/** Returns the stored submissions, as the database has them. */
async function stored(): Promise<string[]> {
	const sql = postgres(database.address('forms'), { max: 1 });
	const rows = await sql<{ data: string }[]>`select data from submissions order by id`;
	await sql.end();
	return rows.map(({ data }) => (JSON.parse(data) as { n: string }).n);
}

function pause(pid: number): void {
	process.kill(pid, 'SIGSTOP');
	stopped.add(pid);
}

async function backends(like: string): Promise<number[]> {
	const sql = postgres(database.address(), { max: 1 });
	const rows = await sql<{ pid: number }[]>`select pid from pg_stat_activity where application_name like ${like}`;
	await sql.end();
	return rows.map(({ pid }) => pid);
}

/** Stops a process between two statements: one that is in the middle of one may be at work for all that others see. */
async function pauseIdle(name: string): Promise<void> {
	for (;;) {
		const [pid = 0] = await backends(name);
		pause(pid);
		const sql = postgres(database.address(), { max: 1 });
		const [row] = await sql`select state from pg_stat_activity where pid = ${pid}`;
		await sql.end();
		if (row?.state === 'idle') return;
		process.kill(pid, 'SIGCONT');
		stopped.delete(pid);
		await Bun.sleep(10);
	}
}

test('while PostgreSQL is stopped everything is rejected at once; afterwards it goes on, deliveries too', async () => {
	await read('/api/forms').then(async (response) => {
		const [form] = ((await response.json()) as { forms: { id: string }[] }).forms;
		await fetch(`${server.baseUrl}/api/forms/${form?.id}/webhooks`, {
			method: 'POST',
			headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
			body: JSON.stringify({ url: receiver.url.href }),
		});
	});
	expect((await submit('before')).status).toBe(200);
	await until(async () => received.includes('before'));
	await database.stop('immediate');
	await until(async () => !(await isReady()));
	await expectAway();
	await database.start();
	await until(isReady);
	expect((await submit('after')).status).toBe(200);
	await until(async () => received.includes('after'));
	expect(received).toEqual(['before', 'after']);
	expect(await stored()).toEqual(['before', 'after']);
	expect((await read('/api/status')).status).toBe(200);
}, 60_000);

test('while PostgreSQL hangs as a whole everything is rejected, and all goes on when it does', async () => {
	expect((await submit('before')).status).toBe(200);
	const pids = [database.pid(), ...(await backends('formsrv%'))];
	for (const pid of pids) pause(pid);
	const inFlight = Promise.all([submit('in flight'), read('/api/forms')]);
	await until(async () => !(await isReady()));
	await expectAway();
	const since = performance.now();
	// The outcome of a submission in flight is unknown.
	const [submitted, listed] = await inFlight;
	expect([500, 503]).toContain(submitted.status);
	expect(listed.status).toBe(503);
	expect(performance.now() - since).toBeLessThan(21_000);
	for (const pid of pids) process.kill(pid, 'SIGCONT');
	stopped.clear();
	await until(isReady);
	expect((await submit('after')).status).toBe(200);
	expect((await read('/api/forms')).status).toBe(200);
	expect(await stored()).toContain('after');
	expect((await stored()).filter((n) => n === 'away')).toEqual([]);
}, 90_000);

test('a connection that hangs by itself holds nothing up for long', async () => {
	// Fewer, or slower ones, would find other connections free.
	const many = () => Promise.all(Array.from({ length: 200 }, () => read('/api/forms')));
	await many();
	await pauseIdle('formsrv');
	const since = performance.now();
	await until(async () => (await many()).some(({ status }) => status === 503));
	await until(async () => (await many()).every(({ status }) => status === 200));
	expect(performance.now() - since).toBeLessThan(9000);
}, 60_000);

test('connections that hang one by one hold nothing up for long', async () => {
	const many = (n: string) => Promise.all(Array.from({ length: 200 }, () => submit(n)));
	const writers = () => backends('formsrv writer%');
	await until(async () => (await many('before')) && (await writers()).length > 1);
	expect((await read('/api/forms')).status).toBe(200);
	for (const pid of [...(await writers()), ...(await backends('formsrv'))]) pause(pid);
	const since = performance.now();
	await until(async () => (await many('after')).every(({ status }) => status === 200));
	await until(async () => (await read('/api/forms')).status === 200);
	expect(performance.now() - since).toBeLessThan(30_000);
}, 90_000);

test('a server ends within ten seconds while PostgreSQL hangs', async () => {
	expect((await submit('before')).status).toBe(200);
	for (const pid of [database.pid(), ...(await backends('formsrv%'))]) pause(pid);
	await until(async () => !(await isReady()));
	const since = performance.now();
	expect(await server.end('SIGTERM')).toBe(0);
	expect(performance.now() - since).toBeLessThan(10_000);
}, 60_000);
