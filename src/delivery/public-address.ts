/** Which IP addresses a request to an untrusted URL may reach: public ones, and those that the operator allows. */

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/** The only IPv6 block with public addresses (IANA, "Global Unicast"). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
/** The translation prefix of RFC 6052: it leads to the IPv4 address in the last 32 bits. */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/**
 * Makes the check `mayReach(address)`. `allowed` lists addresses and ranges (`10.1.2.3`, `10.0.0.0/8`,
 * `fd00::/8`) that may be reached although they are not public.
 *
 * @throws {TypeError} for an entry of `allowed` that is neither an address nor a range
 */
export function createAddressGuard(allowed: readonly string[] = []): (address: string) => boolean {
	const ranges = allowed.map(parseRange);
	return (text) => {
		const address = parseAddress(text);
		if (address === undefined) return false;
		return isPublic(address) || ranges.some((range) => contains(range, address));
	};
}

/**
 * Parses only canonical forms: `127.1` and `0x7f000001` are not addresses here. Mapped and translated addresses become
 * the IPv4 address that they lead to.
 */
function parseAddress(text: string): Address | undefined {
	const family = isIP(text);
	if (family === 0 || text.includes('%')) return undefined;
	const address = ipaddr.process(family === 4 ? text : withoutDots(text));
	if (address instanceof ipaddr.IPv6 && address.match(NAT64)) {
		return new ipaddr.IPv4(address.toByteArray().slice(12));
	}
	return address;
}

/** `::8.8.8.8` as `::808:808`: ipaddr.js would take the first for the mapped `::ffff:8.8.8.8`. */
function withoutDots(address: string): string {
	return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

/** Rejects all special-purpose ranges, and for IPv6 all unassigned ones. */
function isPublic(address: Address): boolean {
	if (address.range() !== 'unicast') return false;
	return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST);
}

function contains([network, bits]: Range, address: Address): boolean {
	return network.kind() === address.kind() && address.match(network, bits);
}

function parseRange(text: string): Range {
	const [network = '', bits, ...rest] = text.split('/');
	const family = isIP(network);
	const width = family === 4 ? 32 : 128;
	const isBits = bits === undefined || (/^[0-9]{1,3}$/.test(bits) && Number(bits) <= width);
	if (family === 0 || !isBits || rest.length > 0) {
		throw new TypeError(`"${text}" is not an address or a range such as 10.0.0.0/8.`);
	}
	return [ipaddr.parse(network), bits === undefined ? width : Number(bits)];
}
