/** Rejects requests whose Host header could make the router see another path than the client sent. */

import { AppError } from '../errors.ts';

/** `host`, `host:port` and bracketed IPv6, RFC 9110 §7.2 in the form that browsers send. */
const HOST = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,253})|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?$/;

/** Balancers such as HAProxy check by HTTP/1.0, which needs no Host. The response is the same for each. */
const WITHOUT_HOST = ['/health', '/ready'];

/**
 * The path of a request's address, without its query.
 * @throws AppError INVALID_HOST
 */
export function checkedPath(request: Request): string {
	const { url } = request;
	const host = request.headers.get('host');
	// Without a Host the URL is what stands in the request's first line.
	if (host === null && WITHOUT_HOST.includes(url)) return url;
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
