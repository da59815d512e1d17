/** Pure: IP addresses, and ranges of them such as `10.0.0.0/8`. */

import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Whether a text is one address in a usual form: `127.1` is not. */
export function isAddress(text: string): boolean {
	return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
}

/** Whether a text is one address, or a range in CIDR notation. */
export function isAddressOrRange(text: string): boolean {
	return isAddress(text) || ipaddr.IPv4.isValidCIDRFourPartDecimal(text) || ipaddr.IPv6.isValidCIDR(text);
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
	if (entry.includes('/')) return ipaddr.parseCIDR(entry);
	const address = ipaddr.process(entry);
	return [address, address.kind() === 'ipv4' ? 32 : 128];
}
