/** Refuses requests whose Host or path would make the router see another address than the client meant. */

import { AppError } from '../errors.ts';

/** `host`, `host:port` and bracketed IPv6, RFC 9110 §7.2 in the spelling that browsers send. */
const HOST = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,253})|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?$/;

/**
 * The path of a request's address, without its query.
 * @throws AppError INVALID_HOST
 */
export function checkedPath(request: Request): string {
	const host = request.headers.get('host');
	// The second look finds what the first cannot, such as a port or an address out of bounds; a URL with such a host
	// cannot be parsed by any route.
	if (host === null || !HOST.test(host) || !URL.canParse(`http://${host}`)) {
		throw new AppError('INVALID_HOST', 'The Host header must be a single host name, with an optional port.');
	}
	// Behind "http://" the URL is the Host header as it came, then the path as it came.
	const start = request.url.indexOf('/', 'https://'.length);
	const end = request.url.indexOf('?', start);
	return end === -1 ? request.url.slice(start) : request.url.slice(start, end);
}
