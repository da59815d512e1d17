/** Pure: whether a request was made by a page of the dashboard itself, by one of somebody else, or by no page. */

import { AppError } from '../../errors.ts';

const CSRF_HEADER = 'x-formsrv-csrf';
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Browsers say it themselves (https://w3c.github.io/webappsec-fetch-metadata/), but not on unencrypted addresses;
 * there the Origin has to be the public address, or the host that was asked.
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
 * A cookie is sent along by the browser whoever makes the request; what changes anything therefore has to come from the
 * dashboard's own page, with a header that no other page can send.
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
