import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { createAddressGuard } from '../../src/network/public-address.ts';

const PUBLIC = [
	'1.1.1.1',
	'8.8.8.8',
	'93.184.215.14',
	'100.63.255.255',
	'100.128.0.1',
	'172.15.255.255',
	'172.32.0.1',
	'192.167.255.255',
	'223.255.255.254',
	'2606:4700:4700::1111',
	'2a00:1450:4001:812::200e',
	'2001:4860:4860::8888',
	'::ffff:8.8.8.8',
	'64:ff9b::8.8.8.8',
];

const SPECIAL: [what: string, addresses: string[]][] = [
	['this network', ['0.0.0.0', '0.1.2.3', '0.255.255.255']],
	['private', ['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', '192.168.255.255']],
	['carrier-grade NAT', ['100.64.0.1', '100.127.255.255']],
	['loopback', ['127.0.0.1', '127.255.255.254', '::1']],
	['link-local, where cloud metadata lives', ['169.254.0.1', '169.254.169.254', 'fe80::1', 'febf::1']],
	['a zone', ['fe80::1%eth0', '2606:4700::1%1']],
	['protocol assignments', ['192.0.0.1', '192.0.0.170', '2001:1::1', '2001:1ff::1']],
	['documentation', ['192.0.2.1', '198.51.100.7', '203.0.113.9', '2001:db8::1', '3fff::1']],
	['benchmarking', ['198.18.0.1', '198.19.255.255', '2001:2::1']],
	['6to4', ['192.88.99.1', '2002:7f00:1::', '2002:808:808::1']],
	['Teredo', ['2001::1', '2001:0:7f00:1::1']],
	['multicast', ['224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::1']],
	['reserved', ['240.0.0.1', '254.255.255.255', '4000::1', 'e000::1', '1000::1']],
	['broadcast', ['255.255.255.255']],
	['unspecified', ['::']],
	['unique local', ['fc00::1', 'fd00:ec2::254', 'fdff::1']],
	['site-local', ['fec0::1']],
	['mapped', ['::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:7f00:1', '0:0:0:0:0:ffff:a9fe:a9fe']],
	['IPv4-compatible', ['::127.0.0.1', '::8.8.8.8', '::7f00:1']],
	['IPv4-translated', ['::ffff:0:127.0.0.1', '::ffff:0:8.8.8.8']],
	['NAT64 of what is not public', ['64:ff9b::127.0.0.1', '64:ff9b::a00:1', '64:ff9b::169.254.169.254']],
	['NAT64 of one network', ['64:ff9b:1::1', '64:ff9b:1::8.8.8.8']],
	['discard-only', ['100::1']],
	['identifiers that are no addresses', ['2001:10::1', '2001:20::1', '2001:30::1', '5f00::1']],
	[
		'not an address',
		['', 'localhost', '127.1', '0x7f.0.0.1', '2130706433', '0177.0.0.1', '[::1]', '1.2.3.4 ', '8.8.8.8/8'],
	],
];

describe('without an allow-list', () => {
	const mayReach = createAddressGuard();

	test.each(PUBLIC)('%s may be reached', (address) => {
		expect(mayReach(address)).toBe(true);
	});

	for (const [what, addresses] of SPECIAL) {
		test.each(addresses)(`${what}: "%s" may not be reached`, (address) => {
			expect(mayReach(address)).toBe(false);
		});
	}

	test('an IPv4 address is judged alike in each of its forms', () => {
		fc.assert(
			fc.property(fc.ipV4(), (address) => {
				expect(mayReach(`::ffff:${address}`)).toBe(mayReach(address));
				expect(mayReach(`64:ff9b::${address}`)).toBe(mayReach(address));
			}),
		);
	});
});

describe('with an allow-list', () => {
	const mayReach = createAddressGuard(['10.1.0.0/16', '192.168.7.7', 'fd00:1::/32', '::1']);

	test.each(['10.1.2.3', '::ffff:10.1.2.3', '192.168.7.7', 'fd00:1::5', '::1', '8.8.8.8'])(
		'%s may be reached',
		(address) => {
			expect(mayReach(address)).toBe(true);
		},
	);

	test.each(['10.2.0.1', '192.168.7.8', 'fd00:2::5', '127.0.0.1'])('%s may not be reached', (address) => {
		expect(mayReach(address)).toBe(false);
	});

	test('a range of mapped addresses is that of the IPv4 addresses behind them', () => {
		const mayReach = createAddressGuard(['::ffff:10.0.0.0/104', '::ffff:192.168.0.1/128', '::ffff:172.16.0.1']);
		for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '192.168.0.1', '172.16.0.1'])
			expect(mayReach(address)).toBe(true);
		for (const address of ['192.168.0.2', '172.16.0.2', '127.0.0.1']) expect(mayReach(address)).toBe(false);
	});

	test('the whole of both families can be allowed', () => {
		const anything = createAddressGuard(['0.0.0.0/0', '::/0']);
		expect(anything('127.0.0.1')).toBe(true);
		expect(anything('fe80::1')).toBe(true);
	});

	test.each(['', '10.0.0.0/33', '10.0/8', 'intranet', '::1/129', '10.0.0.0/8/8', '10.0.0.0/-1', '10.0.0.0/'])(
		'"%s" is rejected as an entry',
		(entry) => {
			expect(() => createAddressGuard([entry])).toThrow('is not an address or a range');
		},
	);
});
