/** The addresses that a guarded request reaches, however they are written and whatever names resolve to. */

import { describe, expect, test } from 'bun:test';
import { createGuardedPost } from '../../src/network/guarded-request.ts';
import { type Canary, LOOPBACK, REQUEST, resolvesTo, useCanaries } from '../delivery/canaries.ts';

const canaries = useCanaries();

describe('disguised loopback addresses', () => {
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
		expect(result).toMatchObject({ hasResponse: false });
		expect(canary.connections).toBe(0);
		expect((result as { failure: string }).failure).toMatch(/^(url|forbidden|dns)$/);
	};

	test.each(hosts)('http and https to "%s" reach nothing', async (host) => {
		await reach(`http://${host}:${canaries.plain.port}/`, canaries.plain);
		await reach(`https://${host}:${canaries.secure.port}/`, canaries.secure);
	});

	test.each(bare)('%j reaches nothing', (start) => reach(`${start}:${canaries.plain.port}/`, canaries.plain));

	test.each(others)('%j reaches nothing', (url) => reach(url, canaries.plain));

	test('the canary does sing when its address is allowed', async () => {
		const allowed = createGuardedPost({ allowed: LOOPBACK });
		expect(await allowed(`http://localhost:${canaries.plain.port}/x?y`, REQUEST)).toMatchObject({
			status: 200,
			bodyExcerpt: 'ok',
		});
		expect(canaries.plain.requests[0]).toStartWith('POST /x?y HTTP/1.1\r\n');
		expect(canaries.plain.requests[0]).toEndWith('{"a":1}');
	});
});

describe('name resolution', () => {
	const url = () => `http://hooks.example.test:${canaries.plain.port}/`;

	test.each([[['127.0.0.1']], [['8.8.8.8', '127.0.0.1']], [['2606:4700::1111', '::ffff:10.0.0.1']], [[]]])(
		'a name that resolves to %j is rejected',
		async (addresses) => {
			const post = createGuardedPost({ resolve: resolvesTo(...addresses) });
			expect(await post(url(), REQUEST)).toMatchObject({ hasResponse: false, failure: 'forbidden' });
			expect(canaries.plain.connections).toBe(0);
		},
	);

	test('a name is resolved only once (DNS rebinding)', async () => {
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
		canaries.plain.connections = 0;
		expect(await post(url(), REQUEST)).toMatchObject({ failure: 'forbidden' });
		expect(canaries.plain.connections).toBe(0);
	});

	test('the checked address is connected to, under the original name', async () => {
		const post = createGuardedPost({ resolve: resolvesTo('127.0.0.1'), allowed: LOOPBACK });
		expect(await post(url(), REQUEST)).toMatchObject({ status: 200 });
		expect(canaries.plain.requests[0]?.toLowerCase()).toContain(
			`\r\nhost: hooks.example.test:${canaries.plain.port}\r\n`,
		);
	});

	test('a dead address gives way to the next one', async () => {
		const post = createGuardedPost({ resolve: resolvesTo('::1', '127.0.0.1'), allowed: LOOPBACK });
		expect(await post(url(), REQUEST)).toMatchObject({ status: 200 });
	});

	test('a name that does not exist is told as such', async () => {
		const post = createGuardedPost();
		expect(await post('https://nothing.invalid/', REQUEST)).toMatchObject({ failure: 'dns' });
	});

	test('a resolver that never responds is bounded by the time-out', async () => {
		const post = createGuardedPost({ resolve: () => new Promise(() => {}), timeoutMs: 50 });
		expect(await post(url(), REQUEST)).toMatchObject({ failure: 'timeout' });
	});
});
