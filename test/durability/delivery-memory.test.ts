/** Memory and disk of deliveries: a form with ten webhooks, the largest bodies, receivers of all kinds. */

import { afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { type RunningBinary, runBinary, startBinary } from '../binary.ts';
import { tempFolder } from '../temp-folder.ts';
import { until } from '../until.ts';

setDefaultTimeout(180_000);

const MIB = 2 ** 20;
const LIVE = 5;
const DEAD = 5;
const OVER_IDLE_MIB = 150;
/** A quiet machine responds within one second; beside other tests a body of 24 MiB alone may take longer to parse. */
const HEALTH_MS = 5_000;
const SLOW_PAUSE_MS = 20;
const JSON_HEADERS = { 'Content-Type': 'application/json', Accept: 'application/json' };

const servers: Server[] = [];
let running: RunningBinary | undefined;

afterEach(async () => {
	await running?.end('SIGKILL');
	running = undefined;
	for (const server of servers.splice(0)) {
		if ('closeAllConnections' in server) (server as ReturnType<typeof createHttpServer>).closeAllConnections();
		server.close();
	}
});

function listen(server: Server, port = 0): Promise<number> {
	servers.push(server);
	return new Promise((resolve) => {
		server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
	});
}

/** Receives webhooks, some slowly, and records the SHA-256 of each complete body. */
function liveReceiver(arrived: (webhook: string, hash: string) => void): Server {
	return createHttpServer(async (request, response) => {
		const hash = await hashOf(request, request.url === '/0').catch(() => undefined);
		if (hash === undefined) return response.destroy();
		response.writeHead(204).end();
		arrived(`${request.url}`, hash);
	});
}

async function hashOf(request: IncomingMessage, isSlow: boolean): Promise<string | undefined> {
	const hasher = new Bun.CryptoHasher('sha256');
	let count = 0;
	for await (const chunk of request) {
		hasher.update(chunk as Buffer);
		if (isSlow && ++count % 16 === 0) await Bun.sleep(SLOW_PAUSE_MS);
	}
	return request.complete ? hasher.digest('hex') : undefined;
}

/** One reads nothing, one never responds, one closes the connection, one responds with an error, one port is closed. */
async function deadPorts(): Promise<number[]> {
	const unused = createServer();
	const closed = await listen(unused);
	unused.close();
	servers.pop();
	const responses = [
		createServer({ pauseOnConnect: true }, (socket) => socket.on('error', () => {})),
		createServer((socket) => socket.on('error', () => {}).resume()),
		createServer((socket) => socket.on('error', () => {}).once('data', () => socket.destroy())),
		createServer((socket) => socket.on('error', () => {}).end('HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n')),
	];
	return [closed, ...(await Promise.all(responses.map((server) => listen(server))))];
}

function memoryMib({ pid }: RunningBinary, name: 'VmRSS' | 'VmHWM'): number {
	const status = readFileSync(`/proc/${pid}/status`, 'utf8');
	return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
}

/** Sends requests until it is stopped. Returns the time of the slowest response. */
function watchHealth({ baseUrl }: RunningBinary): () => Promise<number> {
	let isOver = false;
	const watching = (async () => {
		let slowestMs = 0;
		while (!isOver) {
			const began = performance.now();
			const isThere = await fetch(`${baseUrl}/health`).then(
				(response) => response.bytes(),
				() => undefined,
			);
			if (!isThere) return Number.POSITIVE_INFINITY;
			slowestMs = Math.max(slowestMs, performance.now() - began);
			await Bun.sleep(20);
		}
		return slowestMs;
	})();
	return () => {
		isOver = true;
		return watching;
	};
}

/** A form with five webhooks to one live port, each at its own path, and five dead ones. */
async function openForm({ cwd, port, env }: { cwd: string; port: number; env: Record<string, string> }) {
	await runBinary(['forms', 'create', 'Contact', '--slug', 'contact'], { cwd });
	const key = (await runBinary(['keys', 'create'], { cwd })).stdout.trim();
	running = await startBinary({ cwd, env });
	const server = running;
	const headers = { ...JSON_HEADERS, Authorization: `Bearer ${key}` };
	const call = async (path: string, json?: unknown) => {
		const body = json === undefined ? {} : { method: 'POST', body: JSON.stringify(json) };
		return (await (await fetch(`${server.baseUrl}/api${path}`, { headers, ...body })).json()) as {
			forms: { id: string }[];
		};
	};
	const [form] = (await call('/forms')).forms;
	const live = Array.from({ length: LIVE }, (_, n) => `http://127.0.0.1:${port}/${n}`);
	const dead = (await deadPorts()).map((dead) => `http://127.0.0.1:${dead}/`);
	expect(dead).toHaveLength(DEAD);
	for (const url of [...live, ...dead]) await call(`/forms/${form?.id}/webhooks`, { url });
	return { headers, formId: form?.id as string };
}

async function submit({ submitUrl }: RunningBinary, json: string): Promise<void> {
	for (;;) {
		const response = await fetch(`${submitUrl}/f/contact`, { method: 'POST', headers: JSON_HEADERS, body: json });
		if (response.status !== 503) return expect(response.status).toBe(200);
		await Bun.sleep(200);
	}
}

/** Text of escapes, which take the most memory and time. */
const textOf = (n: number, bytes: number) => `{"n":"${n}","text":"${'\\"'.repeat((bytes - 64) / 2)}"}`;

/** The expected webhook bodies, from the submissions in the API. */
async function expectedHashes(server: RunningBinary, { formId, headers, texts }: Expected): Promise<string[]> {
	const path = `${server.baseUrl}/api/forms/${formId}`;
	const { name, slug } = (await (await fetch(path, { headers })).json()) as { name: string; slug: string };
	const form = JSON.stringify({ id: formId, name, slug });
	const hashes: string[] = [];
	for (let offset = 0; offset < texts.length; offset++) {
		const response = await fetch(`${path}/submissions?order=asc&limit=1&offset=${offset}`, { headers });
		const page = await response.text();
		const text = texts[offset] as string;
		expect(page.includes(text)).toBe(true);
		const [, id, createdAt] = /"id":"(\w+)".*?"createdAt":"([^"]+)"/.exec(page.replace(text, '{}')) ?? [];
		const flags =
			'"isRead":false,"isStarred":false,"isSpam":false,"isPending":false,"confirmedAt":null,"isArchived":false,"spamScore":0,"spamReasons":[],"meta":null,"files":[]';
		const submission = `{"id":"${id}","data":${text},"createdAt":"${createdAt}",${flags}}`;
		const body = `{"type":"submission.created","timestamp":"${createdAt}","data":{"form":${form},"submission":${submission}}}`;
		hashes.push(new Bun.CryptoHasher('sha256').update(body).digest('hex'));
	}
	return hashes;
}

interface Expected {
	formId: string;
	headers: Record<string, string>;
	texts: string[];
}

function diskBytes(folder: string): number {
	const names = readdirSync(folder, { recursive: true }) as string[];
	return names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

const ENV = { FORMSRV_WEBHOOK_ALLOW: '127.0.0.1', FORMSRV_LOG_LEVEL: 'error' };

test('forty bodies of the largest size, for ten webhooks: exact, within 150 MiB over idle and three times their size', async () => {
	const cwd = tempFolder();
	const arrivals = new Map<string, Set<string>>();
	const arrived = (webhook: string, hash: string) => {
		arrivals.set(webhook, (arrivals.get(webhook) ?? new Set()).add(hash));
	};
	const port = await listen(liveReceiver(arrived));
	const { formId, headers } = await openForm({ cwd, port, env: ENV });
	const server = running as RunningBinary;
	const idle = memoryMib(server, 'VmRSS');
	const stopHealth = watchHealth(server);
	const texts = Array.from({ length: 40 }, (_, n) => textOf(n, MIB));
	for (const text of texts) await submit(server, text);
	await until(() => arrivals.size === LIVE && [...arrivals.values()].every(({ size }) => size === texts.length), {
		withinMs: 120_000,
	});
	expect(memoryMib(server, 'VmHWM') - idle).toBeLessThan(OVER_IDLE_MIB);
	expect(await stopHealth()).toBeLessThan(HEALTH_MS);
	expect(diskBytes(cwd)).toBeLessThan(3 * texts.length * MIB);
	const expected = (await expectedHashes(server, { formId, headers, texts })).sort();
	for (const hashes of arrivals.values()) expect([...hashes].sort()).toEqual(expected);
});

test('bodies of 24 MiB where they are allowed go to ten webhooks one at a time, within 150 MiB over idle', async () => {
	const cwd = tempFolder();
	const arrivals: string[] = [];
	const reserved = createServer();
	const port = await listen(reserved);
	const env = { ...ENV, FORMSRV_MAX_BODY: '24MiB' };
	const { formId, headers } = await openForm({ cwd, port, env });
	// They are stored while no webhook is reachable, so that a fresh server only delivers.
	reserved.close();
	servers.splice(servers.indexOf(reserved), 1);
	const texts = [0, 1, 2].map((n) => textOf(n, 24 * MIB));
	for (const text of texts) await submit(running as RunningBinary, text);
	await running?.end('SIGTERM');
	await listen(
		liveReceiver((_, hash) => arrivals.push(hash)),
		port,
	);
	running = await startBinary({ cwd, env });
	const server = running;
	const idle = memoryMib(server, 'VmRSS');
	const stopHealth = watchHealth(server);
	const body = JSON.stringify({ state: 'waiting' });
	await fetch(`${server.baseUrl}/api/deliveries/retry`, { method: 'POST', headers, body });
	await until(() => arrivals.length >= LIVE * texts.length, { withinMs: 120_000 });
	expect(memoryMib(server, 'VmHWM') - idle).toBeLessThan(OVER_IDLE_MIB);
	expect(await stopHealth()).toBeLessThan(HEALTH_MS);
	const expected = await expectedHashes(server, { formId, headers, texts });
	expect(new Set(arrivals)).toEqual(new Set(expected));
});
