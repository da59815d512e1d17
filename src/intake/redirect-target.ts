/** Decides where a browser goes after a submission: `_next`, the form's own address, or the thank-you page. */

import { type HeaderReader, sourcePage, urlCovered } from '../forms/allowed-domains.ts';
import { parseRedirectUrl } from '../forms/redirect-url.ts';

/**
 * The first usable target as an ASCII URL that is safe in a Location header, `null` for the thank-you page.
 * A relative `_next` is resolved against Origin, else Referer. On a form with allowedDomains, or with `strict`
 * on every form, its host has to be covered by them or be that of redirectUrl.
 */
export function redirectTarget(o: {
	next?: string | undefined;
	redirectUrl: string | null;
	allowedDomains: readonly string[];
	headers: HeaderReader;
	strict: boolean;
}): string | null {
	const own = o.redirectUrl === null ? null : parseRedirectUrl(o.redirectUrl);
	const next = o.next === undefined ? null : parseRedirectUrl(o.next, sourcePage(o.headers));
	if (!next) return own?.href ?? null;
	const isOpen = o.allowedDomains.length === 0 && !o.strict;
	const isAllowed = isOpen || next.host === own?.host || urlCovered(next, o.allowedDomains);
	return (isAllowed ? next.href : own?.href) ?? null;
}
