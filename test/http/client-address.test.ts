import { expect, test } from 'bun:test';
import { createClientAddress, networkOf } from '../../src/http/client-address.ts';

test.each([
	['the peer itself without a header', 'private', '203.0.113.9', null, '203.0.113.9'],
	['the peer, if it is not trusted, whatever it claims', 'private', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
	['what a trusted proxy says', 'private', '127.0.0.1', '198.51.100.1', '198.51.100.1'],
	[
		'the right-most hop that is no trusted proxy',
		'private',
		'10.0.0.1',
		'1.2.3.4, 198.51.100.1, 192.168.1.1',
		'198.51.100.1',
	],
	['the left-most hop if all are trusted', 'private', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
	['the last valid hop before an invalid one', 'private', '10.0.0.1', 'junk, 10.0.0.2', '10.0.0.2'],
	['the peer if no proxy is trusted', 'none', '127.0.0.1', '198.51.100.1', '127.0.0.1'],
	['IPv4 mapped into IPv6 as IPv4', 'private', '::ffff:127.0.0.1', '::ffff:198.51.100.1', '198.51.100.1'],
	['the canonical form of IPv6', 'private', '::1', '2001:DB8:0::1', '2001:db8::1'],
	['IPv4 without the port beside it', 'private', '127.0.0.1', '198.51.100.1:5678', '198.51.100.1'],
	['IPv6 without the port beside it', 'private', '127.0.0.1', '[2001:db8::1]:123', '2001:db8::1'],
	['IPv6 without its brackets', 'private', '127.0.0.1', '[2001:DB8::1]', '2001:db8::1'],
	['IPv6 whose last group looks like a port', 'private', '127.0.0.1', '2001:db8::1:123', '2001:db8::1:123'],
	[
		'behind trusted hops with ports',
		'private',
		'10.0.0.1',
		'1.2.3.4, 198.51.100.1:9, 192.168.1.1:80, [::1]:443',
		'198.51.100.1',
	],
	['the peer where a port is none', 'private', '127.0.0.1', '198.51.100.1:http', '127.0.0.1'],
	['the peer where brackets do not close', 'private', '127.0.0.1', '[2001:db8::1', '127.0.0.1'],
	['a listed range', '203.0.113.0/24', '203.0.113.9', '198.51.100.1', '198.51.100.1'],
	['a listed address and no other', '203.0.113.9', '203.0.113.8', '198.51.100.1', '203.0.113.8'],
])('the client is %s', (...[, trusted, peer, header, client]) => {
	expect(createClientAddress(trusted)(peer, header)).toBe(client);
});

test('a client that makes up a very long chain of hops is still the right-most one', () => {
	const chain = Array.from({ length: 10_000 }, () => '198.51.100.1').join(', ');
	expect(createClientAddress('private')('127.0.0.1', `${chain}, 203.0.113.7`)).toBe('203.0.113.7');
});

test.each([
	['203.0.113.9', '203.0.113.9'],
	['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
	['2001:db8:1:2::1', '2001:db8:1:2::/64'],
	['2001:db8::1', '2001:db8:0:0::/64'],
	['', ''],
])('limits count %p as %p', (address, network) => {
	expect(networkOf(address)).toBe(network);
});
