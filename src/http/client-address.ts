/** The client's address: the peer's, or the one that trusted proxies report. */

import { createRangeCheck, ipaddr, isPlainIpv4 } from '../network/address-ranges.ts';
import { lazy } from '../tasks/lazy.ts';
import { remember } from '../tasks/remember.ts';

const PRIVATE_RANGES = [
	'127.0.0.0/8',
	'::1/128',
	'10.0.0.0/8',
	'172.16.0.0/12',
	'192.168.0.0/16',
	'169.254.0.0/16',
	'fc00::/7',
	'fe80::/10',
];
/** The hops that are looked at, from the right: no real setup has more proxies, and what is further left the client may have made up. */
const MAX_HOPS = 32;
/** An address with the port that some proxies add, or between the brackets that IPv6 then needs. */
const WITH_PORT = /^(?:\[([^\]]+)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/;
const MAX_KNOWN_PEERS = 1000;

export type ClientAddress = ReturnType<typeof createClientAddress>;

/**
 * @param trusted `private` (loopback and private ranges), `none`, or addresses and ranges separated by commas.
 * @returns a function from the peer's address and its `X-Forwarded-For` to the client's address: the right-most hop
 * that is no trusted proxy. The header counts only if the peer itself is trusted.
 */
export function createClientAddress(trusted: string) {
	const isTrusted = createProxyCheck(trusted);
	/** A peer sends many requests over one connection. */
	const peerOf = remember(
		(text) => ({ address: canonical(text) ?? text, isTrusted: lazy(() => isTrusted(text)) }),
		MAX_KNOWN_PEERS,
	);

	return (peer: string, forwardedFor: string | null): string => {
		const known = peerOf(peer);
		let client = known.address;
		if (forwardedFor === null || !known.isTrusted()) return client;
		for (const hop of forwardedFor.split(',').slice(-MAX_HOPS).reverse()) {
			const address = hopAddress(hop.trim());
			if (address === undefined) return client;
			client = address;
			if (!isTrusted(address)) return client;
		}
		return client;
	};
}

/**
 * @param trusted as for {@link createClientAddress}
 * @returns whether an address is that of a trusted proxy; a text that is no address, as for a Unix socket, is none
 */
export function createProxyCheck(trusted: string): (address: string) => boolean {
	const isInRange = lazy(() => createRangeCheck(trustedRanges(trusted)));
	return (address) => ipaddr().isValid(address) && isInRange()(ipaddr().process(address));
}

/**
 * The key of rate limits: an IPv4 address, or the /64 network of an IPv6 address, because a subscriber gets a whole /64
 * (RFC 6177) and could otherwise use a new address for every request.
 */
export function networkOf(address: string): string {
	if (!address.includes(':') || !ipaddr().IPv6.isValid(address)) return address;
	const groups = ipaddr().IPv6.parse(address).parts.slice(0, 4);
	return `${groups.map((group) => group.toString(16)).join(':')}::/64`;
}

/** The networks of a {@link networkOf} that stand for it where there is no room for each: /24 and /16, or /48 and /32. */
export function widerNetworks(network: string): [string, string] {
	if (network.includes(':')) {
		const [a, b, c] = network.split(':');
		return [`${a}:${b}:${c}::/48`, `${a}:${b}::/32`];
	}
	const [a, b, c] = network.split('.');
	return [`${a}.${b}.${c}.0/24`, `${a}.${b}.0.0/16`];
}

/** A network so large that it stands for no person: the /24 of an IPv4 address, the /48 of an IPv6 address. */
export function coarseNetworkOf(address: string): string {
	if (!ipaddr().isValid(address)) return '';
	const parsed = ipaddr().process(address);
	const bits = parsed.kind() === 'ipv4' ? 24 : 48;
	const bytes = parsed.toByteArray().map((byte, i) => (i < bits / 8 ? byte : 0));
	return `${ipaddr().fromByteArray(bytes).toString()}/${bits}`;
}

const SHOWN = { full: (address: string) => address, network: coarseNetworkOf, none: () => '' };

/** An address as log and audit log show it. */
export function shownAddress(how: keyof typeof SHOWN, address: string): string {
	return SHOWN[how](address);
}

function trustedRanges(trusted: string): string[] {
	if (trusted === 'none') return [];
	return trusted === 'private' ? PRIVATE_RANGES : trusted.split(',');
}

/** The address of a hop as a proxy writes it. */
function hopAddress(text: string): string | undefined {
	const address = canonical(text);
	if (address !== undefined) return address;
	const [, ipv6, ipv4 = ipv6] = WITH_PORT.exec(text) ?? [];
	return ipv4 && canonical(ipv4);
}

/** The canonical form, so that limits cannot be evaded by another one; an IPv4-mapped address becomes IPv4. */
function canonical(text: string): string | undefined {
	if (isPlainIpv4(text)) return text;
	return ipaddr().isValid(text) ? ipaddr().process(text).toString() : undefined;
}
