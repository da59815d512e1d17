/** Bodies over real connections: complete and within limits, or rejected early. */

import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import { createBodyReservations, declaredSize, readSmallBody } from '../../../src/intake/body/bytes.ts';
import { createByteBudget } from '../../../src/tasks/byte-budget.ts';
import { rejectionOfAsync } from '../../rejection.ts';

const MAX_BYTES = 1000;
const FREE_BYTES = 100;
const FREE_BODIES = 10;
/** How many times its bytes a body counts, and how many times as large a budget is as the half that bodies take of it. */
const COPIES = 4;
const HALVES = 2;
const hold = (budgetBytes: number, shareBytes = MAX_BYTES) => {
	const budget = createByteBudget(budgetBytes * COPIES * HALVES);
	return createBodyReservations({
		budget,
		shareBytes: shareBytes * COPIES,
		freeBytes: FREE_BYTES,
		freeBodies: FREE_BODIES,
	});
};
const tooLarge = { code: 'PAYLOAD_TOO_LARGE', message: 'A submission may have at most 1,000 B in all.' };
const busy = {
	code: 'UNAVAILABLE',
	message: 'Too many submissions are arriving at once; try again in a few seconds.',
};
const incomplete = { code: 'INVALID_BODY', message: 'The connection ended before the whole body had arrived.' };

type Outcome = { length: number } | { code: string; message: string };

let bodies = hold(1300);
let outcomes: Promise<Outcome>[] = [];
let senders = 0;
let onArrival = () => {};
/** Replaceable step after a body was read. */
let store = async () => {};

const server = Bun.serve({
	port: 0,
	hostname: '127.0.0.1',
	async fetch(request) {
		const outcome = read(request).then(
			({ length }) => ({ length }),
			(error: unknown) => rejectionOfAsync(() => Promise.reject(error)),
		);
		outcomes.push(outcome);
		onArrival();
		return Response.json(await outcome);
	},
});

beforeEach(() => {
	bodies = hold(1300);
	outcomes = [];
});
afterAll(() => server.stop(true));

/** As it is read where it is stored. Every request comes from a network of its own, unless it names one. */
async function read(request: Request): Promise<Uint8Array> {
	const declaredBytes = declaredSize(request.headers, MAX_BYTES);
	const isSmall = declaredBytes !== undefined && declaredBytes <= FREE_BYTES;
	const reservation = isSmall
		? undefined
		: bodies.reserve(request.headers.get('x-client') ?? `198.51.100.${senders++ % 256}`);
	try {
		const bytes = await (reservation?.read(request, MAX_BYTES) ?? readSmallBody(request, MAX_BYTES));
		if (reservation) await store();
		return bytes;
	} finally {
		reservation?.release();
	}
}

async function post(body: BodyInit, headers: Record<string, string> = {}): Promise<unknown> {
	const response = await fetch(server.url, { method: 'POST', body, headers });
	return response.json();
}

/** A body of unknown length, which is sent in chunks. */
function chunked(...sizes: number[]): ReadableStream {
	return new ReadableStream({
		async pull(controller) {
			const size = sizes.shift();
			if (size === undefined) return controller.close();
			controller.enqueue(new Uint8Array(size));
			await Bun.sleep(1);
		},
	});
}

/** Sends raw bytes and waits until the server has begun to read. */
async function begin(head: string): Promise<Bun.Socket> {
	const arrived = new Promise<void>((resolve) => {
		onArrival = resolve;
	});
	const socket = await Bun.connect({ hostname: '127.0.0.1', port: server.port as number, socket: { data() {} } });
	socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\n${head}`);
	await arrived;
	return socket;
}

const DECLARED = `Content-Length: 1000\r\n\r\n${'x'.repeat(600)}`;
const CHUNKED = `Transfer-Encoding: chunked\r\n\r\n258\r\n${'x'.repeat(600)}\r\n`;

describe('a body', () => {
	test('is read whole up to the limit', async () => {
		expect(await post('')).toEqual({ length: 0 });
		expect(await post('x'.repeat(1000))).toEqual({ length: 1000 });
		expect(await post(chunked())).toEqual({ length: 0 });
		expect(await post(chunked(1))).toEqual({ length: 1 });
		expect(await post(chunked(400, 0, 600))).toEqual({ length: 1000 });
	});

	test('may be absent', async () => {
		const request = new Request('http://localhost/', { method: 'POST' });
		expect(await read(request)).toHaveLength(0);
	});

	test('over the limit is rejected, declared or counted', async () => {
		expect(await post('x'.repeat(1001))).toEqual(tooLarge);
		expect(await post(chunked(600, 401))).toEqual(tooLarge);
		expect(await post(chunked(...new Array(1000).fill(100)))).toEqual(tooLarge);
	});

	test('that declares too much is rejected before it is sent', async () => {
		const socket = await begin('Content-Length: 1001\r\n\r\n');
		expect(await outcomes[0]).toEqual(tooLarge);
		socket.end();
	});

	test('that differs from its declared size is rejected', async () => {
		const request = new Request('http://localhost/', {
			method: 'POST',
			headers: { 'content-length': '10' },
			body: 'x'.repeat(1001),
		});
		expect(await rejectionOfAsync(() => read(request))).toEqual(tooLarge);
	});

	test.each(['gzip', 'br', 'identity, gzip', 'x'])('in the Content-Encoding %s is rejected', async (encoding) => {
		expect(await post('x', { 'content-encoding': encoding })).toEqual({
			code: 'UNSUPPORTED_MEDIA_TYPE',
			message: 'Compressed bodies are not accepted; send it without Content-Encoding.',
		});
	});

	test('may say that it has no Content-Encoding', async () => {
		expect(await post('x', { 'content-encoding': 'Identity' })).toEqual({ length: 1 });
	});
});

describe('the budget', () => {
	test.each([
		['declared', DECLARED],
		['chunked', CHUNKED],
	])('is shared by all bodies and given back by one that is cut off (%s)', async (_, head) => {
		const socket = await begin(head);
		expect(await post('x'.repeat(1000))).toEqual(busy);
		expect(await post('x'.repeat(500))).toEqual({ length: 500 });
		socket.terminate();
		expect(await outcomes[0]).toEqual(incomplete);
		expect(await post('x'.repeat(1000))).toEqual({ length: 1000 });
	});

	test('admits small bodies when it is used up, and counts received bytes instead of declared ones', async () => {
		const sockets: Bun.Socket[] = [];
		for (let i = 0; i < 5; i++) sockets.push(await begin('Content-Length: 1000\r\n\r\nx'));
		expect(await post('x'.repeat(1000))).toEqual({ length: 1000 });
		sockets.push(await begin(DECLARED), await begin(CHUNKED));
		expect(await post('x'.repeat(500))).toEqual(busy);
		expect(await post('x'.repeat(100))).toEqual({ length: 100 });
		expect(await post(chunked(60, 40))).toEqual({ length: 100 });
		for (const socket of sockets) socket.terminate();
	});

	test('also counts the first bytes of one body more than have them free', async () => {
		const sockets: Bun.Socket[] = [];
		const dribble = `Transfer-Encoding: chunked\r\n\r\n64\r\n${'x'.repeat(100)}\r\n`;
		for (let i = 0; i < FREE_BODIES + 13; i++) sockets.push(await begin(dribble));
		expect(await post(chunked(60, 40))).toEqual(busy);
		expect(await post('x'.repeat(100))).toEqual({ length: 100 });
		for (const socket of sockets) socket.terminate();
		expect(await Promise.all(outcomes.slice(0, sockets.length))).toEqual(sockets.map(() => incomplete));
		expect(await post('x'.repeat(1000))).toEqual({ length: 1000 });
	});

	test('is released after every outcome', async () => {
		for (let i = 0; i < 5; i++) {
			expect(await post('x'.repeat(1000))).toEqual({ length: 1000 });
			expect(await post(chunked(600, 401))).toEqual(tooLarge);
			expect(await post(chunked(500, 500))).toEqual({ length: 1000 });
		}
	});

	test('is held until the body is stored', async () => {
		const read = Promise.withResolvers<void>();
		const stored = Promise.withResolvers<void>();
		store = () => {
			read.resolve();
			return stored.promise;
		};
		const first = post('x'.repeat(1000));
		await read.promise;
		expect(await post('x'.repeat(1000))).toEqual(busy);
		store = async () => {};
		stored.resolve();
		expect(await first).toEqual({ length: 1000 });
		expect(await post('x'.repeat(1000))).toEqual({ length: 1000 });
	});

	test('tells when to retry', async () => {
		const budget = createByteBudget(2);
		budget.tryTake(1);
		const reservation = createBodyReservations({ budget, shareBytes: 10, freeBytes: 0, freeBodies: 0 }).reserve(
			'192.0.2.1',
		);
		const request = new Request('http://localhost/', { method: 'POST', body: 'xxx' });
		const reading = reservation.read(request, MAX_BYTES);
		expect(await reading.catch((error) => error.details)).toEqual({
			retryAfterSeconds: 5,
			isOverload: true,
			says: ['busy'],
		});
	});
});

describe('the share of one network', () => {
	const from = (address: string) => ({ 'x-client': address });
	const begun = (address: string, bytes: number) =>
		begin(`X-Client: ${address}\r\nContent-Length: 1000\r\n\r\n${'x'.repeat(bytes)}`);

	beforeEach(() => {
		bodies = hold(8000, 2000);
	});

	test('is bounded, and leaves the rest to others', async () => {
		const sockets: Bun.Socket[] = [];
		for (let i = 0; i < 3; i++) sockets.push(await begun('192.0.2.1', 700));
		expect(await post('x'.repeat(400), from('192.0.2.1'))).toEqual(busy);
		expect(await post('x'.repeat(300), from('192.0.2.1'))).toEqual({ length: 300 });
		expect(await post('x'.repeat(100), from('192.0.2.1'))).toEqual({ length: 100 });
		expect(await post('x'.repeat(1000), from('192.0.2.2'))).toEqual({ length: 1000 });
		for (const socket of sockets) socket.terminate();
		expect(await Promise.all(outcomes.slice(0, 3))).toEqual([incomplete, incomplete, incomplete]);
		expect(await post('x'.repeat(1000), from('192.0.2.1'))).toEqual({ length: 1000 });
	});

	test('is one for all addresses of an IPv6 /64', async () => {
		const sockets: Bun.Socket[] = [];
		for (let i = 0; i < 3; i++) sockets.push(await begun(`2001:db8:0:1::${i}`, 700));
		expect(await post('x'.repeat(400), from('2001:db8:0:1::9'))).toEqual(busy);
		expect(await post('x'.repeat(400), from('2001:db8:0:2::9'))).toEqual({ length: 400 });
		for (const socket of sockets) socket.terminate();
	});

	test('admits the largest body in any case', async () => {
		bodies = hold(400, 400);
		expect(await post('x'.repeat(1000))).toEqual({ length: 1000 });
		bodies = hold(2000, 500);
		expect(await post('x'.repeat(1000))).toEqual({ length: 1000 });
	});
});

describe('a body that waits before it is read', () => {
	const MIB = 2 ** 20;
	const sent = (headers: Record<string, string>, clientAddress: string) => ({
		request: new Request('http://localhost/', { method: 'POST', body: 'x', headers }),
		clientAddress,
	});
	const declared = (bytes: number) => ({ 'Content-Length': String(bytes) });
	const budget = () => createByteBudget(8 * MIB);
	const waiting = (bodies: ReturnType<typeof createBodyReservations>, from: ReturnType<typeof sent>) => {
		const { promise, resolve } = Promise.withResolvers<string>();
		return { waited: bodies.whileUnread(from, promise), end: () => resolve('known') };
	};

	test('counts as what the runtime takes in of it meanwhile, and no longer', async () => {
		const bodies = createBodyReservations({
			budget: budget(),
			shareBytes: 3 * MIB,
			freeBytes: 100,
			freeBodies: 9,
			shortWaitMs: 0,
		});
		const first = waiting(bodies, sent(declared(50 * MIB), '192.0.2.1'));
		const second = waiting(bodies, sent({}, '192.0.2.1'));
		const endless = () => new Promise<never>(() => {});
		expect(await rejectionOfAsync(() => bodies.whileUnread(sent({}, '192.0.2.1'), endless()))).toEqual(busy);
		const other = waiting(bodies, sent(declared(MIB), '192.0.2.2'));
		expect(await rejectionOfAsync(() => bodies.whileUnread(sent(declared(MIB), '192.0.2.3'), endless()))).toEqual(busy);
		for (const { end } of [first, second, other]) end();
		expect(await Promise.all([first.waited, second.waited, other.waited])).toEqual(['known', 'known', 'known']);
		const again = waiting(bodies, sent({}, '192.0.2.1'));
		again.end();
		expect(await again.waited).toBe('known');
	});

	test('is free if it is small, while there are few of them', async () => {
		const bodies = createBodyReservations({
			budget: budget(),
			shareBytes: 150,
			freeBytes: 100,
			freeBodies: 2,
			shortWaitMs: 0,
		});
		const small = Array.from({ length: 3 }, () => waiting(bodies, sent(declared(100), '192.0.2.1')));
		const endless = () => new Promise<never>(() => {});
		expect(await rejectionOfAsync(() => bodies.whileUnread(sent(declared(100), '192.0.2.1'), endless()))).toEqual(busy);
		for (const { end } of small) end();
		expect(await Promise.all(small.map(({ waited }) => waited))).toEqual(['known', 'known', 'known']);
	});

	test('is free while the wait is short, however many bodies wait', async () => {
		const bodies = createBodyReservations({ budget: budget(), shareBytes: 3 * MIB, freeBytes: 0, freeBodies: 0 });
		const all = Array.from({ length: 100 }, () => waiting(bodies, sent(declared(50 * MIB), '192.0.2.1')));
		for (const { end } of all) end();
		expect(new Set(await Promise.all(all.map(({ waited }) => waited)))).toEqual(new Set(['known']));
	});
});
