/** Streamed responses over real connections: complete or visibly broken, and not generated for absent clients. */

import { afterAll, beforeEach, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { type RequestInfo, setRequestInfo } from '../../src/http/request-info.ts';
import { createStreamResponse } from '../../src/http/streamed.ts';
import { createLog } from '../../src/log/log.ts';
import { until } from '../until.ts';

const PIECE = new Uint8Array(1024 * 1024);
const lines: string[] = [];
let made = 0;
let ended = Promise.withResolvers<void>();
/** Pieces are made once this is over. */
let ready = Promise.resolve();
let isAuthorized = true;

async function reauthorize(): Promise<void> {
	if (!isAuthorized) throw new Error('No longer.');
}

const log = createLog({ level: 'warn', format: 'json', write: (text) => lines.push(Buffer.from(text).toString()) });
const stream = createStreamResponse(log);
const server = Bun.serve({
	port: 0,
	hostname: '127.0.0.1',
	fetch(request) {
		setRequestInfo(request, { id: 'r1', listener: server, reauthorize } as unknown as RequestInfo);
		const pieces = Number(new URL(request.url).searchParams.get('pieces'));
		return stream(
			request,
			{ chunks: chunks(pieces), end: () => ended.resolve() },
			{ headers: { 'X-Kind': 'streamed' } },
		);
	},
});

/** That many chunks; with a negative number, an error follows. */
async function* chunks(count: number): AsyncGenerator<Uint8Array> {
	for (let i = 0; i < Math.abs(count); i++) {
		made++;
		await ready;
		yield PIECE;
	}
	if (count < 0) throw new Error('The disk is gone.');
}

beforeEach(() => {
	made = 0;
	lines.length = 0;
	ended = Promise.withResolvers();
	ready = Promise.resolve();
	isAuthorized = true;
});
afterAll(() => server.stop(true));

const get = (pieces: number, method = 'GET') => fetch(`${server.url}?pieces=${pieces}`, { method });

test('a complete response arrives whole', async () => {
	const response = await get(3);
	expect(response.headers.get('X-Kind')).toBe('streamed');
	expect((await response.bytes()).length).toBe(3 * PIECE.length);
	await ended.promise;
});

test('an error in the middle closes the connection, and is logged with its cause', async () => {
	const response = await get(-2);
	expect(response.status).toBe(200);
	await expect(response.bytes()).rejects.toThrow();
	await ended.promise;
	log.flush();
	expect(lines.join('')).toContain('The disk is gone.');
	expect(lines.join('')).toContain('r1');
});

test('a HEAD request generates no chunks', async () => {
	expect((await get(3, 'HEAD')).headers.get('X-Kind')).toBe('streamed');
	await ended.promise;
	expect(made).toBe(0);
});

test('for a client that does not read or has left, no chunk is generated', async () => {
	const socket = connect(server.port as number, '127.0.0.1');
	socket.pause();
	socket.write('GET /?pieces=1000 HTTP/1.1\r\nHost: a\r\n\r\n');
	await until(() => made > 0, { everyMs: 1 });
	let before = -1;
	for (; before !== made; await Bun.sleep(50)) before = made;
	expect(made).toBeLessThan(50);
	socket.destroy();
	await ended.promise;
	expect(made).toBeLessThan(50);
});

test('a client that disconnects while a chunk is generated is not logged as an error', async () => {
	const { promise, resolve } = Promise.withResolvers<void>();
	ready = promise;
	const socket = connect(server.port as number, '127.0.0.1');
	socket.write('GET /?pieces=3 HTTP/1.1\r\nHost: a\r\n\r\n');
	await until(() => made > 0, { everyMs: 1 });
	socket.destroy();
	await until(() => server.pendingRequests === 0);
	resolve();
	await ended.promise;
	log.flush();
	expect(lines).toEqual([]);
	expect(made).toBe(1);
});

test('of a request that would not be authorized any more, nothing further is sent', async () => {
	const response = await get(1000);
	isAuthorized = false;
	await expect(response.bytes()).rejects.toThrow();
	await ended.promise;
	log.flush();
	expect(lines.join('')).toContain('No longer.');
	expect(made).toBeLessThan(1000);
});
