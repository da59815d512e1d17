/** Pure: addresses that a browser may be sent to. */

import { parseUrl } from '../text/web-address.ts';

export const URL_MAX = 2048;

/** An http or https URL without user and password, resolved against `base` if it is relative; `null` for anything else. */
export function parseRedirectUrl(text: string, base?: string | null): URL | null {
	if (text.length > URL_MAX || text.trim() === '') return null;
	const page = base ? parseUrl(base) : null;
	const url = parseUrl(text) ?? (page && URL.parse(text, page.href));
	if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
	if (url.username !== '' || url.password !== '' || url.href.length > URL_MAX) return null;
	return url;
}
