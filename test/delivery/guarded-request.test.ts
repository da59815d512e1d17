import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { createGuardedPost, type PostResult, readTarget } from '../../src/delivery/guarded-request.ts';
import { makeCertificate } from './certificate.ts';

/** A listener on loopback that counts who comes in and answers what it is told to. */
interface Canary {
	port: number;
	requests: string[];
	connections: number;
	serverNames: (string | false | null)[];
	answer: (socket: Socket) => void;
}

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok';
const REQUEST = { headers: { 'Content-Type': 'application/json' }, body: '{"a":1}' };
const LOOPBACK = ['127.0.0.0/8', '::1'];

let plain: Canary;
let secure: Canary;
let ca: string;
const closing: (() => void)[] = [];

beforeAll(async () => {
	const folder = mkdtempSync(join(tmpdir(), 'formsrv-tls-'));
	closing.push(() => rmSync(folder, { recursive: true }));
	await makeCertificate(folder, 'DNS:hooks.example.test');
	ca = readFileSync(join(folder, 'cert.pem'), 'utf8');
	plain = await listen((onSocket) => createServer(onSocket));
	secure = await listen((onSocket) =>
		createTlsServer({ key: readFileSync(join(folder, 'key.pem')), cert: ca }, onSocket),
	);
});

beforeEach(() => {
	for (const canary of [plain, secure]) {
		canary.requests.length = 0;
		canary.serverNames.length = 0;
		canary.connections = 0;
		canary.answer = (socket) => socket.end(OK);
	}
});

afterAll(() => {
	for (const close of closing) close();
});

const resolvesTo =
	(...addresses: string[]) =>
	async () =>
		addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

describe('disguises of an address of one’s own', () => {
	const hosts = [
		'localhost',
		'LocalHost',
		'localhost.',
		'ｌｏｃａｌｈｏｓｔ',
		'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
		'%6cocalhost',
		'127.0.0.1',
		'127.0.0.1.',
		'127.0.0.2',
		'127.255.255.254',
		'127.1',
		'127.0.1',
		'127.1.',
		'2130706433',
		'0x7f000001',
		'0X7F000001',
		'0x7f.0x0.0x0.0x1',
		'0x7f.1',
		'0177.0.0.1',
		'0177.0000.0000.0001',
		'000000177.1',
		'017700000001',
		'0x7f.0.1',
		'127.0x1',
		'127.0.0.0x1',
		'127。0。0。1',
		'127．0．0．1',
		'127｡0｡0｡1',
		'①②⑦.⓪.⓪.①',
		'１２７.０.０.１',
		'𝟏𝟐𝟕.𝟎.𝟎.𝟏',
		'%31%32%37.0.0.1',
		'127%2E0%2E0%2E1',
		'0',
		'0.0.0.0',
		'0x0',
		'00',
		'[::1]',
		'[0:0:0:0:0:0:0:1]',
		'[0000:0000:0000:0000:0000:0000:0000:0001]',
		'[::]',
		'[::ffff:127.0.0.1]',
		'[::ffff:7f00:1]',
		'[0:0:0:0:0:FFFF:127.0.0.1]',
		'[::127.0.0.1]',
		'[::ffff:0:127.0.0.1]',
		'[64:ff9b::127.0.0.1]',
		'[64:ff9b::7f00:1]',
		'[64:ff9b:1::127.0.0.1]',
		'[2002:7f00:1::]',
		'[2001:0:7f00:1::1]',
		'[::%31]',
		'[fe80::1]',
		'[fe80::1%25lo]',
		'[::1%25lo]',
		'[fc00::1]',
		'[fec0::1]',
		'[ff02::1]',
		'10.0.0.1',
		'167772161',
		'172.16.0.1',
		'192.168.1.1',
		'0xc0.168.257',
		'169.254.169.254',
		'2852039166',
		'0xa9fea9fe',
		'[::ffff:169.254.169.254]',
		'[fd00:ec2::254]',
		'100.100.100.200',
		'192.0.0.192',
		'198.18.0.1',
		'224.0.0.1',
		'255.255.255.255',
		'user@127.0.0.1',
		'example.com@127.0.0.1',
		'127.0.0.1\\@example.com',
		'example.com%40127.0.0.1',
		'256.256.256.256',
		'127.0.0.1.5',
		'0x100000000',
		'127.0.0.1%00.example.com',
		'127.0.0.1\t',
	];
	const bare = ['http:127.0.0.1', 'http:/127.0.0.1', 'http:\\\\127.0.0.1', 'ht\ntp://127.0.0.1', ' http://127.0.0.1'];
	const others = [
		'file:///etc/passwd',
		'ftp://127.0.0.1',
		'gopher://127.0.0.1',
		'data:text/plain,x',
		'//127.0.0.1',
		'',
	];

	test('there are at least sixty of them', () => {
		expect(new Set([...hosts, ...bare, ...others]).size).toBeGreaterThanOrEqual(60);
	});

	const post = createGuardedPost();
	const reach = async (url: string, canary: Canary) => {
		const result = await post(url, REQUEST);
		expect(result).toMatchObject({ answered: false });
		expect(canary.connections).toBe(0);
		expect((result as { fault: string }).fault).toMatch(/^(url|refused|dns)$/);
	};

	test.each(hosts)('http and https to "%s" reach nothing', async (host) => {
		await reach(`http://${host}:${plain.port}/`, plain);
		await reach(`https://${host}:${secure.port}/`, secure);
	});

	test.each(bare)('%j reaches nothing', (start) => reach(`${start}:${plain.port}/`, plain));

	test.each(others)('%j reaches nothing', (url) => reach(url, plain));

	test('the canary does sing when its address is allowed', async () => {
		const allowed = createGuardedPost({ allowed: LOOPBACK });
		expect(await allowed(`http://localhost:${plain.port}/x?y`, REQUEST)).toMatchObject({
			status: 200,
			bodyExcerpt: 'ok',
		});
		expect(plain.requests[0]).toStartWith('POST /x?y HTTP/1.1\r\n');
		expect(plain.requests[0]).toEndWith('{"a":1}');
	});
});

describe('name resolution', () => {
	const url = () => `http://hooks.example.test:${plain.port}/`;

	test.each([[['127.0.0.1']], [['8.8.8.8', '127.0.0.1']], [['2606:4700::1111', '::ffff:10.0.0.1']], [[]]])(
		'a name that resolves to %j is refused',
		async (addresses) => {
			const post = createGuardedPost({ resolve: resolvesTo(...addresses) });
			expect(await post(url(), REQUEST)).toMatchObject({ answered: false, fault: 'refused' });
			expect(plain.connections).toBe(0);
		},
	);

	test('a second, different answer of the resolver is never asked for', async () => {
		let asked = 0;
		const rebinding = async () => [{ address: ++asked === 1 ? '127.0.0.2' : '127.0.0.1', family: 4 }];
		const post = createGuardedPost({ resolve: rebinding, allowed: ['127.0.0.2'] });
		await post(url(), REQUEST);
		expect(asked).toBe(1);
	});

	test('a name rebound between two requests is checked again', async () => {
		let asked = 0;
		const rebinding = async () => [{ address: ++asked === 1 ? '127.0.0.2' : '127.0.0.1', family: 4 }];
		const post = createGuardedPost({ resolve: rebinding, allowed: ['127.0.0.2'] });
		await post(url(), REQUEST);
		plain.connections = 0;
		expect(await post(url(), REQUEST)).toMatchObject({ fault: 'refused' });
		expect(plain.connections).toBe(0);
	});

	test('the checked address is connected to, under the original name', async () => {
		const post = createGuardedPost({ resolve: resolvesTo('127.0.0.1'), allowed: LOOPBACK });
		expect(await post(url(), REQUEST)).toMatchObject({ status: 200 });
		expect(plain.requests[0]?.toLowerCase()).toContain(`\r\nhost: hooks.example.test:${plain.port}\r\n`);
	});

	test('a dead address gives way to the next one', async () => {
		const post = createGuardedPost({ resolve: resolvesTo('::1', '127.0.0.1'), allowed: LOOPBACK });
		expect(await post(url(), REQUEST)).toMatchObject({ status: 200 });
	});

	test('a name that does not exist is told as such', async () => {
		const post = createGuardedPost();
		expect(await post('https://nothing.invalid/', REQUEST)).toMatchObject({ fault: 'dns' });
	});

	test('a resolver that never answers is bounded', async () => {
		const post = createGuardedPost({ resolve: () => new Promise(() => {}), timeoutMs: 50 });
		expect(await post(url(), REQUEST)).toMatchObject({ fault: 'timeout' });
	});
});

describe('certificates', () => {
	const via = (name: string, authority: string | undefined) =>
		createGuardedPost({ resolve: resolvesTo('127.0.0.1'), allowed: LOOPBACK, ca: authority })(
			`https://${name}:${secure.port}/`,
			REQUEST,
		);

	test('the right name is accepted, and sent as SNI', async () => {
		expect(await via('hooks.example.test', ca)).toMatchObject({ status: 200 });
		expect(secure.serverNames).toEqual(['hooks.example.test']);
	});

	test('another name than the certificate’s is refused', async () => {
		expect(await via('other.example.test', ca)).toMatchObject({ answered: false, fault: 'tls' });
		expect(secure.requests).toEqual([]);
	});

	test('an unknown authority is refused', async () => {
		expect(await via('hooks.example.test', undefined)).toMatchObject({ answered: false, fault: 'tls' });
		expect(secure.requests).toEqual([]);
	});

	test('an unknown authority is refused even where the environment says not to look', async () => {
		process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
		try {
			expect(await via('hooks.example.test', undefined)).toMatchObject({ answered: false, fault: 'tls' });
		} finally {
			delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
		}
	});
});

describe('answers', () => {
	const post = createGuardedPost({ allowed: LOOPBACK, timeoutMs: 2_000 });
	const send = (answer: (socket: Socket) => void): Promise<PostResult> => {
		plain.answer = answer;
		return post(`http://127.0.0.1:${plain.port}/`, REQUEST);
	};

	test.each([301, 302, 303, 307, 308])('a %d is not followed', async (status) => {
		const result = await send((socket) =>
			socket.end(
				`HTTP/1.1 ${status} Moved\r\nLocation: http://127.0.0.1:${plain.port}/next\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
			),
		);
		expect(result).toMatchObject({ answered: true, status });
		expect(plain.requests).toHaveLength(1);
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

	test('Retry-After is handed on', async () => {
		const result = await send((socket) =>
			socket.end('HTTP/1.1 503 Busy\r\nRetry-After: 120\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'),
		);
		expect(result).toMatchObject({ status: 503, retryAfter: '120' });
	});

	test('an endless answer is cut, and its first KiB kept', async () => {
		const closed = Promise.withResolvers<void>();
		const result = await send((socket) => {
			socket.on('close', () => closed.resolve());
			socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n');
			const pour = () => socket.writable && socket.write('x'.repeat(16_384), pour);
			pour();
		});
		expect(result).toEqual({ answered: true, status: 200, bodyExcerpt: 'x'.repeat(1024), retryAfter: undefined });
		await closed.promise;
	});

	test('an endless header is cut', async () => {
		const result = await send((socket) => {
			socket.write('HTTP/1.1 200 OK\r\n');
			const pour = () => socket.writable && socket.write(`X-A: ${'x'.repeat(4_096)}\r\n`, pour);
			pour();
		});
		expect(result).toMatchObject({ answered: false });
	});

	test('a compressed answer is not blown up', async () => {
		const bomb = gzipSync(Buffer.alloc(20_000_000));
		const result = await send((socket) => {
			socket.write(
				`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\nConnection: close\r\n\r\n`,
			);
			socket.end(bomb);
		});
		expect(result).toMatchObject({ answered: true, status: 200 });
	});

	test('a body that stops in the middle leaves the status standing', async () => {
		const result = await send((socket) => {
			socket.write('HTTP/1.1 202 Accepted\r\nContent-Length: 100\r\n\r\nhalf');
			setTimeout(() => socket.destroy(), 20);
		});
		expect(result).toMatchObject({ answered: true, status: 202 });
	});

	test.each<[string, (socket: Socket) => void, string]>([
		['silence', () => {}, 'timeout'],
		['a dripping header', (socket) => socket.write('HTTP/1.1 200 OK\r\n'), 'timeout'],
		['a closed connection', (socket) => socket.destroy(), 'connection'],
		['another protocol', (socket) => socket.end('220 mail.example.com ESMTP\r\n'), 'protocol'],
	])('%s is a fault', async (_what, answer, fault) => {
		plain.answer = answer;
		const quick = createGuardedPost({ allowed: LOOPBACK, timeoutMs: 300 });
		expect(await quick(`http://127.0.0.1:${plain.port}/`, REQUEST)).toMatchObject({ answered: false, fault });
	});

	test('a body that never ends within the time leaves the status standing', async () => {
		plain.answer = (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf');
		const quick = createGuardedPost({ allowed: LOOPBACK, timeoutMs: 300 });
		expect(await quick(`http://127.0.0.1:${plain.port}/`, REQUEST)).toMatchObject({ answered: true, status: 200 });
	});

	test('nobody listening is a fault of the connection', async () => {
		const gone = await listen((onSocket) => createServer(onSocket));
		closing.pop()?.();
		expect(await post(`http://127.0.0.1:${gone.port}/`, REQUEST)).toMatchObject({ fault: 'connection' });
	});

	test('an orderly stop ends the request', async () => {
		plain.answer = () => {};
		const stop = new AbortController();
		const pending = post(`http://127.0.0.1:${plain.port}/`, { ...REQUEST, signal: stop.signal });
		setTimeout(() => stop.abort(), 50);
		expect(await pending).toMatchObject({ answered: false, fault: 'aborted' });
	});
});

describe('which URLs may be given as a target', () => {
	test.each([
		'https://example.com/hook?a=b',
		'http://example.com',
		'https://example.com:8443/',
		'https://münchen.example/',
	])('%s may', (url) => {
		expect(readTarget(url)).toBeInstanceOf(URL);
	});

	test.each([
		'',
		'example.com',
		'/hook',
		'ftp://example.com/',
		'https://user@example.com/',
		'https://:pw@example.com/',
		'https://example.com:25/',
		'http://example.com:443/',
		'https://',
	])('%j may not, and a sentence says why', (url) => {
		expect(readTarget(url)).toMatch(/^The .*\.$/);
	});
});

function listen(create: (onSocket: (socket: Socket) => void) => Server): Promise<Canary> {
	const canary: Canary = { port: 0, requests: [], connections: 0, serverNames: [], answer: () => {} };
	const server = create((socket) => {
		canary.connections++;
		let text = '';
		socket.on('error', () => {});
		socket.on('data', (chunk) => {
			text += chunk.toString();
			if (!text.endsWith(REQUEST.body)) return;
			canary.requests.push(text);
			canary.serverNames.push((socket as unknown as { servername: string }).servername);
			canary.answer(socket);
		});
	});
	server.on('tlsClientError', () => {});
	closing.push(() => server.close());
	return new Promise((resolve) => {
		server.listen(0, '127.0.0.1', () => {
			canary.port = (server.address() as { port: number }).port;
			resolve(canary);
		});
	});
}
