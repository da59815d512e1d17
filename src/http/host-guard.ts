/** Rejects requests whose Host header could make the router see another path than the client sent. */

import { AppError } from '../errors.ts';

/** `host`, `host:port` and bracketed IPv6, RFC 9110 §7.2 in the form that browsers send. */
const HOST = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,253})|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?$/;

/**
 * The path of a request's address, without its query.
 * @throws AppError INVALID_HOST
 */
export function checkedPath(request: Request): string {
	const { url } = request;
	const host = request.headers.get('host');
	if (host === null || !isValidHost(host)) {
		throw new AppError('INVALID_HOST', 'The Host header must be a single host name, with an optional port.');
	}
	// After "http://" the URL is the unchanged Host header, then the unchanged path.
	const start = url.indexOf('/', 'https://'.length);
	const end = url.indexOf('?', start);
	return end === -1 ? url.slice(start) : url.slice(start, end);
}

function isValidHost(host: string): boolean {
	// The second check finds ports and addresses out of bounds: no route could parse a URL with such a host.
	return HOST.test(host) && URL.canParse(`http://${host}`);
}
