/** Refuses requests whose Host or path would make the router see another address than the client meant. */

import { AppError } from '../errors.ts';

/** `host`, `host:port` and bracketed IPv6, RFC 9110 §7.2 in the spelling that browsers send. */
const HOST = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,253})|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?$/;

/** How many good hosts are remembered before all are forgotten. */
const MAX_KNOWN_HOSTS = 1000;
const knownHosts = new Set<string>();

/**
 * The path of a request's address, without its query.
 * @throws AppError INVALID_HOST
 */
export function checkedPath(request: Request): string {
	const host = request.headers.get('host');
	if (host === null || !isGoodHost(host)) {
		throw new AppError('INVALID_HOST', 'The Host header must be a single host name, with an optional port.');
	}
	const { url } = request;
	// Behind "http://" the URL is the Host header as it came, then the path as it came.
	const start = url.indexOf('/', 'https://'.length);
	const end = url.indexOf('?', start);
	return end === -1 ? url.slice(start) : url.slice(start, end);
}

function isGoodHost(host: string): boolean {
	if (knownHosts.has(host)) return true;
	// The second look finds what the first cannot, such as a port or an address out of bounds; a URL with such a host
	// cannot be parsed by any route.
	if (!HOST.test(host) || !URL.canParse(`http://${host}`)) return false;
	if (knownHosts.size >= MAX_KNOWN_HOSTS) knownHosts.clear();
	knownHosts.add(host);
	return true;
}
