/** Guarded requests: certificates, and responses of every kind. */

import { describe, expect, test } from 'bun:test';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { createGuardedPost, type PostResult } from '../../src/network/guarded-request.ts';
import { LOOPBACK, OK, REQUEST, resolvesTo, useCanaries } from '../delivery/canaries.ts';

const canaries = useCanaries();

describe('certificates', () => {
	const via = (name: string, authority: string | undefined) =>
		createGuardedPost({ resolve: resolvesTo('127.0.0.1'), allowed: LOOPBACK, ca: authority })(
			`https://${name}:${canaries.secure.port}/`,
			REQUEST,
		);

	test('the right name is accepted, and sent as SNI', async () => {
		expect(await via('hooks.example.test', canaries.ca)).toMatchObject({ status: 200 });
		expect(canaries.secure.serverNames).toEqual(['hooks.example.test']);
	});

	test('another name than the certificate’s is rejected', async () => {
		expect(await via('other.example.test', canaries.ca)).toMatchObject({ hasResponse: false, failure: 'tls' });
		expect(canaries.secure.requests).toEqual([]);
	});

	test('an unknown authority is rejected', async () => {
		expect(await via('hooks.example.test', undefined)).toMatchObject({
			hasResponse: false,
			failure: 'tls',
			message: expect.stringContaining('the certificate is not trusted: '),
		});
		expect(canaries.secure.requests).toEqual([]);
	});

	test('an unknown authority is rejected even where the environment says not to look', async () => {
		process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
		try {
			expect(await via('hooks.example.test', undefined)).toMatchObject({ hasResponse: false, failure: 'tls' });
		} finally {
			delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
		}
	});
});

describe('responses', () => {
	const post = createGuardedPost({ allowed: LOOPBACK, timeoutMs: 2_000 });
	const send = (respond: (socket: Socket) => void): Promise<PostResult> => {
		canaries.plain.respond = respond;
		return post(`http://127.0.0.1:${canaries.plain.port}/`, REQUEST);
	};

	test.each([301, 302, 303, 307, 308])('a %d is not followed', async (status) => {
		const result = await send((socket) =>
			socket.end(
				`HTTP/1.1 ${status} Moved\r\nLocation: http://127.0.0.1:${canaries.plain.port}/next\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
			),
		);
		expect(result).toMatchObject({ hasResponse: true, status });
		expect(canaries.plain.requests).toHaveLength(1);
	});

	test('no proxy of the environment is used', async () => {
		const names = ['http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'];
		for (const name of names) process.env[name] = 'http://127.0.0.1:9';
		try {
			expect(await send((socket) => socket.end(OK))).toMatchObject({ status: 200 });
		} finally {
			for (const name of names) delete process.env[name];
		}
	});

	test.each([
		['with its header', '\r\nUpgrade: other\r\nConnection: Upgrade'],
		['bare', ''],
	])('an unrequested protocol upgrade is a response (%s)', async (_what, header) => {
		const closed = Promise.withResolvers<void>();
		const result = await send((socket) => {
			socket.on('close', () => closed.resolve());
			socket.write(`HTTP/1.1 101 Switching Protocols${header}\r\n\r\nand on`);
		});
		expect(result).toMatchObject({ hasResponse: true, status: 101 });
		await closed.promise;
	});

	test('Retry-After is handed on', async () => {
		const result = await send((socket) =>
			socket.end('HTTP/1.1 503 Busy\r\nRetry-After: 120\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'),
		);
		expect(result).toMatchObject({ status: 503, retryAfter: '120' });
	});

	test('an endless response is cut, and its first KiB kept', async () => {
		const closed = Promise.withResolvers<void>();
		const result = await send((socket) => {
			socket.on('close', () => closed.resolve());
			socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n');
			const pour = () => socket.writable && socket.write('x'.repeat(16_384), pour);
			pour();
		});
		expect(result).toEqual({ hasResponse: true, status: 200, bodyExcerpt: 'x'.repeat(1024), retryAfter: undefined });
		await closed.promise;
	});

	test('an endless header is cut', async () => {
		const result = await send((socket) => {
			socket.write('HTTP/1.1 200 OK\r\n');
			const pour = () => socket.writable && socket.write(`X-A: ${'x'.repeat(4_096)}\r\n`, pour);
			pour();
		});
		expect(result).toMatchObject({ hasResponse: false });
	});

	test('a compressed response is not decompressed', async () => {
		const bomb = gzipSync(Buffer.alloc(20_000_000));
		const result = await send((socket) => {
			socket.write(
				`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\nConnection: close\r\n\r\n`,
			);
			socket.end(bomb);
		});
		expect(result).toMatchObject({ hasResponse: true, status: 200 });
	});

	test('a body that stops in the middle leaves the status standing', async () => {
		const result = await send((socket) => {
			socket.write('HTTP/1.1 202 Accepted\r\nContent-Length: 100\r\n\r\nhalf');
			setTimeout(() => socket.destroy(), 20);
		});
		expect(result).toMatchObject({ hasResponse: true, status: 202 });
	});

	test.each<[string, (socket: Socket) => void, string]>([
		['silence', () => {}, 'timeout'],
		['a dripping header', (socket) => socket.write('HTTP/1.1 200 OK\r\n'), 'timeout'],
		['a closed connection', (socket) => socket.destroy(), 'connection'],
		['another protocol', (socket) => socket.end('220 mail.example.com ESMTP\r\n'), 'protocol'],
	])('%s is a failure', async (_what, respond, failure) => {
		canaries.plain.respond = respond;
		const quick = createGuardedPost({ allowed: LOOPBACK, timeoutMs: 300 });
		expect(await quick(`http://127.0.0.1:${canaries.plain.port}/`, REQUEST)).toMatchObject({
			hasResponse: false,
			failure,
		});
	});

	test('a body that never ends within the time leaves the status standing', async () => {
		canaries.plain.respond = (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf');
		const quick = createGuardedPost({ allowed: LOOPBACK, timeoutMs: 300 });
		expect(await quick(`http://127.0.0.1:${canaries.plain.port}/`, REQUEST)).toMatchObject({
			hasResponse: true,
			status: 200,
		});
	});

	test('a closed port is a failure of the connection', async () => {
		expect(await post(`http://127.0.0.1:${await canaries.deadPort()}/`, REQUEST)).toMatchObject({
			failure: 'connection',
			message: expect.stringContaining('Nothing accepts connections there: '),
		});
	});

	test.each<[string, (socket: Socket) => void, string]>([
		['a reset', (socket) => socket.resetAndDestroy(), 'The connection was closed before there was a response.'],
		['an end', (socket) => socket.end(), 'The connection was closed before there was a response.'],
		['another protocol', (socket) => socket.end('SSH-2.0-x\r\n'), 'The response is not valid HTTP: '],
		[
			'a header without end',
			(socket) => socket.end(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}`),
			'The response is not valid HTTP: ',
		],
	])('%s in place of a response is a sentence', async (_, respond, message) => {
		expect(await send(respond)).toMatchObject({ hasResponse: false, message: expect.stringContaining(message) });
	});

	test('an orderly stop ends the request', async () => {
		canaries.plain.respond = () => {};
		const stop = new AbortController();
		const pending = post(`http://127.0.0.1:${canaries.plain.port}/`, { ...REQUEST, signal: stop.signal });
		setTimeout(() => stop.abort(), 50);
		expect(await pending).toMatchObject({ hasResponse: false, failure: 'aborted' });
	});

	test('after an orderly stop no request begins', async () => {
		const stuck = createGuardedPost({ resolve: () => new Promise(() => {}) });
		const result = await stuck('https://example.com/', { ...REQUEST, signal: AbortSignal.abort() });
		expect(result).toMatchObject({ hasResponse: false, failure: 'aborted' });
	});
});

test('nothing of a request is held once it has ended, however much of its time limit is left', async () => {
	const post = createGuardedPost({ allowed: LOOPBACK, timeoutMs: 60_000 });
	const stop = new AbortController();
	const bodies: WeakRef<object>[] = [];
	for (let i = 0; i < 20; i++) {
		const request = { ...REQUEST, body: { ...REQUEST.body }, signal: stop.signal };
		bodies.push(new WeakRef(request.body));
		await post(`http://127.0.0.1:${canaries.plain.port}/`, request);
	}
	const held = () => bodies.filter((body) => body.deref() !== undefined).length;
	for (let tries = 0; tries < 20 && held() > 2; tries++) {
		await Bun.sleep(20);
		Bun.gc(true);
	}
	expect(held()).toBeLessThanOrEqual(2);
});
