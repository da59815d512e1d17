/** The binary's memory under the worst requests of clients and owners: little more than idle. */

import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { type RunningBinary, runBinary, startBinary } from '../binary.ts';
import { tempFolder } from '../temp-folder.ts';

const MIB = 1024 * 1024;
const MAX_MIB_OVER_IDLE = 150;
const TIMEOUT_MS = 180_000;
const NO_RATES = { FORMSRV_RATE_SUBMIT: '0' };
const PIECE = Buffer.alloc(64 * 1024, '"');

function memoryMib({ pid }: RunningBinary, figure: 'VmHWM' | 'VmRSS'): number {
	const [, kib] = new RegExp(`${figure}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
	return Number(kib) / 1024;
}

interface Tried extends RunningBinary {
	/** Calls the API with a key. */
	api(path: string): Promise<Response>;
	/** The path of the form in the API. */
	form: string;
}

/** The memory over idle that a binary with a form takes during a load. */
async function peakMib(act: (server: Tried) => Promise<void>): Promise<number> {
	const cwd = tempFolder();
	expect((await runBinary(['forms', 'create', 'Contact', '--slug', 'contact'], { cwd })).code).toBe(0);
	await using server = await startBinary({ cwd, env: NO_RATES });
	try {
		await fetch(`${server.baseUrl}/health`);
		const { stdout } = await runBinary(['keys', 'create', '--permissions', 'read'], { cwd });
		const headers = { Authorization: `Bearer ${stdout.trim()}` };
		const api = (path: string) => fetch(server.baseUrl + path, { headers });
		const { forms } = (await (await api('/api/forms')).json()) as { forms: { id: string }[] };
		const form = `/api/forms/${forms[0]?.id}`;
		const idle = memoryMib(server, 'VmRSS');
		await act({ ...server, api, form });
		expect((await fetch(`${server.submitUrl}/health`)).status).toBe(200);
		return memoryMib(server, 'VmHWM') - idle;
	} finally {
		await server.end('SIGKILL');
	}
}

const media = (kind: string) => (kind === 'json' ? 'application/json' : 'multipart/form-data; boundary=b');
const opening = (kind: string) =>
	kind === 'json' ? '{"a":"' : '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n';

/** Sends the beginning of a body from its own network, until a response comes or the limit is sent; stays connected. */
function begin({ url, number, kind, bytes }: { url: URL; number: number; kind: string; bytes: number }) {
	const socket = connect(Number(url.port), url.hostname);
	const settled = new Promise<void>((resolve) => {
		for (const event of ['data', 'error', 'close'] as const) socket.on(event, () => resolve());
		const send = (left: number) => {
			if (left <= 0) resolve();
			else socket.write(PIECE.subarray(0, left), () => send(left - PIECE.length));
		};
		const head =
			`POST ${url.pathname} HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 11.${number >> 8}.${number & 255}.1\r\n` +
			`Content-Type: ${media(kind)}\r\nContent-Length: ${kind === 'json' ? MIB : 24 * MIB}\r\n\r\n${opening(kind)}`;
		socket.write(head, () => send(bytes));
	});
	return { socket, settled };
}

test.each([
	['500 multipart bodies of 24 MiB', 500, 'multipart', 2 * MIB],
	['500 JSON bodies of 1 MiB', 500, 'json', 1_000_000],
	['100 JSON bodies of 300 kB', 100, 'json', 300_000],
])(
	'%s concurrent, each from another network, at both addresses',
	async (_, count, kind, bytes) => {
		const peak = await peakMib(async ({ baseUrl, submitUrl }) => {
			const addresses = [new URL(`${submitUrl}/f/contact`), new URL(`${baseUrl}/api/f/contact`)];
			const sockets: Socket[] = [];
			await Promise.all(
				Array.from({ length: count }, (_, number) => {
					const { socket, settled } = begin({ url: addresses[number % 2] as URL, number, kind, bytes });
					sockets.push(socket);
					return settled;
				}),
			);
			for (const socket of sockets) socket.destroy();
		});
		expect(peak).toBeLessThan(MAX_MIB_OVER_IDLE);
	},
	TIMEOUT_MS,
);

test.each([
	['plain', 'json', 'x', 900_000],
	['of escapes', 'json', '\\u0001', 150_000],
	['of escapes', 'multipart', '"', 1_000_000],
	['of wide characters and escapes', 'multipart', '你"""', 170_000],
])(
	'200 whole bodies, 60 at a time, %s as %s',
	async (_, kind, text, times) => {
		const body = `${opening(kind)}${text.repeat(times)}${kind === 'json' ? '"}' : '\r\n--b--'}`;
		const statuses = new Set<number>();
		const peak = await peakMib(async ({ submitUrl }) => {
			let left = 200;
			const sender = async (number: number) => {
				const headers = { 'Content-Type': media(kind), 'X-Forwarded-For': `11.1.${number}.1` };
				while (left-- > 0) {
					const url = `${submitUrl}/f/contact`;
					statuses.add((await fetch(url, { method: 'POST', headers, body, redirect: 'manual' })).status);
				}
			};
			await Promise.all(Array.from({ length: 60 }, (_, number) => sender(number)));
		});
		expect([...statuses].filter((status) => status !== 303 && status !== 503)).toEqual([]);
		expect(statuses).toContain(303);
		expect(peak).toBeLessThan(MAX_MIB_OVER_IDLE);
	},
	TIMEOUT_MS,
);

test.each([
	['application/json', (name: string, text: string) => `{"m":"${text}","${name}":"y"}`],
	['application/x-www-form-urlencoded', (name: string, text: string) => `m=${text}&${name}=y`],
])(
	'200 large bodies, each with a field name of its own, as %s',
	async (type, bodyOf) => {
		const peak = await peakMib(async ({ submitUrl }) => {
			const headers = { 'Content-Type': type, Accept: 'application/json' };
			for (let i = 0; i < 200; i++) {
				const body = bodyOf(`a-name-that-is-long-enough-to-be-cut-from-the-text-${i}`, 'x'.repeat(900_000));
				expect((await fetch(`${submitUrl}/f/contact`, { method: 'POST', headers, body })).status).toBe(200);
			}
		});
		expect(peak).toBeLessThan(MAX_MIB_OVER_IDLE);
	},
	TIMEOUT_MS,
);

/** The length of a response, counted without keeping it. */
async function lengthOf({ body }: Response): Promise<number> {
	let length = 0;
	for await (const chunk of body as ReadableStream<Uint8Array>) length += chunk.length;
	return length;
}

test.each([
	['lists', 'of 40 submissions of 900 kB', 40, 'x'.repeat(900_000), '/submissions?limit=100'],
	['lists', 'of 100 submissions of 100 kB of escapes', 100, '"'.repeat(50_000), '/submissions?limit=100'],
	['lists', 'of 100 submissions of 16 kB', 100, 'x'.repeat(16_000), '/submissions?limit=100'],
	['exports', 'as JSON, of 40 submissions of 900 kB', 40, 'x'.repeat(900_000), '/export?format=json'],
	['exports', 'as CSV, of 20 submissions of 1 MiB of escapes', 20, '"'.repeat(500_000), '/export'],
])(
	'20 %s at a time %s',
	async (...[, , count, text, path]) => {
		const peak = await peakMib(async ({ submitUrl, api, form }) => {
			const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
			const body = JSON.stringify({ text });
			for (let i = 0; i < count; i++) {
				expect((await fetch(`${submitUrl}/f/contact`, { method: 'POST', headers, body })).status).toBe(200);
			}
			const responses = await Promise.all(
				Array.from({ length: 20 }, async () => {
					const response = await api(form + path);
					return { status: response.status, length: await lengthOf(response) };
				}),
			);
			const whole = responses.filter(({ status }) => status === 200);
			expect(whole.length).toBeGreaterThanOrEqual(4);
			for (const { length } of whole) expect(length).toBeGreaterThan(count * text.length);
			for (const { status } of responses) expect([200, 503]).toContain(status);
		});
		expect(peak).toBeLessThan(MAX_MIB_OVER_IDLE);
	},
	TIMEOUT_MS,
);
