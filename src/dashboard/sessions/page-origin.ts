/** Pure: whether a request came from a page of the dashboard, from a foreign page, or from no page. */

import { AppError } from '../../errors.ts';

const CSRF_HEADER = 'x-formsrv-csrf';
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Browsers report it (https://w3c.github.io/webappsec-fetch-metadata/), but not over plain http: there the Origin must be
 * the public address, or the host of the request.
 */
export function pageOrigin(headers: Headers, baseUrl: string): 'own' | 'foreign' | 'none' {
	const site = headers.get('sec-fetch-site');
	if (site !== null) return site === 'same-origin' || site === 'none' ? 'own' : 'foreign';
	const origin = headers.get('origin');
	if (origin === null) return 'none';
	const host = headers.get('host');
	return origin === baseUrl || origin === `http://${host}` || origin === `https://${host}` ? 'own' : 'foreign';
}

/**
 * Returns whether a request is from a page of the dashboard under a name of its own, for what is not bound to a name as cookies are.
 * Over plain http any name may lead to this server (DNS rebinding), so there the Origin must be the public address.
 */
export function isFromOwnName(headers: Headers, baseUrl: string): boolean {
	const origin = headers.get('origin') ?? '';
	return pageOrigin(headers, baseUrl) === 'own' && (origin === baseUrl || origin.startsWith('https://'));
}

/**
 * CSRF protection: browsers attach the cookie to requests of any page, so a request that changes something must come from
 * the dashboard's own page, with a header that other pages cannot send.
 * @throws AppError FORBIDDEN
 */
export function checkOwnPage({ method, headers }: Request, baseUrl: string): void {
	if (SAFE_METHODS.has(method)) return;
	if (headers.get(CSRF_HEADER) === '1' && pageOrigin(headers, baseUrl) === 'own') return;
	throw new AppError(
		'FORBIDDEN',
		'A request with a session cookie must come from the dashboard itself. Programs use an API key: Authorization: Bearer <API_KEY>.',
	);
}
