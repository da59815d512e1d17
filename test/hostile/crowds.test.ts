/** More clients than a server can have or serve: honest ones are served, or told to wait, and nothing acknowledged is lost. */

import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { runBinary } from '../binary.ts';
import { type OneForm, serveOneForm } from '../durability/one-form.ts';
import { until } from '../until.ts';

/** The long forms: `SLOW_CLIENTS=20000 OVERLOAD_SECONDS=60 bun test test/hostile/crowds.test.ts`. */
const SLOW_CLIENTS = Number(process.env.SLOW_CLIENTS ?? 4000);
const OVERLOAD_SECONDS = Number(process.env.OVERLOAD_SECONDS ?? 4);
const SENDERS = 400;
const MAX_MIB_OVER_IDLE = 150;
/** Fewer than `CROWD`. */
const DESCRIPTORS = 256;
const CROWD = 400;
const TIMEOUT_MS = 120_000 + 2000 * OVERLOAD_SECONDS;

const BEGINNINGS = [
	'GET /health HTTP/1.1\r\nHost: a\r\nX-Long: ',
	'POST /f/contact HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"a":"',
	'POST /f/contact HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 90000\r\n\r\n--b\r\n',
];

/** Clients that begin a request each and go on with a byte now and then. */
async function openSlowClients(form: OneForm, count: number): Promise<Socket[]> {
	const { hostname, port } = new URL(form.server.submitUrl);
	const sockets = Array.from({ length: count }, (_, i) => {
		const socket = connect(Number(port), hostname, () => socket.write(BEGINNINGS[i % BEGINNINGS.length] ?? ''));
		return socket.on('error', () => {});
	});
	await until(() => sockets.every(({ connecting }) => !connecting), { withinMs: 60_000 });
	return sockets;
}

async function ask({ server }: OneForm, { key, path }: { key: string; path: string }) {
	const headers = { Authorization: `Bearer ${key}` };
	const signal = AbortSignal.timeout(10_000);
	return fetch(server.baseUrl + path, { headers, signal }).catch(() => undefined);
}

async function firstForm(form: OneForm, key: string): Promise<string> {
	const listed = await ask(form, { key, path: '/api/forms' });
	const { forms } = ((await listed?.json()) ?? { forms: [] }) as { forms: { id: string }[] };
	return forms[0]?.id ?? '';
}

/** The status; 0 without a response. */
async function exportOf(form: OneForm, { key, id }: { key: string; id: string }): Promise<number> {
	const response = await ask(form, { key, path: `/api/forms/${id}/export?format=csv` });
	await response?.arrayBuffer();
	return response?.status ?? 0;
}

function memoryMib({ server }: OneForm, figure: 'VmHWM' | 'VmRSS'): number {
	const [, kib] = new RegExp(`${figure}:\\s+(\\d+)`).exec(readFileSync(`/proc/${server.pid}/status`, 'utf8')) ?? [];
	return Number(kib) / 1024;
}

test(
	`among ${SLOW_CLIENTS} slow clients honest ones are served, /health too, in bounded memory`,
	async () => {
		const form = await serveOneForm();
		expect(await form.submit()).toBe(200);
		const idle = memoryMib(form, 'VmRSS');
		const sockets = await openSlowClients(form, SLOW_CLIENTS);
		const trickle = setInterval(() => sockets.map((socket) => socket.write('x')), 1000);
		for (let i = 0; i < 100; i++) {
			expect(await form.submit()).toBe(200);
			expect(await form.probe('/health')).toBe(200);
		}
		expect(memoryMib(form, 'VmHWM') - idle).toBeLessThan(MAX_MIB_OVER_IDLE);
		clearInterval(trickle);
		for (const socket of sockets) socket.destroy();
		expect(await form.probe('/ready')).toBe(200);
		expect(await form.server.end('SIGTERM')).toBe(0);
		expect(form.wrong()).toEqual([]);
	},
	TIMEOUT_MS,
);

test(
	'without descriptors new clients wait, known ones are served, the log says so, and it ends with the crowd',
	async () => {
		const prefix = ['bash', '-c', `ulimit -n ${DESCRIPTORS}; "$@"; exit $?`, 'bash'];
		const form = await serveOneForm({ prefix });
		expect(await form.submit()).toBe(200);
		const key = (await runBinary(['keys', 'create'], form)).stdout.trim();
		const id = await firstForm(form, key);
		const sockets = await openSlowClients(form, CROWD);
		const signal = AbortSignal.timeout(5000);
		expect([0, 200]).toContain(await form.submit({ signal }));
		await until(() => form.log().includes('"finding":"descriptors"'));
		// It takes a thread of its own, which there cannot be now.
		expect([0, 503]).toContain(await exportOf(form, { key, id }));
		for (const socket of sockets) socket.destroy();
		await until(async () => (await form.probe('/ready')) === 200);
		expect(await form.submit()).toBe(200);
		expect(await exportOf(form, { key, id })).toBe(200);
		await until(() => /This is over.*"finding":"descriptors"/.test(form.log()));
		expect(await form.server.end('SIGTERM')).toBe(0);
		expect(form.wrong()).toEqual([]);
	},
	TIMEOUT_MS,
);

test(
	`${OVERLOAD_SECONDS} s of ${SENDERS} senders that never pause: acknowledged ones are exact, and service is back within 5 s`,
	async () => {
		const form = await serveOneForm();
		expect(await form.submit()).toBe(200);
		const idle = memoryMib(form, 'VmRSS');
		const end = performance.now() + 1000 * OVERLOAD_SECONDS;
		const statuses = new Set<number>();
		const send = async () => {
			while (performance.now() < end) statuses.add(await form.submit({ text: 'x'.repeat(2000) }));
		};
		await Promise.all(Array.from({ length: SENDERS }, send));
		const ended = performance.now();
		expect(await form.submit()).toBe(200);
		expect(await form.probe('/ready')).toBe(200);
		expect(performance.now() - ended).toBeLessThan(5000);
		expect([...statuses].filter((status) => ![200, 429, 503].includes(status))).toEqual([]);
		expect(memoryMib(form, 'VmHWM') - idle).toBeLessThan(MAX_MIB_OVER_IDLE);
		console.info(`${form.acknowledged.length} acknowledged`);
		expect(await form.server.end('SIGTERM')).toBe(0);
		expect(form.wrong()).toEqual([]);
	},
	TIMEOUT_MS,
);
