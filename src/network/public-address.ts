/** The IP addresses that a request to an untrusted URL may reach: public ones, and those that the operator allows. */

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { type Address, createRangeCheck } from './address-ranges.ts';

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
	const isAllowed = createRangeCheck(allowed);
	return (text) => {
		const address = parseAddress(text);
		return address !== undefined && (isPublic(address) || isAllowed(address));
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
