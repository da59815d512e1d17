/** Pure: IP addresses, and ranges of them such as `10.0.0.0/8`. */

import type library from 'ipaddr.js';

/** The length of `::ffff:0:0/96`, behind which an IPv6 address has an IPv4 address. */
const MAPPED_BITS = 96;

export type Address = library.IPv4 | library.IPv6;

/** The library, when it is first needed: it takes 0.5 ms, and usual addresses do without. */
export function ipaddr(): typeof library {
	return require('ipaddr.js');
}

/** Returns whether a text is an IPv4 address in its usual, canonical form: `127.1` and `127.0.0.01` are not. */
export function isPlainIpv4(text: string): boolean {
	const parts = text.split('.', 5);
	return parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256);
}

/** Returns whether a text is one address in a usual form: `127.1` is not. */
export function isAddress(text: string): boolean {
	return isPlainIpv4(text) || (text.includes(':') && ipaddr().IPv6.isValid(text));
}

/** Returns whether a text is one address, or a range in CIDR notation. */
export function isAddressOrRange(text: string): boolean {
	if (isAddress(text)) return true;
	const { IPv4, IPv6 } = ipaddr();
	return IPv4.isValidCIDRFourPartDecimal(text) || IPv6.isValidCIDR(text);
}

/**
 * Makes the check whether an address is one of these, or in one of these ranges.
 * @throws {TypeError} for an entry that is neither an address nor a range
 */
export function createRangeCheck(entries: readonly string[]): (address: Address) => boolean {
	const ranges = entries.map(parseRange);
	return (address) =>
		ranges.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
}

function parseRange(entry: string): [network: Address, bits: number] {
	if (!isAddressOrRange(entry)) throw new TypeError(`"${entry}" is not an address or a range such as 10.0.0.0/8.`);
	if (entry.includes('/')) {
		const [network, bits] = ipaddr().parseCIDR(entry);
		// An address is compared as the IPv4 address that it stands for.
		const isMapped = network instanceof ipaddr().IPv6 && network.isIPv4MappedAddress() && bits >= MAPPED_BITS;
		return isMapped ? [network.toIPv4Address(), bits - MAPPED_BITS] : [network, bits];
	}
	const address = ipaddr().process(entry);
	return [address, address.kind() === 'ipv4' ? 32 : 128];
}
